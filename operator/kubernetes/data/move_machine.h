// The life of one DataMove as a pure function: what is, and what is seen, give what is to be done and what is to be
// written down. Every step may be repeated and every step may be the last before a crash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct MoveRules {
  Duration first_pause = std::chrono::seconds(10), most_pause = std::chrono::minutes(5);  // between tries
};

// How a Job of the move is, with the pods it made.
enum class WorkState : std::uint8_t {
  absent,  // neither Job nor pod is left
  running,
  succeeded,
  failed,
  ending,  // deleted, but a pod of it may still write
};

struct SourceView {
  WorkState state = WorkState::absent;  // of the pod that serves the old replicas; running: it can be read
  bool starting = false;
};

struct MoveView {
  // ---- what is asked ----
  bool deleting = false, cancel = false;
  bool has_target = false, drop_source = false;
  std::int32_t attempts = 5;
  std::string problem;  // why it cannot be done at all (a store is missing, no block to move); empty: it can
  bool data_set_gone = false;
  // ---- what is so ----
  BlockRanges wanted;           // those to be moved, of those that `from` holds
  std::int64_t bytes = 0;       // of these
  bool target_holds = false;    // the DataSet says that `to` has a verified replica of each
  bool source_held = false;     // the DataSet says that `from` still has a replica of some
  bool source_leaving = false;  // ... and that nobody begins to read any
  bool others_hold = false;     // each has another replica that is verified and not leaving
  bool source_is_read = false;
  bool may_start = false;     // room, numbers and rates allow another one to copy
  std::string waits_for;      // if not
  bool needs_source = false;  // the old replicas have to be served by a pod
  SourceView source;
  WorkState copy = WorkState::absent, drop = WorkState::absent, clean = WorkState::absent;
  bool verifying = false;  // the copying part of the Job is over
  std::string copy_failed, drop_failed, clean_failed;
  bool has_finalizer = false;
};

enum class MoveAction : std::uint8_t {
  add_finalizer,
  start_source,  // the pod that serves
  start_copy,    // the Job `attempt`
  end_copy,      // delete Jobs and pods of the copy
  commit,        // to the DataSet: `to` holds the blocks
  mark_leaving,  // to the DataSet: nobody begins to read the old replicas
  unmark_leaving,
  remove_source,  // from the DataSet: `from` no longer holds them; refused where a block has no other replica
  start_drop,     // the Job that deletes the old files
  end_drop,
  start_clean,  // the Job that deletes what a failed copy left
  end_clean,
  remove_finalizer,
  delete_object,
};

struct MoveStep {
  std::vector<MoveAction> actions;  // in this order; each only if those before it were done
  DataMoveStatus status;            // to be written when it differs, after the actions
};

// `keep_for` of the object's spec; none: it stays.
MoveStep next_step(const DataMoveStatus& status, const MoveView& view, const MoveRules& rules, TimePoint now);

// Over, and nothing is left to do but to delete the object.
bool finished(const DataMoveStatus& status, const MoveView& view);

}  // namespace lips::kubernetes
