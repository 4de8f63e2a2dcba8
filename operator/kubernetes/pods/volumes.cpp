#include "kubernetes/pods/volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kubernetes/api/object_fields_json.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";

void read_selected_node(value annotations, std::string& node) {
  json::each_field(annotations, [&](std::string_view name, value text) {
    if (name == selected_node_annotation) node = json::text(text);
  });
}

void read_controller(value owners, std::string& uid) {
  json::each_item(owners, [&](value owner) {
    std::string of_owner;
    bool controls = false;
    json::each_field(owner, [&](std::string_view name, value content) {
      if (name == "uid") of_owner = json::text(content);
      if (name == "controller") controls = !content.is_null() && content.get_bool();
    });
    if (controls) uid = std::move(of_owner);
  });
}

struct MoreOfMeta {
  TextMap* labels = nullptr;
  bool* deleting = nullptr;
  std::string* selected_node = nullptr;
  std::string* controller = nullptr;
};

void read_meta(value json, ObjectMeta& meta, const MoreOfMeta& more = {}) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (json::names_object(key, content, meta)) return;
    if (key == "labels" && more.labels) *more.labels = json::text_map(content);
    if (key == "deletionTimestamp" && more.deleting) *more.deleting = !content.is_null();
    if (key == "annotations" && more.selected_node) read_selected_node(content, *more.selected_node);
    if (key == "ownerReferences" && more.controller) read_controller(content, *more.controller);
  });
}

std::int64_t read_storage(value json, std::string_view field) {
  return amount_of(json::amounts(json, field), "storage");
}

std::vector<LabelRequirement> read_selector(std::string_view where, value json) {
  std::string unknown;
  std::vector<LabelRequirement> selector;
  json::each_field(json, [&](std::string_view key, value part) {
    if (key == "matchLabels")
      for (const auto& [label, text] : json::text_map(part))
        selector.push_back({label, LabelRequirement::Operator::in, {text}});
    if (key == "matchExpressions")
      json::each_item(part, [&](value item) { selector.push_back(json::requirement(item, unknown)); });
  });
  if (!unknown.empty()) throw json::Rejected{fmt::format("{}: operator {}", where, unknown)};
  return selector;
}

void read_claim_spec(std::string_view name, value field, Claim& claim) {
  if (name == "volumeName") claim.volume = json::text(field);
  if (name == "storageClassName") claim.storage_class = json::text(field);
  if (name == "accessModes") {
    claim.access_modes = json::texts(field);
    claim.exclusive =
        std::find(claim.access_modes.begin(), claim.access_modes.end(), "ReadWriteOncePod") != claim.access_modes.end();
  }
  if (name == "volumeMode") claim.block = json::text(field) == "Block";
  if (name == "selector" && !field.is_null()) claim.selector = read_selector("spec.selector", field);
  if (name == "resources")
    json::each_field(field, [&](std::string_view part, value amounts) {
      if (part == "requests") claim.size = read_storage(amounts, "spec.resources.requests");
    });
}

void read_claim_of(value json, Volume& volume) {
  std::string name_space, name;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "namespace") name_space = json::text(content);
    if (key == "name") name = json::text(content);
    if (key == "uid") volume.claim_uid = json::text(content);
  });
  if (!name.empty()) volume.claim = name_space + '/' + name;
}

bool is_in_phase(value status, std::string_view phase) {
  bool found = false;
  json::each_field(status, [&](std::string_view key, value content) {
    if (key == "phase") found = json::text(content) == phase;
  });
  return found;
}

NodeSelectorTerm read_topology(value json) {
  NodeSelectorTerm term;
  json::each_field(json, [&](std::string_view key, value expressions) {
    if (key != "matchLabelExpressions") return;
    json::each_item(expressions, [&](value expression) {
      LabelRequirement& one = term.emplace_back(LabelRequirement{"", LabelRequirement::Operator::in, {}});
      json::each_field(expression, [&](std::string_view field, value content) {
        if (field == "key") one.key = json::text(content);
        if (field == "values") one.values = json::texts(content);
      });
    });
  });
  return term;
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

std::string_view driver_of_provisioner(std::string_view provisioner) {
  if (provisioner == "kubernetes.io/aws-ebs") return driver_of("awsElasticBlockStore");
  if (provisioner == "kubernetes.io/gce-pd") return driver_of("gcePersistentDisk");
  if (provisioner == "kubernetes.io/azure-disk") return driver_of("azureDisk");
  return provisioner == "kubernetes.io/cinder" ? driver_of("cinder") : provisioner;
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

void read_volume_spec(std::string_view name, value part, Volume& volume) {
  if (name == "nodeAffinity") return read_node_affinity(part, volume);
  if (name == "capacity") {
    volume.size = read_storage(part, "spec.capacity");
  } else if (name == "accessModes") {
    volume.access_modes = json::texts(part);
  } else if (name == "storageClassName") {
    volume.storage_class = json::text(part);
  } else if (name == "volumeMode") {
    volume.block = json::text(part) == "Block";
  } else if (name == "claimRef") {
    read_claim_of(part, volume);
  } else {
    read_volume_source(name, part, volume);
  }
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

}  // namespace

template <>
struct ObjectFields<Claim> {
  static constexpr std::string_view kind = "claim";
  static void read(std::string_view key, value content, Claim& claim) {
    if (key == "metadata")
      read_meta(content, claim.meta, {nullptr, &claim.deleting, &claim.selected_node, &claim.owner});
    if (key == "spec")
      json::each_field(content, [&](std::string_view name, value field) { read_claim_spec(name, field, claim); });
    if (key == "status") claim.bound = is_in_phase(content, "Bound");
  }
};
template class ObjectDecoder<Claim>;

template <>
struct ObjectFields<Volume> {
  static constexpr std::string_view kind = "volume";
  static void read(std::string_view key, value content, Volume& volume) {
    if (key == "metadata") read_meta(content, volume.meta, {&volume.labels, &volume.deleting, nullptr});
    if (key == "spec")
      json::each_field(content, [&](std::string_view name, value part) { read_volume_spec(name, part, volume); });
    if (key == "status") volume.available = is_in_phase(content, "Available");
  }
};
template class ObjectDecoder<Volume>;

template <>
struct ObjectFields<StorageClass> {
  static constexpr std::string_view kind = "storage class";
  static void read(std::string_view key, value content, StorageClass& found) {
    if (key == "metadata") read_meta(content, found.meta);
    if (key == "volumeBindingMode") found.waits_for_consumer = json::text(content) == "WaitForFirstConsumer";
    if (key == "provisioner") found.provisioner = json::text(content);
    if (key == "allowedTopologies")
      json::each_item(content, [&](value term) { found.topologies.push_back(read_topology(term)); });
  }
};
template class ObjectDecoder<StorageClass>;

template <>
struct ObjectFields<CsiNode> {
  static constexpr std::string_view kind = "CSINode";
  static void read(std::string_view key, value content, CsiNode& node) {
    if (key == "metadata") read_meta(content, node.meta);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view name, value drivers) {
      if (name == "drivers") json::each_item(drivers, [&](value driver) { read_driver(driver, node); });
    });
  }
};
template class ObjectDecoder<CsiNode>;

template <>
struct ObjectFields<CsiDriver> {
  static constexpr std::string_view kind = "CSIDriver";
  static void read(std::string_view key, value content, CsiDriver& driver) {
    if (key == "metadata") read_meta(content, driver.meta);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view name, value field) {
      if (name == "storageCapacity") driver.tells_room = !field.is_null() && field.get_bool();
    });
  }
};
template class ObjectDecoder<CsiDriver>;

template <>
struct ObjectFields<StorageRoom> {
  static constexpr std::string_view kind = "CSIStorageCapacity";
  static void read(std::string_view key, value content, StorageRoom& room) {
    if (content.is_null()) return;
    if (key == "metadata") read_meta(content, room.meta);
    if (key == "storageClassName") room.storage_class = json::text(content);
    if (key == "nodeTopology") room.nodes = read_selector(key, content);
    if (key == "capacity") room.left = json::amount("storage", content, key);
    if (key == "maximumVolumeSize") room.most_at_once = json::amount("storage", content, key);
  }
};
template class ObjectDecoder<StorageRoom>;

bool StorageClass::provisions() const { return !provisioner.empty() && provisioner != no_provisioner; }

std::string StorageClass::driver() const { return provisions() ? std::string(driver_of_provisioner(provisioner)) : ""; }

ResourceAmounts volume_limits(const CsiNode& node) {
  ResourceAmounts limits;
  for (const auto& [driver, most] : node.most_volumes)
    limits.emplace_back(std::string(volumes_of_driver) + driver, most);
  return limits;
}

}  // namespace lips::kubernetes
