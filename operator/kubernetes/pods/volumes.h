// Claims, volumes and storage classes, as far as they decide where a pod can run. Knows no pod.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {

struct Claim {
  ObjectMeta meta;
  std::string volume;         // to which it is bound
  std::string storage_class;  // by which a volume is provisioned
  bool exclusive = false;     // ReadWriteOncePod
  bool bound = false;
  bool deleting = false;
};

struct Volume {
  ObjectMeta meta;
  std::vector<NodeSelectorTerm> required;  // node affinity; empty: everywhere
  TextMap labels;                          // zone and region; labels by old provisioners count as affinity
  std::string driver;                      // CSI driver that attaches it; empty: none
};

struct StorageClass {
  ObjectMeta meta;
  bool waits_for_consumer = false;  // volumeBindingMode
};

// How many volumes each CSI driver can attach to a node; a driver without a number has no limit.
struct CsiNode {
  ObjectMeta meta;  // named as the node
  std::map<std::string, std::int64_t> most_volumes;
};

// In the form of a node's allocatable resources.
ResourceAmounts volume_limits(const CsiNode& node);

class ClaimDecoder {
 public:
  ClaimDecoder();
  ~ClaimDecoder();
  Result<Claim> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

class VolumeDecoder {
 public:
  VolumeDecoder();
  ~VolumeDecoder();
  Result<Volume> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

class StorageClassDecoder {
 public:
  StorageClassDecoder();
  ~StorageClassDecoder();
  Result<StorageClass> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

class CsiNodeDecoder {
 public:
  CsiNodeDecoder();
  ~CsiNodeDecoder();
  Result<CsiNode> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

class VolumeCache : public ClaimLookup {
 public:
  void update(Claim claim);
  void update(Volume volume);
  void update(StorageClass storage_class);
  void forget_claim(const ObjectMeta& meta);
  void forget_volume(const ObjectMeta& meta);
  void forget_class(const ObjectMeta& meta);
  const ClaimedVolume* find(const std::string& name_space, const std::string& claim) const override;

 private:
  void join(const Claim& claim);
  void join_of_class(const std::string& storage_class);
  std::string why_not_bound(const Claim& claim) const;

  std::map<std::string, Claim> claims_;             // by namespace/name
  std::map<std::string, Volume> volumes_;           // by name
  std::map<std::string, bool> waits_for_consumer_;  // by storage class
  std::map<std::string, ClaimedVolume> joined_;
  std::map<std::string, std::string> claim_of_;  // volume to claim
};

}  // namespace lips::kubernetes
