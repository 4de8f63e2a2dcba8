// spec.schedulingGates: whoever set them removes them when the pod may be scheduled.
#include <fmt/format.h>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds&, std::vector<UnschedulableCause>& causes) {
  if (!pod.gates.empty())
    causes.push_back(
        {UnschedulableReason::scheduling_gated, fmt::format("waits for the scheduling gate {}", pod.gates.front())});
}

std::string rejects(const PodNeeds&, const Offer&) { return ""; }

}  // namespace

const Filter scheduling_gate_filter{"scheduling gates", collect, rejects, ""};

}  // namespace lips::kubernetes
