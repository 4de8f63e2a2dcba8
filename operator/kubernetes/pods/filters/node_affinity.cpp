// spec.nodeSelector and required node affinity.
#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<UnschedulableCause>&) {
  for (const auto& [key, value] : pod.node_selector)
    needs.constraint.required.push_back({key, LabelRequirement::Operator::in, {value}});
  if (!pod.required_affinity) return;
  needs.constraint.any_of = *pod.required_affinity;
  // No node matches a term without requirements, nor an affinity without terms.
  if (needs.constraint.any_of.empty()) needs.constraint.any_of.emplace_back();
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  return matches_labels(needs.constraint, offer.profile) ? "" : "node(s) didn't match Pod's node affinity/selector";
}

}  // namespace

const Filter node_affinity_filter{"node affinity", collect, rejects,
                                  "change the pod's nodeSelector or node affinity, or label nodes to match"};

}  // namespace lips::kubernetes
