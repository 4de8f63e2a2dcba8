#include "virtual/object_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/api/time_text.h"

namespace lips::virtual_cluster {

std::string key_of(const std::string& name_space, const std::string& name) {
  return name_space.empty() ? name : name_space + '/' + name;
}

std::string key_of(const Json& object) {
  const Json& metadata = object.at("metadata");
  return key_of(metadata.value("namespace", ""), metadata.value("name", ""));
}

std::string ObjectStore::next_uid() {
  ++uids_;
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", (uids_ * 2654435761U) & 0xffffffffU, uids_);
}

std::vector<std::string> ObjectStore::served() const {
  std::vector<std::string> names;
  for (const auto& [name, kind] : collections_) names.push_back(name);
  return names;
}

const StoredObject* ObjectStore::find(const std::string& collection, const std::string& key) const {
  const auto kind = collections_.find(collection);
  if (kind == collections_.end()) return nullptr;
  const auto found = kind->second.objects.find(key);
  return found == kind->second.objects.end() ? nullptr : &found->second;
}

const StoredObject* ObjectStore::create(const std::string& collection, Json object, TimePoint now) {
  Collection& kind = collections_.at(collection);
  const std::string key = key_of(object);
  if (kind.objects.contains(key)) return nullptr;
  Json& metadata = object["metadata"];
  metadata["uid"] = next_uid();
  metadata["creationTimestamp"] = kubernetes::time_text(now);
  if (kind.generations)
    metadata["generation"] = 1;
  else
    metadata.erase("generation");
  metadata["resourceVersion"] = std::to_string(++version_);
  StoredObject& stored = kind.objects[key];
  stored = {std::make_shared<const Json>(std::move(object)), version_};
  tell(kind, {ChangeType::added, stored, nullptr});
  return &stored;
}

const StoredObject& ObjectStore::put(const std::string& collection, const std::string& key, Json object,
                                     Generation generation) {
  Collection& kind = collections_.at(collection);
  StoredObject& stored = kind.objects.at(key);
  const Json& before = *stored.json;
  Json& metadata = object["metadata"];
  for (const char* fixed : {"uid", "creationTimestamp", "resourceVersion", "generation", "name", "namespace"}) {
    const auto old = before["metadata"].find(fixed);
    if (old != before["metadata"].end())
      metadata[fixed] = *old;
    else
      metadata.erase(fixed);
  }
  if (object == before) return stored;
  static const Json nothing;
  const auto spec = [](const Json& json) -> const Json& {
    const auto found = json.find("spec");
    return found == json.end() ? nothing : *found;
  };
  const bool leaves = metadata.contains("deletionTimestamp") && !before["metadata"].contains("deletionTimestamp");
  if (kind.generations && ((generation == Generation::counted && spec(object) != spec(before)) || leaves))
    metadata["generation"] = before["metadata"].value("generation", 1) + 1;
  metadata["resourceVersion"] = std::to_string(++version_);
  const std::shared_ptr<const Json> previous = stored.json;
  stored = {std::make_shared<const Json>(std::move(object)), version_};
  tell(kind, {ChangeType::modified, stored, previous});
  return stored;
}

void ObjectStore::remove(const std::string& collection, const std::string& key) {
  Collection& kind = collections_.at(collection);
  const auto found = kind.objects.find(key);
  if (found == kind.objects.end()) return;
  const std::shared_ptr<const Json> previous = found->second.json;
  Json last = *previous;
  last["metadata"]["resourceVersion"] = std::to_string(++version_);
  kind.objects.erase(found);
  tell(kind, {ChangeType::deleted, {std::make_shared<const Json>(std::move(last)), version_}, previous});
}

void ObjectStore::tell(Collection& collection, ObjectChange change) {
  collection.history.push_back(change);
  if (collection.history.size() > longest_history_) {
    collection.forgotten = collection.history.front().now.version;
    collection.history.pop_front();
  }
  for (const auto& [id, listener] : collection.listeners) listener(change);
}

std::optional<std::vector<ObjectChange>> ObjectStore::since(const std::string& collection,
                                                            std::uint64_t version) const {
  const Collection& kind = collections_.at(collection);
  if (version < kind.forgotten) return std::nullopt;
  std::vector<ObjectChange> changes;
  const auto first =
      std::upper_bound(kind.history.begin(), kind.history.end(), version,
                       [](std::uint64_t known, const ObjectChange& change) { return known < change.now.version; });
  changes.assign(first, kind.history.end());
  return changes;
}

ObjectStore::ListenerId ObjectStore::listen(const std::string& collection, Listener listener) {
  collections_.at(collection).listeners.emplace(++last_listener_, std::move(listener));
  return last_listener_;
}

ObjectStore::Backup ObjectStore::backup() const {
  Backup backup;
  for (const auto& [name, kind] : collections_) backup.objects[name] = kind.objects;
  backup.version = version_;
  return backup;
}

void ObjectStore::restore(const Backup& backup, std::uint64_t gap) {
  for (auto& [name, kind] : collections_) {
    const auto kept = backup.objects.find(name);
    kind.objects = kept == backup.objects.end() ? Objects{} : kept->second;
  }
  version_ = gap > 0 ? version_ + gap : backup.version;
  compact();
}

void ObjectStore::compact() {
  compacted_ = version_;
  for (auto& [name, kind] : collections_) {
    kind.forgotten = version_;
    kind.history.clear();
  }
}

}  // namespace lips::virtual_cluster
