// Decides whether a pod may run on a node: one filter for each condition, in its own file, all of them in one table. A
// filter expresses needs of a pod in terms of the model, and says why a node is unsuitable. Knows no dollars and no
// data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/filters/unschedulable_reason.h"
#include "model/eligible_profiles.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Where a claim's volume can be reached. find() returns nullptr for an unknown claim.
struct ClaimedVolume {
  std::string why_not;                                    // it has none and gets none
  bool on_first_use = false;                              // it gets one once a node is chosen
  std::vector<std::vector<LabelRequirement>> node_terms;  // that reach its volume, or where it gets one; empty: all
  std::string driver;                                     // CSI driver that attaches the volume; empty: none
  bool exclusive = false;                                 // ReadWriteOncePod: for one pod at a time
  std::string owner;                                      // uid of the claim's controller; empty: none
};

class ClaimLookup {
 public:
  virtual ~ClaimLookup() = default;
  virtual const ClaimedVolume* find(const std::string& name_space, const std::string& claim) const = 0;
};

// A reason why a pod must not be placed for now; the text is for the pod's condition.
struct UnschedulableCause {
  UnschedulableReason reason;
  std::string text;
};

// Prefix of the resource that limits how many volumes a CSI driver may attach to a node; the driver's name follows. A
// node that lists no such resource has no limit.
inline constexpr std::string_view volumes_of_driver = "attachable-volumes-csi-";

// Everything that a pod needs of its node. Policies cannot tell apart pods with equal needs.
struct PodNeeds {
  ResourceAmounts requests;
  PlacementConstraint constraint;
  // Domains that hold a pod with required anti-affinity against this one.
  std::vector<LabelRequirement> excluded;

  // The whole condition on a node's labels and taints.
  PlacementConstraint placement() const;
  friend auto operator<=>(const PodNeeds&, const PodNeeds&) = default;
};

struct Offer {  // a node as filters see it
  const Node& node;
  const NodeProfile& profile;
  const ResourceAmounts& taken;  // of its allocatable resources; "pods" is their number
};
// The free amount of a resource.
std::int64_t left_of(const Offer& offer, const std::string& resource);
// Names the lack of a resource on a node: "Insufficient memory".
std::string lacking(const std::string& resource);

struct Filter {
  std::string_view name;
  // Adds the needs of the pod in this respect to `needs`, and reasons not to place it now to `causes`.
  void (*collect)(const Pod& pod, const ClaimLookup& claims, PodNeeds& needs, std::vector<UnschedulableCause>& causes);
  // In the words of kube-scheduler: "Insufficient memory"; empty: the node is suitable.
  std::string (*rejects)(const PodNeeds& needs, const Offer& offer);
  // Advice for a person.
  std::string_view advice;
  bool by_node = false;  // depends on more than the node's profile and state
  // All profiles that the filter accepts at once, where it has the same words for all others; none: ask one by one.
  ProfileSet (*accepts)(const PodNeeds& needs, const EligibleProfiles& profiles) = nullptr;
  std::string_view words = {};
};

// In the order in which they are tried on a node: the diagnosis names the first that rejects it.
std::span<const Filter> filters();
// The words of the first filter that rejects the node; empty: the node is suitable.
std::string why_rejected(const PodNeeds& needs, const Node& node, const ResourceAmounts& taken);

extern const Filter node_state_filter, node_affinity_filter, taint_filter, volume_topology_filter, anti_affinity_filter,
    resource_filter, scheduling_gate_filter, not_honoured_filter;

// The key of a node's name among the labels of its NodeProfile; matchFields refers to it.
inline constexpr const char* node_name_key = "metadata.name";
// All labels of the node, with its name, and its taints.
NodeProfile profile_of(const Node& node);

}  // namespace lips::kubernetes
