#include "kubernetes/pods/node_pool.h"

#include <algorithm>

#include "config/quantities.h"
#include "kubernetes/api/object_fields_json.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

void read_pool_metadata(value json, NodePool& pool) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (json::names_object(key, content, pool.meta)) return;
    if (key == "deletionTimestamp") pool.deleting = !content.is_null();
  });
}

void read_pool_requirement(value json, NodePool& pool) {
  std::string unknown;
  LabelRequirement read = json::requirement(json, unknown);
  if (!unknown.empty())
    throw json::Rejected{"spec.template.spec.requirements: found the operator '" + unknown +
                         "'; allowed: In, NotIn, Exists, DoesNotExist, Gt, Lt"};
  pool.requirements.push_back(std::move(read));
}

void read_node_spec(value json, NodePool& pool) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "requirements") json::each_item(content, [&](value item) { read_pool_requirement(item, pool); });
    if (key == "taints") json::each_item(content, [&](value item) { pool.taints.push_back(json::taint(item)); });
    if (key == "nodeClassRef")
      json::each_field(content, [&](std::string_view part, value inner) {
        if (part == "group") pool.provider = json::text(inner);
      });
  });
}

void read_node_template(value json, NodePool& pool) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "spec") read_node_spec(content, pool);
    if (key == "metadata")
      json::each_field(content, [&](std::string_view part, value inner) {
        if (part == "labels") pool.labels = json::text_map(inner);
      });
  });
}

void read_disruption(value json, NodePool& pool) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key != "consolidateAfter" || content.is_null()) return;
    const std::string_view text = json::text(content);
    pool.consolidate_after = text == "Never" ? std::nullopt : parse_duration(text);
    if (!pool.consolidate_after && text != "Never")
      throw json::Rejected{"spec.disruption.consolidateAfter: found '" + std::string(text) +
                           "'; allowed: a duration, such as 30s, or Never"};
  });
}

void read_pool_spec(value json, NodePool& pool) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "template") read_node_template(content, pool);
    if (key == "disruption") read_disruption(content, pool);
    if (key == "limits") pool.limits = json::amounts(content, "spec.limits");
    if (key == "replicas") pool.fixed = !content.is_null();
    if (key == "weight" && !content.is_null())
      pool.weight = static_cast<std::int32_t>(std::clamp<std::int64_t>(content.get_int64(), 0, 1'000'000));
  });
}

}  // namespace

template <>
struct ObjectFields<NodePool> {
  static constexpr std::string_view kind = "NodePool";
  static void read(std::string_view key, value content, NodePool& pool) {
    if (key == "metadata") read_pool_metadata(content, pool);
    if (key == "spec") read_pool_spec(content, pool);
    if (key != "status") return;
    json::each_field(content, [&](std::string_view part, value inner) {
      if (part == "conditions") json::each_item(inner, [&](value item) { json::read_readiness(item, pool.ready); });
    });
  }
};
template class ObjectDecoder<NodePool>;

}  // namespace lips::kubernetes
