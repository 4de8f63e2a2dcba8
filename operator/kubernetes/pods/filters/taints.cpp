// Taints that the pod does not tolerate.
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<UnschedulableCause>&) {
  auto& all = needs.constraint.tolerations;
  all.insert(all.end(), pod.tolerations.begin(), pod.tolerations.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  const Taint* taint = untolerated_taint(needs.constraint, offer.profile);
  return taint ? fmt::format("node(s) had untolerated taint {{{}: {}}}", taint->key, taint->value) : "";
}

}  // namespace

const Filter taint_filter{"taints", collect, rejects, "add a toleration to the pod or remove the taint"};

}  // namespace lips::kubernetes
