// Fields that kube-scheduler honours and this scheduler does not yet: the pod gets a message instead of a wrong node.
#include <fmt/format.h>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds&, std::vector<UnschedulableCause>& causes) {
  const auto refuse = [&](const std::string& field) {
    causes.push_back({UnschedulableReason::not_honoured, fmt::format("this scheduler does not honour {} yet", field)});
  };
  for (const std::string& field : pod.not_understood) refuse(field);
  for (const std::string& field : pod.malformed) causes.push_back({UnschedulableReason::bad_annotation, field});
  if (!pod.host_ports.empty()) refuse("spec.containers.ports.hostPort");
}

std::string rejects(const PodNeeds&, const Offer&) { return ""; }

}  // namespace

const Filter not_honoured_filter{"not honoured yet", collect, rejects,
                                 "use another scheduler for this pod or remove the field"};

}  // namespace lips::kubernetes
