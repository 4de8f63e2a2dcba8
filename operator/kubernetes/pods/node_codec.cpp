#include <algorithm>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/object_fields_json.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

void read_metadata(value json, Node& node) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (json::names_object(key, content, node.meta)) return;
    if (key == "creationTimestamp") node.created = json::time(content, "metadata.creationTimestamp");
    if (key == "deletionTimestamp") node.deleting = !content.is_null();
    if (key == "labels") node.labels = json::text_map(content);
    if (key == "annotations") node.annotations = json::text_map(content, "lips.dev/");
  });
}

void read_spec(value json, Node& node) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "unschedulable") node.unschedulable = !content.is_null() && content.get_bool();
    if (key == "providerID") node.provider_id = json::text(content);
    if (key == "taints") json::each_item(content, [&](value item) { node.taints.push_back(json::taint(item)); });
  });
}

void read_address(value json, Node& node) {
  bool internal = false;
  std::string address;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "type") internal = json::text(content) == "InternalIP";
    if (key == "address") address = json::text(content);
  });
  if (internal && node.internal_address.empty()) node.internal_address = address;
}

void read_condition(value json, Node& node) {
  std::string type, message;
  bool holds = false;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "type") type = json::text(content);
    if (key == "message") message = json::text(content);
    if (key == "status") holds = json::condition_status(json::text(content)) == ConditionStatus::yes;
  });
  if (type == "Ready")
    node.ready = holds;
  else if (holds)
    node.conditions.emplace_back(std::move(type), std::move(message));
}

void read_status(value json, Node& node) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "allocatable") node.allocatable = json::amounts(content, "status.allocatable");
    if (key == "conditions") json::each_item(content, [&](value item) { read_condition(item, node); });
    if (key == "addresses") json::each_item(content, [&](value item) { read_address(item, node); });
  });
  std::sort(node.conditions.begin(), node.conditions.end());
}

}  // namespace

template <>
struct ObjectFields<Node> {
  static constexpr std::string_view kind = "node";
  static void read(std::string_view key, value content, Node& node) {
    if (key == "metadata") read_metadata(content, node);
    if (key == "spec") read_spec(content, node);
    if (key == "status") read_status(content, node);
  }
};
template class ObjectDecoder<Node>;

}  // namespace lips::kubernetes
