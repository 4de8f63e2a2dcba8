// The record of a pod of ours. A value; PodCache changes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/data_division.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/pod_classes.h"
#include "kubernetes/pods/spark_properties.h"
#include "model/pod_mode.h"

namespace lips::kubernetes {

enum class PodState : std::uint8_t {
  held,        // not to be placed: `unschedulable_reason` says why
  waiting,     // to be placed
  binding,     // the request for `node` is under way
  ungated,     // its own scheduler binds it; `node` is the plan's, or empty if its destination is unknown
  placed,      // on `node`, according to the server
  terminated,  // ended, or being deleted without ever having been placed, according to the watch
};

// Consecutive blocks of a data set, "namespace/name".
struct BlockRun {
  std::string data_set;
  std::uint32_t first = 0, count = 0;
  bool contains(std::uint32_t block) const { return block >= first && block - first < count; }
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

struct PodRecord {
  ObjectMeta meta;  // without a version
  std::optional<Owner> owner;
  PodState state = PodState::waiting;
  PodClassId pod_class;
  ResourceAmounts requests;  // those of its class, and the room it takes on its node
  ResourceAmounts resized;   // in addition, by resizes since it was placed; may be negative
  PodAnnotations work;       // with the defaults of its driver
  PodAnnotations own;        // as the pod itself says
  std::int32_t priority = 0;
  bool preempts = true;
  std::string priority_class;
  std::optional<std::int32_t> index;  // among the tasks of its job
  TimePoint created, first_seen;      // by the server's clock, by ours
  std::optional<TimePoint> started, finished;
  bool succeeded = false;
  bool learned = false;  // run_times has its run time
  Duration declared{};   // run time by its annotations; 0: not declared
  std::string node;
  std::vector<std::string> claims;
  std::string properties_from;         // of a Spark driver: a ConfigMap
  std::optional<SparkExecutors> size;  // of its application, as far as that ConfigMap says it
  TextMap labels;                      // while it is not placed: others' anti-affinity may select it
  std::int64_t generation = 0;
  std::vector<BlockRun> reads;           // as reported to the model; several under a path
  std::optional<DataDivision> division;  // by which it reads a part; none: it reads all, or nothing
  std::string read_from;                 // the store of its first block; empty: reads none
  TaskId task;                           // none: the model does not know it (yet)
  UnschedulableReason unschedulable_reason = UnschedulableReason::none;
  std::string unschedulable_message;
  bool held_for_data = false;                  // to be tried again when data sets change
  std::optional<TimePoint> unscheduled_since;  // when its condition PodScheduled became False
  std::string reported_message;                // the condition's message as last written
  TimePoint reported_at{};
  bool unanswered = false;  // the outcome of its binding is unknown: send it again
  // Set if an attempt to bind it got no answer: it may be on `node` whatever later attempts returned. The number of the
  // last list of pods requested by then (ListWatch::relist); a later list tells.
  std::optional<std::uint64_t> doubt;
  bool degraded = false;            // its first block is decoded from others
  bool awaits_volumes = false;      // for which its node was chosen; its binding is sent after them
  std::vector<std::string> avoids;  // nodes on which its claims got no volumes
  TimePoint avoided_since{};        // the last of them
  std::string input;                // lips.dev/input of the binding that is under way
  int refusals = 0;                 // of its binding, in a row
  bool says_disruption = false;     // whether autoscalers may evict it, by its template or by us
  bool prefers_nodes = false;       // in its own specification
  bool wants_node = false;          // the last plan asks for one for it, wherever an autoscaler launches it
  std::string ordered;              // or where one has been ordered for it; empty: nowhere

  // For pods of other schedulers, which wait or have waited behind our gate.
  bool steered = false;
  PodMode mode = PodMode::watch;             // of its pool, as far as known
  bool left_alone = false;                   // its mode is `bind` only while its pool is not steered
  std::string pool;                          // for counting
  TextMap selector;                          // of the zone and capacity type that it is or was sent to
  std::optional<TimePoint> ungated_since;    // with room on the plan's node
  std::optional<TimePoint> under_way_since;  // without a gate and on no node, as a plan first saw it
  bool fits_nowhere = false;                 // not even on nodes without pods of ours, or on nodes that are offered
  bool releasing = false;                    // its gate is being taken away, though no node is planned for it
  std::string released_for;                  // why; empty: no event to write
  TimePoint release_again{};                 // not before

  std::optional<Duration>
      kept_for;           // autoscalers may not evict it for so long after its start; none: we have not said so
  std::string nominated;  // the node on which others end for it, as the server shows it
  bool deleting = false;  // its object is being deleted

  bool on_node() const {
    return state == PodState::binding || state == PodState::placed || (state == PodState::ungated && !node.empty());
  }
  // How long it has run by `now`, or ran; none: the kubelet has not started it.
  std::optional<Duration> ran(TimePoint now) const {
    if (!started) return std::nullopt;
    return std::max(Duration(0), finished.value_or(now) - *started);
  }
};

// All blocks of the data set that the pod reads, where nobody knows any more which part it reads.
inline BlockRun reads_anything(const PodRecord& pod) {
  return {pod.work.data_set, 0, std::numeric_limits<std::uint32_t>::max()};
}

// A Spark driver whose properties are to say how many executors it will have. Its kubelet waits for them, too.
inline bool awaits_size(const PodRecord& pod) {
  return pod.own.driver && !pod.own.tasks && !pod.size && !pod.properties_from.empty();
}

// As people know the job, by an annotation or a framework's mark; empty: as its owner or the pod itself is called. The
// name of a PodGroup is made up where the pods have an owner.
inline std::string given_job_name(const PodRecord& pod) {
  return pod.owner && pod.work.job == pod.work.group ? "" : pod.work.job;
}

// Says whether it reads a part of its data set that its application chooses: a peer without a number among the tasks.
inline bool shares_reading(const PodRecord& pod) { return pod.work.peers && !pod.index; }

// Adds a reason why the pod cannot be placed, in words.
inline void add_cause(PodRecord& record, UnschedulableReason reason, const std::string& text) {
  if (record.unschedulable_reason == UnschedulableReason::none) record.unschedulable_reason = reason;
  record.unschedulable_message += (record.unschedulable_message.empty() ? "" : "; ") + text;
}

}  // namespace lips::kubernetes
