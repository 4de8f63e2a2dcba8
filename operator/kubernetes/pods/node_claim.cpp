#include "kubernetes/pods/node_claim.h"

#include "kubernetes/api/object_fields_json.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

void read_claim_metadata(value json, NodeClaim& claim) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (json::names_object(key, content, claim.meta)) return;
    if (key == "creationTimestamp") claim.created = json::time(content, "metadata.creationTimestamp");
    if (key == "deletionTimestamp") claim.deleting = !content.is_null();
    if (key == "labels") claim.labels = json::text_map(content);
  });
}

void read_claim_status(value json, NodeClaim& claim) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "providerID") claim.provider_id = json::text(content);
    if (key == "allocatable") claim.allocatable = json::amounts(content, "status.allocatable");
    if (key == "conditions")
      json::each_item(content, [&](value item) { json::read_condition(item, "Initialized", claim.initialized); });
  });
}

}  // namespace

template <>
struct ObjectFields<NodeClaim> {
  static constexpr std::string_view kind = "NodeClaim";
  static void read(std::string_view key, value content, NodeClaim& claim) {
    if (key == "metadata") read_claim_metadata(content, claim);
    if (key == "status") read_claim_status(content, claim);
  }
};
template class ObjectDecoder<NodeClaim>;

}  // namespace lips::kubernetes
