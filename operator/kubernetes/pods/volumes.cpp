#include "kubernetes/pods/volumes.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>

#include "kubernetes/api/json_fields.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

void read_meta(value json, ObjectMeta& meta, TextMap* labels, bool* deleting) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "namespace") meta.name_space = json::text(content);
    if (key == "name") meta.name = json::text(content);
    if (key == "uid") meta.uid = json::text(content);
    if (key == "resourceVersion") meta.resource_version = json::text(content);
    if (key == "labels" && labels) *labels = json::text_map(content, "topology.kubernetes.io/");
    if (key == "deletionTimestamp" && deleting) *deleting = !content.is_null();
  });
}

NodeSelectorTerm read_term(value json) {
  std::string unknown;
  NodeSelectorTerm term = json::node_selector_term(json, unknown);
  if (!unknown.empty()) throw json::Rejected{"spec.nodeAffinity: operator " + unknown};
  return term;
}

// The drivers that replaced the former in-tree volume plugins of Kubernetes.
std::string_view driver_of(std::string_view source) {
  if (source == "awsElasticBlockStore") return "ebs.csi.aws.com";
  if (source == "gcePersistentDisk") return "pd.csi.storage.gke.io";
  if (source == "azureDisk") return "disk.csi.azure.com";
  return source == "cinder" ? "cinder.csi.openstack.org" : "";
}

void read_volume_source(std::string_view source, value content, Volume& volume) {
  if (content.is_null()) return;
  if (const std::string_view driver = driver_of(source); !driver.empty()) volume.driver = driver;
  if (source != "csi") return;
  json::each_field(content, [&](std::string_view name, value field) {
    if (name == "driver") volume.driver = json::text(field);
  });
}

void read_node_affinity(value json, Volume& volume) {
  json::each_field(json, [&](std::string_view part, value required) {
    if (part != "required") return;
    json::each_field(required, [&](std::string_view field, value terms) {
      if (field == "nodeSelectorTerms")
        json::each_item(terms, [&](value term) { volume.required.push_back(read_term(term)); });
    });
  });
}

void read_driver(value json, CsiNode& node) {
  std::string name;
  std::optional<std::int64_t> count;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "name") name = json::text(content);
    if (key != "allocatable") return;
    json::each_field(content, [&](std::string_view field, value number) {
      if (field == "count" && !number.is_null()) count = std::int64_t(number.get_int64());
    });
  });
  if (count) node.most_volumes[name] = *count;
}

// Runs `read` on every top-level field; the error names the object.
template <class Text, class Object, class Read>
Result<Object> decoded(Text& text, std::string_view json, std::string_view kind, Object object, Read read) {
  const auto refuse = [&](std::string_view what) {
    const std::string name = object.meta.name.empty() ? "without a name" : full_name(object.meta);
    return fail(ErrorCode::invalid_input, std::string(kind) + ' ' + name + ": " + std::string(what));
  };
  try {
    auto document = text.document(json, simdjson::SIMDJSON_PADDING);
    json::each_field(document, [&](std::string_view key, value content) { read(key, content, object); });
    if (object.meta.name.empty()) return refuse("metadata.name: found nothing; allowed: a name");
    return object;
  } catch (const simdjson::simdjson_error& error) {
    return refuse(error.what());
  } catch (const json::Rejected& rejected) {
    return refuse(rejected.what);
  }
}

}  // namespace

using Text = json::PaddedText<simdjson::ondemand::parser>;

struct ClaimDecoder::Working {
  Text text;
};
struct VolumeDecoder::Working {
  Text text;
};
struct StorageClassDecoder::Working {
  Text text;
};
struct CsiNodeDecoder::Working {
  Text text;
};

ClaimDecoder::ClaimDecoder() : working_(std::make_unique<Working>()) {}
ClaimDecoder::~ClaimDecoder() = default;
VolumeDecoder::VolumeDecoder() : working_(std::make_unique<Working>()) {}
VolumeDecoder::~VolumeDecoder() = default;
StorageClassDecoder::StorageClassDecoder() : working_(std::make_unique<Working>()) {}
StorageClassDecoder::~StorageClassDecoder() = default;
CsiNodeDecoder::CsiNodeDecoder() : working_(std::make_unique<Working>()) {}
CsiNodeDecoder::~CsiNodeDecoder() = default;

Result<Claim> ClaimDecoder::decode(std::string_view json) {
  return decoded(working_->text, json, "claim", Claim{}, [](std::string_view key, value content, Claim& claim) {
    if (key == "metadata") read_meta(content, claim.meta, nullptr, &claim.deleting);
    if (key == "spec")
      json::each_field(content, [&](std::string_view name, value field) {
        if (name == "volumeName") claim.volume = json::text(field);
        if (name == "storageClassName") claim.storage_class = json::text(field);
        if (name == "accessModes")
          json::each_item(field, [&](value mode) { claim.exclusive |= json::text(mode) == "ReadWriteOncePod"; });
      });
    if (key == "status")
      json::each_field(content, [&](std::string_view name, value field) {
        if (name == "phase") claim.bound = json::text(field) == "Bound";
      });
  });
}

Result<Volume> VolumeDecoder::decode(std::string_view json) {
  return decoded(working_->text, json, "volume", Volume{}, [](std::string_view key, value content, Volume& volume) {
    if (key == "metadata") read_meta(content, volume.meta, &volume.labels, nullptr);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view name, value part) {
      if (name == "nodeAffinity")
        read_node_affinity(part, volume);
      else
        read_volume_source(name, part, volume);
    });
  });
}

Result<StorageClass> StorageClassDecoder::decode(std::string_view json) {
  return decoded(working_->text, json, "storage class", StorageClass{},
                 [](std::string_view key, value content, StorageClass& found) {
                   if (key == "metadata") read_meta(content, found.meta, nullptr, nullptr);
                   if (key == "volumeBindingMode")
                     found.waits_for_consumer = json::text(content) == "WaitForFirstConsumer";
                 });
}

Result<CsiNode> CsiNodeDecoder::decode(std::string_view json) {
  return decoded(working_->text, json, "CSINode", CsiNode{}, [](std::string_view key, value content, CsiNode& node) {
    if (key == "metadata") read_meta(content, node.meta, nullptr, nullptr);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view name, value drivers) {
      if (name == "drivers") json::each_item(drivers, [&](value driver) { read_driver(driver, node); });
    });
  });
}

ResourceAmounts volume_limits(const CsiNode& node) {
  ResourceAmounts limits;
  for (const auto& [driver, most] : node.most_volumes)
    limits.emplace_back(std::string(volumes_of_driver) + driver, most);
  return limits;
}

void VolumeCache::update(Claim claim) {
  const std::string key = full_name(claim.meta);
  join(claim);
  claims_[key] = std::move(claim);
}

void VolumeCache::update(Volume volume) {
  const std::string name = volume.meta.name;
  volumes_[name] = std::move(volume);
  if (const auto claim = claim_of_.find(name); claim != claim_of_.end())
    if (const auto known = claims_.find(claim->second); known != claims_.end()) join(known->second);
}

void VolumeCache::update(StorageClass storage_class) {
  waits_for_consumer_[storage_class.meta.name] = storage_class.waits_for_consumer;
  join_of_class(storage_class.meta.name);
}

void VolumeCache::forget_class(const ObjectMeta& meta) {
  waits_for_consumer_.erase(meta.name);
  join_of_class(meta.name);
}

void VolumeCache::join_of_class(const std::string& storage_class) {
  for (const auto& [key, claim] : claims_)
    if (!claim.bound && claim.storage_class == storage_class) join(claim);
}

void VolumeCache::forget_claim(const ObjectMeta& meta) {
  const std::string key = full_name(meta);
  if (const auto claim = claims_.find(key); claim != claims_.end()) {
    claim_of_.erase(claim->second.volume);
    claims_.erase(claim);
  }
  joined_.erase(key);
}

void VolumeCache::forget_volume(const ObjectMeta& meta) {
  volumes_.erase(meta.name);
  if (const auto claim = claim_of_.find(meta.name); claim != claim_of_.end())
    if (const auto known = claims_.find(claim->second); known != claims_.end()) join(known->second);
}

// The reason, and a remedy.
std::string VolumeCache::why_not_bound(const Claim& claim) const {
  if (claim.deleting) return "is being deleted";
  if (!claim.bound || claim.volume.empty()) {
    const auto known = waits_for_consumer_.find(claim.storage_class);
    if (known != waits_for_consumer_.end() && known->second)
      return fmt::format(
          "gets its volume only when a scheduler has chosen a node (WaitForFirstConsumer of StorageClass '{}'), which "
          "this scheduler does not do yet: use a StorageClass with volumeBindingMode Immediate, or another scheduler",
          claim.storage_class);
    return "is not bound to a volume yet";
  }
  return volumes_.contains(claim.volume) ? "" : "is bound to a volume that does not exist";
}

void VolumeCache::join(const Claim& claim) {
  ClaimedVolume& joined = joined_[full_name(claim.meta)];
  joined = {};
  joined.exclusive = claim.exclusive;
  if (!claim.volume.empty()) claim_of_[claim.volume] = full_name(claim.meta);
  joined.why_not = why_not_bound(claim);
  if (!joined.why_not.empty()) return;
  joined.bound = true;
  const Volume& volume = volumes_.at(claim.volume);
  joined.driver = volume.driver;
  joined.node_terms = volume.required;
  if (!joined.node_terms.empty() || volume.labels.empty()) return;
  std::vector<LabelRequirement>& added = joined.node_terms.emplace_back();
  for (const auto& [key, text] : volume.labels) added.push_back({key, LabelRequirement::Operator::in, {text}});
}

const ClaimedVolume* VolumeCache::find(const std::string& name_space, const std::string& claim) const {
  const auto found = joined_.find(name_space + '/' + claim);
  return found == joined_.end() ? nullptr : &found->second;
}

}  // namespace lips::kubernetes
