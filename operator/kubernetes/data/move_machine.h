// The lifecycle of one DataMove as a pure function: from the recorded status and the observed state it derives the one
// next action. Every step may be repeated, and every step may be the last before a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct MoveRules {
  Duration first_pause = std::chrono::seconds(10), most_pause = std::chrono::minutes(5);  // between tries
  Duration problem_patience = std::chrono::minutes(1);  // for a store or data set that does not exist (yet)
  Duration source_patience = std::chrono::minutes(5);   // for the pod that serves the old replicas
};

// How a Job or pod of the move is.
enum class WorkState : std::uint8_t {
  absent,    // neither Job nor pod is left
  starting,  // of the pod that serves
  running,
  succeeded,
  failed,
  ending,  // deleted, but a pod of it may still write
};

struct MoveView {
  // The request.
  bool deleting = false, cancel = false, has_target = false, drop_source = false, has_finalizer = false;
  std::int32_t attempts = 5;
  std::optional<Duration> keep_for;
  // The observed state.
  std::string problem;  // why the move is impossible (a store is missing, no block to move); empty: it is possible
  std::string data_set_uid;
  bool data_set_gone = false, from_gone = false, to_gone = false;
  BlockRanges wanted;  // the blocks; before copying begins: the requested ones that `from` holds
  std::int64_t bytes = 0;
  bool target_holds = false;  // the DataSet says that `to` has a verified replica of each, permanent if this move's are
  bool target_extra = false;  // it has one of each, but some are extra copies, and this move's are permanent
  bool target_fenced = false;   // ... and carries a mark that makes the server refuse a commit that is still under way
  bool source_held = false;     // the DataSet says that `from` has a replica of some
  bool source_leaving = false;  // ... and has marked all of them as leaving
  bool source_marked = false;   // some are still marked as leaving
  bool others_hold = false;     // each has a verified replica elsewhere that is not leaving
  bool source_is_read = false;
  bool may_start = false;  // room, numbers and rates allow another one to copy
  std::string waits_for;   // the limit that it waits for
  std::string suspended;   // why nothing may be copied, committed or deleted until a person has looked; empty: it may
  // The progress of Jobs and pods. `copy` is of the current attempt, `copies_left` of any.
  bool needs_source = false;
  WorkState source = WorkState::absent;  // of the pod that serves the old replicas; running: ready
  std::string source_message;
  WorkState copy = WorkState::absent, drop = WorkState::absent;
  bool copies_left = false;  // Jobs or pods of copying, the source's too
  bool verifying = false;    // the Job has finished copying
  std::string waiting;       // why the pod of the current attempt has not begun
  std::string why;           // the Job failed
};

enum class MoveAction : std::uint8_t {
  add_finalizer,
  start_source,  // the pod that serves the old replicas
  start_copy,    // the Job of this attempt
  end_copy,      // deletes Jobs and pods of copying
  end_drop,      // deletes Jobs and pods that delete files
  commit,        // to the DataSet: `to` holds the blocks
  mark_leaving,  // to the DataSet: nobody may begin to read the replicas in `from`
  unmark_leaving,
  remove_source,  // from the DataSet: `from` no longer holds the blocks; still marked
  start_drop,     // the Job that deletes files in `from`; it lives as long as the DataMove, so that it is never started
                  // twice
  fence_target,   // to the DataSet: a mark on the blocks in `to`, which refuses a commit that is under way
  start_clean,    // the Job that deletes files in `to`
  forget_marks,   // from the DataSet, of a deleted source or a cleaned target
  remove_finalizer,
  delete_object,
};

inline constexpr const char* condition_suspended = "Suspended";

struct MoveStep {
  std::optional<MoveAction> action;
  DataMoveStatus status;  // to be written if there is no action and it differs
};

MoveStep next_step(const DataMoveStatus& status, const MoveView& view, const MoveRules& rules, TimePoint now);

}  // namespace lips::kubernetes
