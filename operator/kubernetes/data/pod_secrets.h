// The Secrets of pods of the mover: each has one word, for one move or one store, derived from the StoreKey. No pod has
// that key itself. The operator creates these Secrets, and neither reads nor changes them.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "kubernetes/data/object_writes.h"
#include "kubernetes/data/pod_secret_item.h"
#include "kubernetes/data/resources.h"
#include "kubernetes/data/store_key.h"

namespace lips::kubernetes {

// The password with which the pods of one move reach each other. Its Secret has the name of the pod that serves, and is
// deleted with the DataMove.
std::string source_secret_json(const DataMoveResource& move, const StoreKey& key);
// The key of one store, for the pod that serves it. Its Secret has that pod's name, and is deleted with the DataStore.
std::string serve_secret_json(const DataStoreResource& store, const StoreKey& key);
// Another for each key: a pod of an earlier key goes on beside its successor.
std::string serve_pod_name(const DataStoreResource& store, const StoreKey& key);

class PodSecrets {
 public:
  PodSecrets(ObjectWrites& writes, std::string name_space) : writes_(writes), name_space_(std::move(name_space)) {}
  // Says whether the server has said within the last minute that it is there. Otherwise creates it: the server refuses
  // a second one of that name, which would have the same word. Ask before a pod is created, and again while one waits.
  // Calls `body` only where it is created.
  bool is_there(const std::string& name, const std::function<std::string()>& body, TimePoint now);
  // Why it could not be created; empty: it could.
  std::string problem(const std::string& name) const;
  std::size_t kept() const { return asked_.size(); }

 private:
  struct Asked {
    TimePoint at{};
    bool there = false;
    std::string problem = {};
  };
  ObjectWrites& writes_;
  const std::string name_space_;
  std::map<std::string, Asked> asked_;  // by name, for a minute
};

}  // namespace lips::kubernetes
