// The parts of Kubernetes objects that the operator reads, as plain values; it keeps nothing else. Knows no JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Sorted by key.
using TextMap = std::vector<std::pair<std::string, std::string>>;
const std::string* find_text(const TextMap& map, std::string_view key);

// "cpu" in thousandths of a core, everything else in units (bytes, pieces), rounded up. Sorted by name.
using ResourceAmounts = std::vector<std::pair<std::string, std::int64_t>>;
std::int64_t amount_of(const ResourceAmounts& amounts, std::string_view resource);

// An annotation of a pod: Karpenter does not evict it, and waits for it when it ends its node.
inline constexpr const char* do_not_disrupt_annotation = "karpenter.sh/do-not-disrupt";

// Identifies an object and its version. `name_space` is empty for cluster-scoped objects such as nodes.
struct ObjectMeta {
  std::string name_space, name, uid, resource_version;
  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};
// "namespace/name", or the name alone.
std::string full_name(const ObjectMeta& meta);

// All requirements have to hold. One from matchFields has the name of the field as its key: metadata.name.
using NodeSelectorTerm = std::vector<LabelRequirement>;

// One term of required anti-affinity: no selected pod may run in the same domain as the pod that has the term.
struct AntiAffinityTerm {
  std::string topology_key;
  std::optional<std::vector<LabelRequirement>> selector;  // none: selects no pod; empty: every pod
  // It is about pods of these namespaces and of those whose labels meet the selector. Neither: of its own pod's.
  std::vector<std::string> namespaces;                              // sorted
  std::optional<std::vector<LabelRequirement>> namespace_selector;  // none: no further namespace; empty: every one
  friend auto operator<=>(const AntiAffinityTerm&, const AntiAffinityTerm&) = default;
};

struct Owner {
  std::string kind, name, uid;
  std::string api_version = {};  // "batch/v1": a Volcano Job is a Job too, of another group
  bool is_batch_job() const { return kind == "Job" && api_version.starts_with("batch/"); }
  bool is_pod() const { return kind == "Pod" && api_version == "v1"; }
  // A kubelet owns the pods that its machine's files describe.
  bool has_one_on_each_node() const { return kind == "DaemonSet" || kind == "Node"; }
};

struct HostPort {
  std::int32_t port = 0;
  std::string protocol;  // TCP, UDP, SCTP
  std::string address;   // empty: all
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };
constexpr bool has_ended(PodPhase phase) { return phase == PodPhase::succeeded || phase == PodPhase::failed; }
enum class ConditionStatus : std::uint8_t { unknown, no, yes };

struct Condition {
  ConditionStatus status = ConditionStatus::unknown;
  std::string reason, message;
  TimePoint since;  // lastTransitionTime
};

struct Pod {
  ObjectMeta meta;
  PodPhase phase = PodPhase::pending;
  bool deleting = false;
  std::int32_t priority = 0;
  bool preempts = true;  // preemptionPolicy, as admission fills it in from the PriorityClass
  std::string priority_class;
  std::optional<std::int32_t> completion_index;  // of an Indexed Job
  std::string node;                              // empty: not bound
  std::string scheduler;
  std::string nominated;  // the node on which preemption made room for it, until it is bound
  // Counted as kube-scheduler does: with init containers, sidecars, overhead, and an in-place resize that was granted
  // or is pending.
  ResourceAmounts requests;
  TextMap annotations;  // those under lips.dev/
  TextMap labels;
  std::int64_t generation = 0;
  std::optional<Owner> owner;  // the controller
  std::vector<std::string> gates;
  std::vector<Toleration> tolerations;
  TextMap node_selector;
  // One of the terms has to hold. Absent: no condition; present but empty: no node fits.
  std::optional<std::vector<NodeSelectorTerm>> required_affinity;
  bool prefers_nodes = false;                   // has preferred node affinity
  std::vector<AntiAffinityTerm> anti_affinity;  // required
  std::vector<HostPort> host_ports;
  std::vector<std::string> claims;      // persistent volume claims
  std::vector<std::string> own_claims;  // of these, those that are made for its ephemeral volumes
  std::string properties_from;          // the ConfigMap with the properties of a Spark driver
  std::string group;                    // its PodGroup; empty: none
  // Fields that constrain where the pod may run and that we do not understand: we must not place it.
  std::vector<std::string> not_understood;
  // Fields and annotations with malformed values: we must not place the pod, but it counts on its node.
  std::vector<std::string> malformed;
  Condition scheduled;  // PodScheduled
  bool ready = false;
  TimePoint created;
  std::optional<TimePoint> started;   // status.startTime
  std::optional<TimePoint> finished;  // when its last container ended, if it succeeded or failed
  std::string address, node_address;  // of the network
};

struct Node {
  ObjectMeta meta;
  bool deleting = false;
  bool unschedulable = false;  // cordoned
  bool ready = false;
  TextMap labels;
  TextMap annotations;  // those under lips.dev/
  ResourceAmounts allocatable;
  std::vector<Taint> taints;
  TextMap conditions;  // that hold, beside Ready: types with messages
  std::string provider_id, internal_address;
  TimePoint created;
};

}  // namespace lips::kubernetes
