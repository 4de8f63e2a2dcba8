#include "kubernetes/pods/volume_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/pods/first_use.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

NodeSelectorTerm only_node(const std::string& name) {
  return {{node_name_key, LabelRequirement::Operator::in, {name}}};
}

}  // namespace

void VolumeCache::changed(const std::string& claim) {
  joined_.erase(claim);
  ++version_;
}

void VolumeCache::class_changed(const std::string& storage_class) {
  ++version_;
  const auto unbound = unbound_.find(storage_class);
  if (unbound == unbound_.end()) return;
  for (const std::string& claim : unbound->second) joined_.erase(claim);
}

void VolumeCache::volume_changed(const std::string& volume) {
  ++version_;
  if (const auto claim = claim_of_.find(volume); claim != claim_of_.end()) joined_.erase(claim->second);
}

void VolumeCache::update(Claim claim) {
  const std::string key = full_name(claim.meta);
  if (const auto known = claims_.find(key); known != claims_.end()) forget_claim(ObjectMeta(known->second.meta));
  if (!claim.volume.empty()) claim_of_[claim.volume] = key;
  if (claim.bound)
    release(claim.meta);
  else
    unbound_[claim.storage_class].insert(key);
  claims_[key] = std::move(claim);
  changed(key);
}

void VolumeCache::forget_claim(const ObjectMeta& meta) {
  const auto claim = claims_.find(full_name(meta));
  if (claim == claims_.end()) return;
  claim_of_.erase(claim->second.volume);
  if (const auto unbound = unbound_.find(claim->second.storage_class); unbound != unbound_.end()) {
    unbound->second.erase(claim->first);
    if (unbound->second.empty()) unbound_.erase(unbound);
  }
  changed(claim->first);
  claims_.erase(claim);
}

void VolumeCache::update(Volume volume) {
  const std::string name = volume.meta.name;
  forget_volume(volume.meta);
  if (volume.can_be_claimed()) {
    available_[volume.storage_class].insert(name);
    class_changed(volume.storage_class);
  }
  volumes_[name] = std::move(volume);
}

void VolumeCache::forget_volume(const ObjectMeta& meta) {
  volume_changed(meta.name);
  const auto volume = volumes_.find(meta.name);
  if (volume == volumes_.end()) return;
  if (const auto of_class = available_.find(volume->second.storage_class);
      of_class != available_.end() && of_class->second.erase(meta.name) > 0) {
    class_changed(of_class->first);
    if (of_class->second.empty()) available_.erase(of_class);
  }
  volumes_.erase(volume);
}

void VolumeCache::update(StorageClass storage_class) {
  const std::string name = storage_class.meta.name;
  classes_[name] = std::move(storage_class);
  class_changed(name);
}

void VolumeCache::forget_class(const ObjectMeta& meta) {
  classes_.erase(meta.name);
  class_changed(meta.name);
}

void VolumeCache::update(const CsiDriver& driver) {
  const std::string& provisioner = driver.meta.name;
  const bool changed = driver.tells_room ? drivers_that_tell_room_.insert(provisioner).second
                                         : drivers_that_tell_room_.erase(provisioner) > 0;
  if (!changed) return;
  for (const auto& [name, storage_class] : classes_)
    if (storage_class.provisioner == provisioner) class_changed(name);
}

void VolumeCache::forget_driver(const ObjectMeta& meta) { update(CsiDriver{meta, false}); }

void VolumeCache::update(StorageRoom room) {
  forget_room(room.meta);
  const std::string key = full_name(room.meta), of = room.storage_class;
  class_of_room_[key] = of;
  rooms_[of][key] = std::move(room);
  class_changed(of);
}

void VolumeCache::forget_room(const ObjectMeta& meta) {
  const auto room = class_of_room_.extract(full_name(meta));
  if (room.empty()) return;
  const auto of_class = rooms_.find(room.mapped());
  of_class->second.erase(room.key());
  if (of_class->second.empty()) rooms_.erase(of_class);
  class_changed(room.mapped());
}

void VolumeCache::reserve(const VolumeChoice& choice) {
  release(choice.claim);
  const std::string key = full_name(choice.claim);
  reserved_[key] = choice;
  changed(key);
  if (choice.volume.empty()) return;
  reserved_for_[choice.volume] = key;
  if (const Volume* volume = this->volume(choice.volume)) class_changed(volume->storage_class);
}

void VolumeCache::release(const ObjectMeta& claim) {
  const auto reserved = reserved_.extract(full_name(claim));
  if (reserved.empty()) return;
  changed(reserved.key());
  reserved_for_.erase(reserved.mapped().volume);
  if (const Volume* volume = this->volume(reserved.mapped().volume)) class_changed(volume->storage_class);
}

const Claim* VolumeCache::claim(const std::string& full_name) const {
  const auto found = claims_.find(full_name);
  return found == claims_.end() ? nullptr : &found->second;
}

const Volume* VolumeCache::volume(const std::string& name) const {
  const auto found = volumes_.find(name);
  return found == volumes_.end() ? nullptr : &found->second;
}

// A claim that names its volume is bound by the controller of claims, on no node's account.
bool VolumeCache::is_for_first_use(const Claim& claim) const {
  if (claim.deleting || claim.bound || !claim.volume.empty()) return false;
  const auto known = classes_.find(claim.storage_class);
  return known != classes_.end() && known->second.waits_for_consumer;
}

bool VolumeCache::is_free(const Volume& volume, const Claim& claim) const {
  const auto reserved = reserved_for_.find(volume.meta.name);
  return suits(volume, claim) && (reserved == reserved_for_.end() || reserved->second == full_name(claim.meta));
}

const std::string& VolumeCache::chosen_node(const Claim& claim) const {
  const auto reserved = reserved_.find(full_name(claim.meta));
  return reserved == reserved_.end() ? claim.selected_node : reserved->second.node;
}

// A volume that was made for the claim is its only one.
std::vector<const Volume*> VolumeCache::candidates(const Claim& claim) const {
  std::vector<const Volume*> result;
  const auto of_class = available_.find(claim.storage_class);
  if (of_class == available_.end()) return result;
  for (const std::string& name : of_class->second) {
    const Volume& volume = volumes_.at(name);
    if (!is_free(volume, claim)) continue;
    if (!volume.claim.empty()) return {&volume};
    result.push_back(&volume);
  }
  return result;
}

// Where the class can make a volume of the claim's size, as alternatives; empty: everywhere; none: nowhere. A driver
// that was asked already has counted the claim, and says itself if it has no room.
std::optional<std::vector<NodeSelectorTerm>> VolumeCache::provisioned(const Claim& claim,
                                                                      const StorageClass& storage_class) const {
  if (!storage_class.provisions()) return std::nullopt;
  if (!drivers_that_tell_room_.contains(storage_class.provisioner) || !chosen_node(claim).empty())
    return storage_class.topologies;
  const auto rooms = rooms_.find(storage_class.meta.name);
  if (rooms == rooms_.end()) return std::nullopt;
  const std::vector<NodeSelectorTerm> anywhere{NodeSelectorTerm()};
  std::vector<NodeSelectorTerm> terms;
  for (const auto& [name, room] : rooms->second) {
    if (!room.nodes || room.most() < claim.size) continue;
    for (NodeSelectorTerm term : storage_class.topologies.empty() ? anywhere : storage_class.topologies) {
      term.insert(term.end(), room.nodes->begin(), room.nodes->end());
      if (term.empty()) return std::vector<NodeSelectorTerm>();
      terms.push_back(std::move(term));
    }
  }
  if (terms.empty()) return std::nullopt;
  return terms;
}

ClaimedVolume VolumeCache::join_first_use(const Claim& claim, const StorageClass& storage_class) const {
  ClaimedVolume joined;
  joined.on_first_use = true;
  joined.driver = storage_class.driver();
  if (const std::string& node = chosen_node(claim); !node.empty()) {
    joined.node_terms = {only_node(node)};
    return joined;
  }
  const std::vector<const Volume*> volumes = candidates(claim);
  const bool is_made = volumes.size() == 1 && !volumes.front()->claim.empty();
  bool everywhere = false;
  const auto add = [&](const std::vector<NodeSelectorTerm>& terms) {
    everywhere |= terms.empty();
    joined.node_terms.insert(joined.node_terms.end(), terms.begin(), terms.end());
  };
  for (const Volume* volume : volumes) add(terms_of(*volume));
  const auto to_come = is_made ? std::nullopt : provisioned(claim, storage_class);
  if (to_come)
    add(*to_come);
  else if (volumes.empty() && storage_class.provisions())
    joined.why_not = fmt::format("finds no CSIStorageCapacity of StorageClass '{}' with {}: its driver has no room",
                                 claim.storage_class, size_text(claim));
  else if (volumes.empty())
    joined.why_not = fmt::format(
        "finds no unbound PersistentVolume of StorageClass '{}' with {}, and the class provisions none: add one",
        claim.storage_class, wish_text(claim));
  if (everywhere) joined.node_terms.clear();
  std::sort(joined.node_terms.begin(), joined.node_terms.end());
  joined.node_terms.erase(std::unique(joined.node_terms.begin(), joined.node_terms.end()), joined.node_terms.end());
  return joined;
}

ClaimedVolume VolumeCache::join(const Claim& claim) const {
  ClaimedVolume joined;
  if (is_for_first_use(claim)) {
    joined = join_first_use(claim, classes_.at(claim.storage_class));
  } else if (claim.deleting) {
    joined.why_not = "is being deleted";
  } else if (!claim.bound || claim.volume.empty()) {
    joined.why_not = "is not bound to a volume yet";
  } else if (const Volume* volume = this->volume(claim.volume)) {
    joined.driver = volume->driver;
    joined.node_terms = terms_of(*volume);
  } else {
    joined.why_not = "is bound to a volume that does not exist";
  }
  joined.exclusive = claim.exclusive;
  joined.owner = claim.owner;
  return joined;
}

const ClaimedVolume* VolumeCache::find(const std::string& name_space, const std::string& claim) const {
  const std::string key = name_space + '/' + claim;
  const auto known = claims_.find(key);
  if (known == claims_.end()) return nullptr;
  const auto joined = joined_.find(key);
  return joined != joined_.end() ? &joined->second : &joined_.emplace(key, join(known->second)).first->second;
}

// The claims take their volumes in turn, as kube-scheduler's do: those that exist before new ones.
Result<std::vector<VolumeChoice>> VolumeCache::choose(const std::string& name_space,
                                                      const std::vector<std::string>& claims, const Node& node) const {
  std::vector<VolumeChoice> choices;
  const NodeProfile profile = profile_of(node);
  for (const std::string& name : claims) {
    const Claim* claim = this->claim(name_space + '/' + name);
    if (!claim || !is_for_first_use(*claim)) continue;
    const std::string& chosen = chosen_node(*claim);
    if (!chosen.empty() && chosen != node.meta.name)
      return fail(ErrorCode::conflict,
                  fmt::format("PersistentVolumeClaim '{}' gets its volume for node {}", name, chosen));
    const StorageClass& storage_class = classes_.at(claim->storage_class);
    const Volume* best = nullptr;
    bool is_made = false;
    for (const Volume* volume : candidates(*claim)) {
      is_made |= !volume->claim.empty();
      const bool taken = std::any_of(choices.begin(), choices.end(),
                                     [&](const VolumeChoice& choice) { return choice.volume == volume->meta.name; });
      if (taken || !reaches_volume(terms_of(*volume), profile)) continue;
      if (!best || is_better(*volume, *best, *claim)) best = volume;
    }
    if (!best) {
      const auto to_come = is_made ? std::nullopt : provisioned(*claim, storage_class);
      if (!to_come || !reaches_volume(*to_come, profile))
        return fail(ErrorCode::not_found, fmt::format("PersistentVolumeClaim '{}' gets no volume there", name));
    }
    choices.push_back({claim->meta, node.meta.name, best && claim->selected_node.empty() ? best->meta.name : ""});
  }
  return choices;
}

}  // namespace lips::kubernetes
