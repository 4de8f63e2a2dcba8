// The cluster's nodes by name, with what other schedulers' pods take of them. A pod may be known before its node.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/ids.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct NodeRecord {
  std::optional<Node> node;  // none: only its pods are known, or it was deleted
  ResourceAmounts others;    // "pods" is their number
  ResourceAmounts ours;      // of our pods that are bound, or are being bound
};

class NodeBook {
 public:
  void see(Node node);
  void forget(const std::string& name);
  // Of a pod of another scheduler or of ours that is on the node, or has gone.
  enum class Whose : std::uint8_t { ours, others };
  void take(const std::string& node, const ResourceAmounts& requests, Whose whose);
  void give_back(const std::string& node, const ResourceAmounts& requests, Whose whose);

  const NodeRecord* find(const std::string& name) const;
  const std::map<std::string, NodeRecord>& all() const { return nodes_; }
  // Names of nodes of which something but `ours` changed since the last call.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }
  // Counts changes of what nodes are; not of what runs there.
  std::uint64_t version() const { return version_; }

 private:
  void drop_if_empty(const std::string& name);

  std::map<std::string, NodeRecord> nodes_;
  std::set<std::string> changed_;
  std::uint64_t version_ = 0;
};

}  // namespace lips::kubernetes
