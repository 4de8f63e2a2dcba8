// spec.nodeSelector and required node affinity.
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

// Every class of pods is compared with every node. What a tenant writes there must not keep the others waiting.
constexpr std::size_t most_requirements = 200, most_values = 1000;

struct Size {
  std::size_t requirements = 0, values = 0;
};
Size size_of(const Pod& pod) {
  Size size{pod.node_selector.size(), pod.node_selector.size()};
  if (!pod.required_affinity) return size;
  for (const NodeSelectorTerm& term : *pod.required_affinity) {
    size.requirements += std::max<std::size_t>(1, term.size());
    for (const LabelRequirement& requirement : term) size.values += requirement.values.size();
  }
  return size;
}

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<UnschedulableCause>& causes) {
  if (const auto [requirements, values] = size_of(pod); requirements > most_requirements || values > most_values) {
    causes.push_back(
        {UnschedulableReason::not_honoured,
         fmt::format("its nodeSelector and required node affinity have {} requirements with {} values; this "
                     "scheduler honours up to {} with {}",
                     requirements, values, most_requirements, most_values)});
    needs.constraint.any_of.emplace_back();  // no node, whoever asks
    return;
  }
  for (const auto& [key, value] : pod.node_selector)
    needs.constraint.required.push_back({key, LabelRequirement::Operator::in, {value}});
  if (!pod.required_affinity) return;
  needs.constraint.any_of = *pod.required_affinity;
  // No node matches a term without requirements, nor an affinity without terms.
  if (needs.constraint.any_of.empty()) needs.constraint.any_of.emplace_back();
}

constexpr const char* words = "node(s) didn't match Pod's node affinity/selector";

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  return matches_labels(needs.constraint, offer.profile) ? "" : words;
}

ProfileSet accepts(const PodNeeds& needs, const EligibleProfiles& profiles) {
  return profiles.matching_labels(needs.constraint);
}

}  // namespace

const Filter node_affinity_filter{
    "node affinity", collect, rejects, "change the pod's nodeSelector or node affinity, or label nodes to match",
    false,           accepts, words};

}  // namespace lips::kubernetes
