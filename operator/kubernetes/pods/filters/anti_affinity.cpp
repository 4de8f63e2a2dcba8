// Pods with required anti-affinity against this one keep it out of their domains, whoever placed them. The pod cache,
// which knows all pods, finds these domains.
#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

constexpr const char* words = "node(s) didn't satisfy existing pods anti-affinity rules";

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  return meets_all(needs.excluded, offer.profile) ? "" : words;
}

ProfileSet accepts(const PodNeeds& needs, const EligibleProfiles& profiles) {
  return profiles.meeting_all(needs.excluded);
}

}  // namespace

const Filter anti_affinity_filter{"anti-affinity of other pods",
                                  [](const Pod&, const ClaimLookup&, PodNeeds&, std::vector<UnschedulableCause>&) {},
                                  rejects,
                                  "add nodes, or change the anti-affinity of the pods that are there",
                                  false,
                                  accepts,
                                  words};

}  // namespace lips::kubernetes
