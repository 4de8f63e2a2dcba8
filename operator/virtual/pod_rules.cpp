#include "virtual/pod_rules.h"

#include <fmt/format.h>

#include <utility>

#include "kubernetes/api/time_text.h"
#include "virtual/json_patch.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::int64_t usual_grace = 30;

void set_condition(Json& pod, Json condition) {
  Json patch{{"conditions", Json::array({std::move(condition)})}};
  strategic_merge_patch(pod["status"], patch);
}

bool is_gated(const Json& pod) {
  const Json gates = part_in(part_in(pod, "spec"), "schedulingGates");
  return gates.is_array() && !gates.empty();
}

}  // namespace

void begin_pod(Json& pod) {
  pod["status"] = {{"phase", "Pending"}};
  if (is_gated(pod))
    set_condition(pod, {{"type", "PodScheduled"},
                        {"status", "False"},
                        {"reason", "SchedulingGated"},
                        {"message", "Scheduling is blocked due to non-empty scheduling gates"}});
}

std::string hindrance(const Json& pod) {
  const std::string name = text_in(pod["metadata"], "name");
  if (pod["metadata"].contains("deletionTimestamp"))
    return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  if (const std::string there = text_in(part_in(pod, "spec"), "nodeName"); !there.empty())
    return fmt::format("pod {} is already assigned to node \"{}\"", name, there);
  return is_gated(pod) ? fmt::format("pod {} has non-empty .spec.schedulingGates", name) : "";
}

void assign_pod(Json& pod, const Json& binding, TimePoint now) {
  pod["spec"]["nodeName"] = text_in(part_in(binding, "target"), "name");
  for (const char* words : {"annotations", "labels"}) {
    const Json added = part_in(part_in(binding, "metadata"), words);
    if (added.is_object()) pod["metadata"][words].update(added);
  }
  set_condition(pod, {{"type", "PodScheduled"},
                      {"status", "True"},
                      {"reason", nullptr},
                      {"message", nullptr},
                      {"lastTransitionTime", kubernetes::time_text(now)}});
}

void mark_eviction(Json& pod, TimePoint now) {
  set_condition(pod, {{"type", "DisruptionTarget"},
                      {"status", "True"},
                      {"reason", "EvictionByEvictionAPI"},
                      {"message", "Eviction API: evicting"},
                      {"lastTransitionTime", kubernetes::time_text(now)}});
}

std::int64_t grace_of(const Json& pod, std::optional<std::int64_t> wanted) {
  const Json spec = part_in(pod, "spec"), own = part_in(spec, "terminationGracePeriodSeconds");
  const std::string phase = text_in(part_in(pod, "status"), "phase");
  if (text_in(spec, "nodeName").empty() || phase == "Succeeded" || phase == "Failed") return 0;
  return wanted.value_or(own.is_number_integer() ? own.get<std::int64_t>() : usual_grace);
}

}  // namespace lips::virtual_cluster
