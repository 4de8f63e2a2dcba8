// What decides whether a pod may run on a node: one condition, one file, all of them in one table. A filter says what a
// pod asks for in the model's words, and of a node why it does not do. Knows no dollars and no other pod's data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/filters/unschedulable_reason.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Where a claim's volume can be reached; `nullptr` from find(): nobody knows the claim.
struct ClaimedVolume {
  bool bound = false;
  std::string why_not;                                    // of a claim that is not bound
  std::vector<std::vector<LabelRequirement>> node_terms;  // of its volume; empty: everywhere
  std::string driver;                                     // that attaches the volume to a node; empty: none does
  bool exclusive = false;                                 // ReadWriteOncePod: for one pod at a time
};

class ClaimLookup {
 public:
  virtual ~ClaimLookup() = default;
  virtual const ClaimedVolume* find(const std::string& name_space, const std::string& claim) const = 0;
};

// Why a pod is not placed at all for now; the text is for the pod's condition.
struct UnschedulableCause {
  UnschedulableReason reason;
  std::string text;
};

// How many volumes a CSI driver may attach to a node: beside other resources, with this before the driver's name. A
// node that lists no such resource has no limit.
inline constexpr std::string_view volumes_of_driver = "attachable-volumes-csi-";

// All that a pod asks for. Pods that ask for the same are alike to policies.
struct PodNeeds {
  ResourceAmounts requests;
  PlacementConstraint constraint;
  // Domains that hold a pod with required anti-affinity against this one.
  std::vector<LabelRequirement> excluded;

  // All of it that is asked of a node's labels and taints.
  PlacementConstraint placement() const;
  friend auto operator<=>(const PodNeeds&, const PodNeeds&) = default;
};

struct Offer {  // a node as filters see it
  const Node& node;
  const NodeProfile& profile;
  const ResourceAmounts& taken;  // of its allocatable resources; "pods" is their number
};
// What is left of a resource.
std::int64_t left_of(const Offer& offer, const std::string& resource);
// The words for a node on which too little is left of it.
std::string lacking(const std::string& resource);

struct Filter {
  std::string_view name;
  // Adds to `needs` what the pod asks for in this respect, and to `causes` why it must not be placed for now.
  void (*collect)(const Pod& pod, const ClaimLookup& claims, PodNeeds& needs, std::vector<UnschedulableCause>& causes);
  // As kube-scheduler says it: "Insufficient memory"; empty: the node will do.
  std::string (*rejects)(const PodNeeds& needs, const Offer& offer);
  // What a person can do about it.
  std::string_view advice;
  bool by_node = false;  // asks more of the node than its profile and its state
};

// In the order in which a node is tried: the first that rejects it is named.
std::span<const Filter> filters();

extern const Filter node_state_filter, node_affinity_filter, taint_filter, volume_topology_filter, anti_affinity_filter,
    resource_filter, scheduling_gate_filter, not_honoured_filter;

// Key under which a node's name stands among its labels in NodeProfile: what matchFields compare.
inline constexpr const char* node_name_key = "metadata.name";
// All labels of the node, with its name, and its taints.
NodeProfile profile_of(const Node& node);

}  // namespace lips::kubernetes
