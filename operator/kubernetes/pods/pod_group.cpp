#include "kubernetes/pods/pod_group.h"

#include <string>

#include "kubernetes/api/object_fields_json.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

constexpr std::int64_t most_pods = 1'000'000'000;

void read_policy(value json, PodGroup& group) {
  bool known = false;
  json::each_field(json, [&](std::string_view kind, value policy) {
    if (policy.is_null()) return;
    known |= kind == "basic";
    if (kind != "gang") return;
    json::each_field(policy, [&](std::string_view key, value content) {
      if (key != "minCount") return;
      const std::int64_t count = content.get_int64();
      if (count < 1 || count > most_pods)
        throw json::Rejected{"spec.schedulingPolicy.gang.minCount: found " + std::to_string(count) +
                             "; allowed: 1 to 1e9"};
      group.gang = static_cast<std::int32_t>(count);
      known = true;
    });
  });
  if (!known) throw json::Rejected{"spec.schedulingPolicy: found neither basic nor gang with a minCount"};
}

bool any_item(value list) {
  bool any = false;
  json::each_item(list, [&](value) { any = true; });
  return any;
}

void read_group_spec(value json, PodGroup& group) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "schedulingPolicy") read_policy(content, group);
    if (key == "resourceClaims" && any_item(content)) group.not_understood.emplace_back("spec.resourceClaims");
    // A group of groups, which start together.
    if (key == "parentCompositePodGroupName" && !content.is_null() && !json::text(content).empty())
      group.not_understood.emplace_back("spec.parentCompositePodGroupName");
    if (key != "schedulingConstraints") return;
    json::each_field(content, [&](std::string_view kind, value constraints) {
      if (any_item(constraints)) group.not_understood.push_back("spec.schedulingConstraints." + std::string(kind));
    });
  });
}

}  // namespace

template <>
struct ObjectFields<PodGroup> {
  static constexpr std::string_view kind = "PodGroup";
  static void read(std::string_view key, value content, PodGroup& group) {
    if (key == "metadata")
      json::each_field(content,
                       [&](std::string_view part, value inner) { json::names_object(part, inner, group.meta); });
    if (key == "spec") read_group_spec(content, group);
  }
};
template class ObjectDecoder<PodGroup>;

}  // namespace lips::kubernetes
