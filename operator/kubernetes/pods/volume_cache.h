// The claims, volumes, storage classes and provisioners' room of the cluster, joined: where a claim's volume can be
// reached, or where a claim that is bound on first use can get one. Knows no pod and sends nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "kubernetes/pods/filters/filter.h"
#include "kubernetes/pods/volumes.h"

namespace lips::kubernetes {

// How a claim that is bound on first use gets its volume on a node.
struct VolumeChoice {
  ObjectMeta claim;
  std::string node;
  std::string volume;  // that exists; empty: one is provisioned
};

class VolumeCache : public ClaimLookup {
 public:
  void update(Claim claim);
  void update(Volume volume);
  void update(StorageClass storage_class);
  void update(const CsiDriver& driver);
  void update(StorageRoom room);
  void forget_claim(const ObjectMeta& meta);
  void forget_volume(const ObjectMeta& meta);
  void forget_class(const ObjectMeta& meta);
  void forget_driver(const ObjectMeta& meta);
  void forget_room(const ObjectMeta& meta);
  const ClaimedVolume* find(const std::string& name_space, const std::string& claim) const override;

  // For those of the claims that are bound on first use. Error: conflict, if another node is chosen for one of them
  // meanwhile; not_found, if one gets no volume there.
  Result<std::vector<VolumeChoice>> choose(const std::string& name_space, const std::vector<std::string>& claims,
                                           const Node& node) const;
  // Until the claim is bound, deleted or released, the volume is for it alone, and no other node serves the claim.
  void reserve(const VolumeChoice& choice);
  void release(const ObjectMeta& claim);

  const Claim* claim(const std::string& full_name) const;
  const Volume* volume(const std::string& name) const;
  // Grows with every change.
  std::uint64_t version() const { return version_; }

 private:
  ClaimedVolume join(const Claim& claim) const;
  ClaimedVolume join_first_use(const Claim& claim, const StorageClass& storage_class) const;
  bool is_for_first_use(const Claim& claim) const;
  bool is_free(const Volume& volume, const Claim& claim) const;
  const std::string& chosen_node(const Claim& claim) const;  // empty: none yet
  std::vector<const Volume*> candidates(const Claim& claim) const;
  std::optional<std::vector<NodeSelectorTerm>> provisioned(const Claim& claim, const StorageClass& storage_class) const;
  void changed(const std::string& claim);
  void class_changed(const std::string& storage_class);
  void volume_changed(const std::string& volume);

  std::map<std::string, Claim> claims_;    // by namespace/name
  std::map<std::string, Volume> volumes_;  // by name
  std::map<std::string, StorageClass> classes_;
  std::set<std::string> drivers_that_tell_room_;
  std::map<std::string, std::map<std::string, StorageRoom>> rooms_;  // by class and namespace/name
  std::map<std::string, std::string> class_of_room_;
  std::map<std::string, std::set<std::string>> unbound_;    // claims by class
  std::map<std::string, std::set<std::string>> available_;  // volumes by class
  std::map<std::string, std::string> claim_of_;             // volume to claim
  std::map<std::string, VolumeChoice> reserved_;            // by claim
  std::map<std::string, std::string> reserved_for_;         // volume to claim
  mutable std::map<std::string, ClaimedVolume> joined_;     // made when it is asked for
  std::uint64_t version_ = 0;
};

}  // namespace lips::kubernetes
