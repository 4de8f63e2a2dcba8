#include "kubernetes/data/move_progress.h"

#include <algorithm>

namespace lips::kubernetes {

bool MoveProgress::is_under_way(const DataMoveResource& move) {
  const MovePhase phase = move.status.phase;
  return !move.spec.to.empty() && !move.spec.cancel && !move.meta.deleting && phase != MovePhase::committed &&
         phase != MovePhase::failed;
}

// Another process may have waited for it before.
TimePoint MoveProgress::first_seen(const DataMoveResource& move, TimePoint now) {
  return move.meta.created == TimePoint{} ? now : std::min(now, move.meta.created);
}

// The latest time that it may be: the attempts before this one have taken all of theirs.
TimePoint MoveProgress::last_step(const DataMoveResource& move, TimePoint now) const {
  if (!move.status.started) return first_seen(move, now);
  return std::min(now, *move.status.started + std::max(0, move.status.attempt - 1) * bound_of(move));
}

// True: a copy got further, or none is under way.
bool MoveProgress::note(const Moves& moves, TimePoint now) {
  bool further = false, any = false;
  std::set<std::string> there;
  for (const auto& [name, move] : moves) {
    const std::string& uid = move.meta.object.uid;
    there.insert(uid);
    any = any || is_under_way(move);
    const auto [place, is_new] = known_.try_emplace(uid);
    Known& known = place->second;
    if (is_new) known.first = first_seen(move, now), known.last = last_step(move, now);
    if (!known.steps.emplace(move.status.attempt, move.status.phase).second || is_new) continue;
    known.last = now;
    further = further || move.status.began();
  }
  std::erase_if(known_, [&](const auto& known) { return !there.contains(known.first); });
  return further || !any;
}

// The bound of one step of a copy.
Duration MoveProgress::bound_of(const DataMoveResource& move) const {
  return bounds_.around_copy + (bounds_.longest_copy ? bounds_.longest_copy(move.status.bytes) : Duration(0));
}

bool MoveProgress::review(const Moves& moves, TimePoint now) {
  if (note(moves, now) || queue_moved_ == TimePoint{}) queue_moved_ = now;
  std::map<std::string, TimePoint> stalled;
  bool copies = false;  // one that may still end
  for (const auto& [name, move] : moves) {
    if (!is_under_way(move) || !move.status.began()) continue;
    const TimePoint last = known_.at(move.meta.object.uid).last;
    if (now - last >= bound_of(move))
      stalled.emplace(name, last);
    else
      copies = true;
  }
  const bool queue_stands = !copies && now - queue_moved_ >= bounds_.turn;
  for (const auto& [name, move] : moves) {
    if (!is_under_way(move) || move.status.began()) continue;
    const Known& known = known_.at(move.meta.object.uid);
    if (queue_stands || now - known.first >= bounds_.longest_turn) stalled.emplace(name, known.last);
  }
  const bool change = !std::equal(stalled.begin(), stalled.end(), stalled_.begin(), stalled_.end(),
                                  [](const auto& a, const auto& b) { return a.first == b.first; });
  stalled_ = std::move(stalled);
  return change;
}

}  // namespace lips::kubernetes
