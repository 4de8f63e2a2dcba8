// What decides whether a pod may run on a node: one condition, one file, all of them in one table. A filter says what a
// pod asks for in the model's words, and of a node why it does not do. Knows no dollars and no other pod's data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api/objects.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Where a claim's volume can be reached; `nullptr` from find(): nobody knows the claim.
struct ClaimedVolume {
  bool bound = false;
  std::string why_not;                                    // of a claim that is not bound
  std::vector<std::vector<LabelRequirement>> node_terms;  // of its volume; empty: everywhere
};

class ClaimLookup {
 public:
  virtual ~ClaimLookup() = default;
  virtual const ClaimedVolume* find(const std::string& name_space, const std::string& claim) const = 0;
};

// Why a pod is not placed at all for now; the text is for the pod's condition.
struct Obstacle {
  std::string_view reason;  // one word, as a condition has it
  std::string text;
};
inline constexpr std::string_view not_honoured = "NotHonoured";
inline constexpr std::string_view scheduling_gated = "SchedulingGated";
inline constexpr std::string_view volume_not_ready = "VolumeNotReady";

// All that a pod asks for. Pods that ask for the same are alike to policies.
struct PodNeeds {
  ResourceAmounts requests;
  PlacementConstraint constraint;
  friend auto operator<=>(const PodNeeds&, const PodNeeds&) = default;
};

struct Offer {  // a node as filters see it
  const Node& node;
  const ResourceAmounts& taken;  // of its allocatable resources; "pods" is their number
};

struct Filter {
  std::string_view name;
  // Adds what the pod asks for in this respect to `needs`, and what keeps it from being placed to `obstacles`.
  void (*collect)(const Pod& pod, const ClaimLookup& claims, PodNeeds& needs, std::vector<Obstacle>& obstacles);
  // "too little memory"; empty: the node will do.
  std::string (*rejects)(const PodNeeds& needs, const Offer& offer);
  // What a person can do about it.
  std::string_view advice;
};

// In the order in which a node is tried: the first that rejects it is named.
std::span<const Filter> filters();

extern const Filter node_state_filter, node_affinity_filter, taint_filter, volume_topology_filter, resource_filter,
    scheduling_gate_filter, not_honoured_filter;

// Key under which a node's name stands among its labels in NodeProfile: what matchFields compare.
inline constexpr const char* node_name_key = "metadata.name";
// All labels of the node, with its name, and its taints.
NodeProfile profile_of(const Node& node);
LabelRequirement in_model(const Requirement& requirement);

}  // namespace lips::kubernetes
