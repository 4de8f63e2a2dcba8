// The cluster's nodes by name, with the use of each by pods of ours and of others. A pod may be known before its node.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/ids.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct NodeRecord {
  std::optional<Node> node;       // none: only its pods are known, or it was deleted
  ResourceAmounts others;         // "pods" is their number
  ResourceAmounts daemons;        // of `others`, those that every node of its kind has
  ResourceAmounts ours;           // of our pods that are bound, or are being bound
  ResourceAmounts nominated;      // of nominated pods, as far as they count against ours
  ResourceAmounts volume_limits;  // how many volumes each CSI driver attaches; also in node->allocatable

  ResourceAmounts of_others() const;  // including nominated pods
  ResourceAmounts taken() const;      // of those, and of ours
};

// A pod of another scheduler for which preemption made room on a node; it is not bound there yet.
struct Nomination {
  std::string node;
  ResourceAmounts requests;
  std::int32_t priority = 0;
  friend bool operator==(const Nomination&, const Nomination&) = default;
};

std::string instance_type_of(const Node& node);  // by its labels; empty: not known
bool is_spot(const Node& node);                  // by those of any cloud

class NodeCache {
 public:
  void update(Node node);
  void forget(const std::string& name);
  // Says whether the pod that comes or goes is ours, another scheduler's, or of the latter one of a DaemonSet.
  enum class Whose : std::uint8_t { ours, others, daemons };
  void take(const std::string& node, const ResourceAmounts& requests, Whose whose);
  void give_back(const std::string& node, const ResourceAmounts& requests, Whose whose);
  // Adds to what our pods take without adding a pod: an in-place resize, which may be negative.
  void adjust(const std::string& node, const ResourceAmounts& more);

  // From CSINode, as attachable-volumes-csi-DRIVER.
  void limit_volumes(const std::string& node, ResourceAmounts limits);

  // `pod` is its name. A nomination counts against pods of ours unless all of ours that wait have a higher priority.
  void nominate(const std::string& pod, Nomination nomination);
  void forget_nomination(const std::string& pod);
  void count_nominations_from(std::int32_t least_priority);
  bool has_nominations() const { return !nominations_.empty(); }
  std::int32_t least_priority() const { return least_priority_; }

  const NodeRecord* find(const std::string& name) const;
  const std::map<std::string, NodeRecord>& all() const { return nodes_; }
  // Names of nodes that have changed since the last call, in anything but `ours`.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }
  // Counts changes of the nodes themselves and of their DaemonSets' pods, not of other pods on them.
  std::uint64_t version() const { return version_; }

 private:
  void drop_if_empty(const std::string& name);
  void count(const Nomination& nomination, bool on);
  bool counts(const Nomination& nomination) const { return nomination.priority >= least_priority_; }

  std::map<std::string, NodeRecord> nodes_;
  std::map<std::string, Nomination> nominations_;
  std::int32_t least_priority_ = std::numeric_limits<std::int32_t>::min();
  std::set<std::string> changed_;
  std::uint64_t version_ = 0;
};

}  // namespace lips::kubernetes
