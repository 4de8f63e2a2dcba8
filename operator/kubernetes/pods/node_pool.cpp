#include "kubernetes/pods/node_pool.h"

#include <algorithm>
#include <charconv>
#include <limits>

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

// Gte and Lte of Karpenter, which node selectors do not have.
bool as_strict_comparison(std::string_view name, LabelRequirement& rule) {
  if ((name != "Gte" && name != "Lte") || rule.values.size() != 1) return false;
  std::string& text = rule.values[0];
  std::int64_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc{} || end != text.data() + text.size() || limit < 0 || limit > std::numeric_limits<std::int32_t>::max()) return false;
  rule.op = name == "Gte" ? LabelRequirement::Operator::greater : LabelRequirement::Operator::less;
  text = std::to_string(name == "Gte" ? limit - 1 : limit + 1);
  return true;
}

void read_pool_requirement(value json, NodePool& pool) {
  std::string unknown;
  std::int64_t min_values = 0;
  LabelRequirement read = json::requirement(json, unknown, [&](std::string_view key, value content) {
    if (key == "minValues" && !content.is_null()) min_values = content.get_int64();
  });
  if (!unknown.empty() && !as_strict_comparison(unknown, read))
    throw json::Rejected{"spec.template.spec.requirements: found the operator '" + unknown +
                         "'; allowed: In, NotIn, Exists, DoesNotExist, Gt, Lt, and Gte, Lte with one number"};
  if (min_values > 1) pool.min_values[read.key] = std::max(pool.min_values[read.key], min_values);
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
