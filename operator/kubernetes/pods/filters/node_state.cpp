// Keeps pods off nodes that are cordoned, not ready or being deleted.
#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

std::string rejects(const PodNeeds&, const Offer& offer) {
  if (offer.node.deleting) return "node(s) are being deleted";
  if (!offer.node.ready) return "node(s) were not ready";
  return offer.node.unschedulable ? "node(s) were unschedulable" : "";
}

}  // namespace

const Filter node_state_filter{"node state",
                               [](const Pod&, const ClaimLookup&, PodNeeds&, std::vector<UnschedulableCause>&) {},
                               rejects, "make nodes ready or uncordon them"};

}  // namespace lips::kubernetes
