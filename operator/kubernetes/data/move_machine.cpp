#include "kubernetes/data/move_machine.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

using enum MoveAction;

class Stepper {
 public:
  Stepper(const DataMoveStatus& status, const MoveView& view, const MoveRules& rules, TimePoint now)
      : view_(view), rules_(rules), now_(now), step_{{}, status} {}

  MoveStep run() {
    if (!view_.suspended.empty() && !status().finished) {
      suspend();
      return std::move(step_);
    }
    note_suspension(ConditionStatus::no, "Confirmed", "");
    switch (status().phase) {
      case MovePhase::none:
      case MovePhase::pending:
        begin();
        break;
      case MovePhase::copying:
      case MovePhase::verifying:
        copy();
        break;
      case MovePhase::committed:
        settle_source();
        break;
      case MovePhase::failed:
        clean();
        break;
    }
    return std::move(step_);
  }

 private:
  DataMoveStatus& status() { return step_.status; }
  bool abort() const { return view_.cancel || view_.deleting; }
  void act(MoveAction action) { step_.action = action; }
  void say(std::string message) { status().message = std::move(message); }

  // A Job that deletes may act on a promise that does not hold any more; one that copies does no harm.
  void suspend() {
    note_suspension(ConditionStatus::yes, "StoreSetBack", view_.suspended);
    if (view_.drop == WorkState::running || view_.drop == WorkState::starting) act(end_drop);
  }

  // Says in the status that it is suspended, or that it no longer is.
  void note_suspension(ConditionStatus now_so, const char* reason, const std::string& why) {
    std::vector<ObjectCondition>& all = status().conditions;
    const auto place = std::find_if(all.begin(), all.end(),
                                    [](const ObjectCondition& each) { return each.type == condition_suspended; });
    if (place == all.end() && now_so == ConditionStatus::no) return;
    if (place == all.end())
      all.push_back({condition_suspended, now_so, reason, why, now_, 0});
    else if (place->status != now_so || place->message != why)
      *place = {condition_suspended, now_so, reason, why, now_, 0};
  }

  Duration pause_after(std::int32_t tries) const {
    Duration pause = rules_.first_pause;
    for (std::int32_t i = 1; i < tries && pause < rules_.most_pause; ++i) pause *= 2;
    return std::min(pause, rules_.most_pause);
  }
  bool too_early() { return status().next_try && now_ < *status().next_try; }

  void fail(std::string message) {
    status().phase = MovePhase::failed;
    status().cleaned = status().attempt == 0;
    say(std::move(message));
  }

  void begin() {
    status().phase = MovePhase::pending;
    if (!status().started) status().started = now_;
    if (abort()) return fail("cancelled before anything was copied");
    if (!view_.problem.empty()) {
      if (now_ - *status().started >= rules_.problem_patience) return fail(view_.problem);
      return say(view_.problem);
    }
    if (!view_.may_start) return say(view_.waits_for);
    if (!view_.has_target && !view_.others_hold)
      return fail("not dropped: this is the last replica of a block, or no move has read another one");
    if (!view_.has_finalizer) return act(add_finalizer);
    if (view_.target_extra) return act(commit);
    status().blocks = view_.wanted;
    status().bytes = view_.bytes;
    status().data_set_uid = view_.data_set_uid;
    say("");
    if (!view_.has_target || view_.target_holds) {
      status().phase = MovePhase::committed;
      return;
    }
    status().phase = MovePhase::copying;
    status().attempt = 1;
    status().next_try = now_;
  }

  void copy() {
    if (view_.target_holds) {
      status().phase = MovePhase::committed;
      status().next_try.reset();
      return say("");
    }
    if (abort()) return fail("cancelled");
    if (view_.data_set_gone || view_.from_gone || view_.to_gone) return fail(view_.problem);
    switch (view_.copy) {
      case WorkState::succeeded:
        return act(commit);
      case WorkState::failed:
        return try_again(view_.why);
      case WorkState::ending:
      case WorkState::starting:
        return;
      case WorkState::running:
        if (view_.verifying) status().phase = MovePhase::verifying;
        if (!view_.waiting.empty()) say(view_.waiting);
        return;
      case WorkState::absent:
        break;
    }
    status().phase = MovePhase::copying;
    if (too_early()) return;
    if (!view_.needs_source || view_.source == WorkState::running) return act(start_copy);
    if (view_.source == WorkState::failed) return act(end_copy);
    if (status().next_try && now_ - *status().next_try >= rules_.source_patience)
      return try_again("the pod that serves the old replicas did not start: " + view_.source_message);
    if (view_.source == WorkState::absent) act(start_source);
  }

  void try_again(std::string why) {
    // A Job that runs out of time deletes its pod, and with it the reason why the pod waited.
    const std::string& last = status().message;
    if (!last.empty() && !last.starts_with("attempt ") && why.find(last) == std::string::npos)
      why += "; before: " + last;
    if (status().attempt >= view_.attempts)
      return fail("gave up after " + std::to_string(status().attempt) + " attempts: " + why);
    say("attempt " + std::to_string(status().attempt) + " failed: " + why);
    status().next_try = now_ + pause_after(status().attempt);
    ++status().attempt;
    status().phase = MovePhase::copying;
  }

  // Copies stay. Drops the source replicas as soon as that is allowed.
  void settle_source() {
    if (view_.copies_left) return act(end_copy);
    if (!view_.drop_source) return finish();
    switch (status().source) {
      case SourceState::kept:
        return let_source_leave();
      case SourceState::leaving:
        return remove_from_data_set();
      case SourceState::removed:
        return delete_files();
      case SourceState::deleted:
        return finish();
    }
  }

  void let_source_leave() {
    if (status().finished || abort()) return finish();
    if (view_.data_set_gone) {
      say("the old replicas stay: the DataSet is gone");
      return finish();
    }
    if (!view_.source_held) {
      status().source = SourceState::deleted;
      return;
    }
    if (!view_.others_hold) {  // others wait for the end of this move, but not forever
      if (!status().next_try) status().next_try = now_ + rules_.problem_patience;
      say("the old replicas stay: a block has no other replica, or no move has read it");
      return too_early() ? void() : finish();
    }
    status().source = SourceState::leaving;
    status().next_try.reset();
    say("");
  }

  void remove_from_data_set() {
    if (view_.data_set_gone) {
      say("the old replicas stay: the DataSet is gone");
      status().source = SourceState::kept;
      status().finished = now_;
      return;
    }
    if (!view_.source_held) {
      status().source = view_.source_marked ? SourceState::removed : SourceState::deleted;
      status().drop_attempt = 1;
      status().next_try = now_;
      return say("");
    }
    if (abort() || !view_.others_hold) {
      if (view_.source_marked) return act(unmark_leaving);
      status().source = SourceState::kept;
      return;
    }
    if (!view_.source_leaving) return act(mark_leaving);
    if (view_.source_is_read) return say("waiting for tasks that read the old replicas");
    act(remove_source);
  }

  // Deletes files of blocks that are marked and not held. Never gives up: the marks keep others from writing there.
  void delete_files() {
    if (view_.data_set_gone || view_.from_gone) {
      say(view_.from_gone ? "the DataStore is gone; its files stay" : "the DataSet is gone; the old files stay");
      status().source = SourceState::deleted;
      return;
    }
    if (deleted_by(start_drop)) {
      status().source = SourceState::deleted;
      say("");
    }
  }

  // Runs the Job until it succeeds, then removes the marks; returns true when done.
  bool deleted_by(MoveAction start) {
    switch (view_.drop) {
      case WorkState::succeeded:
        act(forget_marks);
        break;
      case WorkState::failed:
        say("the old files are not deleted yet: " + view_.why);
        status().next_try = now_ + pause_after(status().drop_attempt);
        ++status().drop_attempt;
        break;
      case WorkState::absent:
        if (!too_early()) act(start);
        break;
      case WorkState::running:
      case WorkState::starting:
      case WorkState::ending:
        break;
    }
    const bool marked = start == start_drop ? view_.source_marked : view_.target_fenced;
    if (marked) return false;
    step_.action.reset();
    return true;
  }

  void clean() {
    // The commit came through after all.
    if (!status().cleaned && view_.target_holds && view_.has_target) {
      status().phase = MovePhase::committed;
      return;
    }
    if (view_.copies_left) return act(end_copy);
    if (status().cleaned) return finish();
    if (view_.data_set_gone || view_.to_gone || view_.target_extra) {
      status().cleaned = true;
      return;
    }
    if (status().drop_attempt == 0) {
      if (!view_.target_fenced) return act(fence_target);
      status().drop_attempt = 1;
      status().next_try = now_;
      return;
    }
    const std::string why = status().message;
    if (deleted_by(start_clean)) status().cleaned = true;
    status().message = why;
  }

  void finish() {
    if (!status().finished) {
      status().finished = now_;
      status().next_try.reset();
      return;
    }
    if (view_.has_finalizer) return act(remove_finalizer);
    if (!view_.deleting && view_.keep_for && now_ - *status().finished >= *view_.keep_for) act(delete_object);
  }

  const MoveView& view_;
  const MoveRules& rules_;
  const TimePoint now_;
  MoveStep step_;
};

}  // namespace

MoveStep next_step(const DataMoveStatus& status, const MoveView& view, const MoveRules& rules, TimePoint now) {
  return Stepper(status, view, rules, now).run();
}

}  // namespace lips::kubernetes
