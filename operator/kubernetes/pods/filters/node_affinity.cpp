// spec.nodeSelector and required node affinity.
#include <algorithm>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<Obstacle>&) {
  for (const auto& [key, value] : pod.node_selector)
    needs.constraint.required.push_back({key, LabelRequirement::Operator::in, {value}});
  if (!pod.required_affinity) return;
  for (const NodeSelectorTerm& term : *pod.required_affinity) {
    std::vector<LabelRequirement>& added = needs.constraint.any_of.emplace_back();
    for (const Requirement& label : term.labels) added.push_back(in_model(label));
    for (const Requirement& field : term.fields) added.push_back(in_model(field));
  }
  // A term without requirements is met by no node, and so is an affinity without terms.
  if (needs.constraint.any_of.empty()) needs.constraint.any_of.emplace_back();
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  PlacementConstraint labels;
  labels.required = needs.constraint.required;
  labels.any_of = needs.constraint.any_of;
  NodeProfile profile = profile_of(offer.node);
  profile.taints.clear();
  return eligible(labels, profile) ? "" : "do not match the pod's node selector or affinity";
}

}  // namespace

const Filter node_affinity_filter{"node affinity", collect, rejects,
                                  "change the pod's nodeSelector or node affinity, or label nodes to match"};

}  // namespace lips::kubernetes
