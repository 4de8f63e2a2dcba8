// Taints that the pod does not tolerate, or by which the node is about to go.
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"
#include "model/leaving.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t most_tolerations = 200;  // as for node affinity

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<UnschedulableCause>& causes) {
  if (pod.tolerations.size() > most_tolerations) {
    causes.push_back({UnschedulableReason::not_honoured,
                      fmt::format("it has {} tolerations; this scheduler honours up to {}", pod.tolerations.size(),
                                  most_tolerations)});
    return;
  }
  auto& all = needs.constraint.tolerations;
  all.insert(all.end(), pod.tolerations.begin(), pod.tolerations.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  const Taint* taint = untolerated_taint(needs.constraint, offer.profile);
  if (!taint) return "";
  return fmt::format("node(s) {} taint {{{}: {}}}", says_node_leaves(*taint) ? "are about to go by" : "had untolerated",
                     taint->key, taint->value);
}

}  // namespace

const Filter taint_filter{"taints", collect, rejects, "add a toleration to the pod or remove the taint"};

}  // namespace lips::kubernetes
