// The objects of a virtual API server, of any kind, with versions and the history of their changes, as etcd and the
// storage layer of kube-apiserver keep them. Knows JSON and the fields of metadata, and no kind.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "virtual/api_json.h"

namespace lips::virtual_cluster {

enum class ChangeType : std::uint8_t { added, modified, deleted };

struct StoredObject {
  std::shared_ptr<const Json> json;
  std::uint64_t version = 0;
};

struct ObjectChange {
  ChangeType type = ChangeType::added;
  StoredObject now;                    // of a deletion: as it was last, with the version of the deletion
  std::shared_ptr<const Json> before;  // null: it is new
};

// A write whose new spec is not counted keeps the generation.
enum class Generation : std::uint8_t { counted, kept };

class ObjectStore {
 public:
  using Listener = std::function<void(const ObjectChange&)>;
  using ListenerId = std::uint64_t;
  using Objects = std::map<std::string, StoredObject>;  // by "namespace/name", or by name

  explicit ObjectStore(std::uint64_t seed) : uids_(seed) {}

  // A kind by its path, as /apis/batch/v1/jobs; and whether its objects have a generation.
  void serve(const std::string& collection, bool generations = true) {
    collections_[collection].generations = generations;
  }
  bool serves(const std::string& collection) const { return collections_.contains(collection); }

  std::vector<std::string> served() const;

  std::uint64_t version() const { return version_; }
  // All history up to that version is forgotten.
  std::uint64_t compacted() const { return compacted_; }
  const Objects& all(const std::string& collection) const { return collections_.at(collection).objects; }
  const StoredObject* find(const std::string& collection, const std::string& key) const;

  // Gives it uid, version, generation and the time of its creation. Null: the name is taken.
  const StoredObject* create(const std::string& collection, Json object, TimePoint now);
  // Replaces it; uid and time of creation stay. A change of its spec is a new generation, and so is the time of its
  // deletion; no change is no new version.
  const StoredObject& put(const std::string& collection, const std::string& key, Json object,
                          Generation generation = Generation::counted);
  void remove(const std::string& collection, const std::string& key);

  // The changes after that version; none: some of them are forgotten.
  std::optional<std::vector<ObjectChange>> since(const std::string& collection, std::uint64_t version) const;
  ListenerId listen(const std::string& collection, Listener listener);
  void stop(const std::string& collection, ListenerId listener) {
    collections_.at(collection).listeners.erase(listener);
  }
  // Forgets the history up to now.
  void compact();
  // Keeps so many changes of each collection for those that watch from an earlier version.
  void keep_history(std::size_t changes) { longest_history_ = changes; }

  struct Backup {
    std::map<std::string, Objects> objects;  // by collection
    std::uint64_t version = 0;
  };
  Backup backup() const;
  // The objects of the backup again; no listener is told. `gap`: the next version is higher by it than any that was
  // seen, and all history is forgotten; 0: versions after the backup's are used again.
  void restore(const Backup& backup, std::uint64_t gap);

 private:
  struct Collection {
    bool generations = true;
    Objects objects;
    std::deque<ObjectChange> history;
    std::uint64_t forgotten = 0;  // changes up to that version
    std::map<ListenerId, Listener> listeners;
  };
  void tell(Collection& collection, ObjectChange change);
  std::string next_uid();

  std::map<std::string, Collection> collections_;
  std::uint64_t version_ = 1, compacted_ = 0, uids_ = 0;  // version 0 stands for any
  ListenerId last_listener_ = 0;
  std::size_t longest_history_ = 4'000;  // older changes have left the processor's caches
};

std::string key_of(const std::string& name_space, const std::string& name);
std::string key_of(const Json& object);

}  // namespace lips::virtual_cluster
