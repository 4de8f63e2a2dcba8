// Claims, volumes, storage classes and the room that drivers have, as far as they decide where a pod can run, and their
// decoders. Knows no pod.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {

struct Claim {
  ObjectMeta meta;
  std::string owner;          // uid of its controller; empty: none
  std::string volume;         // to which it is bound
  std::string storage_class;  // by which a volume is provisioned
  bool exclusive = false;     // ReadWriteOncePod
  bool bound = false;
  bool deleting = false;
  std::int64_t size = 0;                                  // bytes that it asks for
  std::vector<std::string> access_modes;                  // all of which its volume has to have
  bool block = false;                                     // volumeMode
  std::optional<std::vector<LabelRequirement>> selector;  // on the labels of volumes
  std::string selected_node;                              // for which a volume is to be provisioned; empty: none yet
};

struct Volume {
  ObjectMeta meta;
  std::vector<NodeSelectorTerm> required;  // node affinity; empty: everywhere
  TextMap labels;                          // zone and region by old provisioners count as affinity
  std::string driver;                      // CSI driver that attaches it; empty: none
  std::int64_t size = 0;
  std::vector<std::string> access_modes;
  bool block = false;
  std::string storage_class;
  std::string claim, claim_uid;  // that it is for, "namespace/name"; the uid may be missing
  bool available = false;        // not bound yet
  bool deleting = false;

  bool can_be_claimed() const { return available && !deleting; }
};

struct StorageClass {
  ObjectMeta meta;
  bool waits_for_consumer = false;  // volumeBindingMode
  std::string provisioner;
  std::vector<NodeSelectorTerm> topologies;  // where it provisions volumes; empty: everywhere

  bool provisions() const;
  std::string driver() const;  // that attaches its volumes
};

inline constexpr const char* selected_node_annotation = "volume.kubernetes.io/selected-node";

// How many volumes each CSI driver can attach to a node; a driver without a number has no limit.
struct CsiNode {
  ObjectMeta meta;  // named as the node
  std::map<std::string, std::int64_t> most_volumes;
};

// Says whether a driver says in StorageRooms where it can provision.
struct CsiDriver {
  ObjectMeta meta;  // named as the provisioner of its classes
  bool tells_room = false;
};

// CSIStorageCapacity: how large a volume of a class can be on some nodes.
struct StorageRoom {
  ObjectMeta meta;
  std::string storage_class;
  std::optional<std::int64_t> left, most_at_once;  // bytes, in all and for one volume
  std::optional<NodeSelectorTerm> nodes;           // without requirements: all; none: no node

  // The room of a volume, in bytes. As kube-scheduler, which trusts the size of one volume where the driver tells it.
  std::int64_t most() const { return most_at_once ? *most_at_once : left.value_or(-1); }
};

// In the form of a node's allocatable resources.
ResourceAmounts volume_limits(const CsiNode& node);

using ClaimDecoder = ObjectDecoder<Claim>;
using VolumeDecoder = ObjectDecoder<Volume>;
using StorageClassDecoder = ObjectDecoder<StorageClass>;
using CsiNodeDecoder = ObjectDecoder<CsiNode>;
using CsiDriverDecoder = ObjectDecoder<CsiDriver>;
using StorageRoomDecoder = ObjectDecoder<StorageRoom>;

}  // namespace lips::kubernetes
