// Free capacity of the nodes during one decision: the snapshot's figures less the decision's own assignments. Tasks
// with equal requests are one kind, so each query runs once per kind. Knows no data and no price.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/snapshot.h"

namespace lips {

class FreeCapacity {
 public:
  using Kind = std::uint32_t;

  explicit FreeCapacity(const ClusterSnapshot& cluster) : cluster_(cluster) {}

  // The requests and constraints of a job's tasks.
  Kind kind_of(const Job& job);
  std::size_t kinds() const { return kinds_.size(); }
  const Resources& request(Kind kind) const { return kinds_[kind].request; }

  const Resources& left(NodeId node) const;
  // Has a slot and some CPU left and takes tasks at all.
  bool has_room(NodeId node) const;
  bool can_take(Kind kind, NodeId node);
  // As if the node were empty.
  bool could_take(Kind kind, NodeId node);
  // The zones with a node that could take it if it were empty.
  ZoneSet zones_that_could_take(Kind kind);
  void take(Kind kind, NodeId node);

  // Nodes that had room at the first call, by id. One pass over the nodes.
  const std::vector<NodeId>& open();
  // How many of them have room now.
  std::size_t open_left();

 private:
  struct KindState {
    Resources request;
    ConstraintId constraint;
    std::vector<std::int8_t> eligible;  // by profile: -1 not asked yet
    bool zones_known = false;
    ZoneSet zones;
  };
  bool eligible(KindState& kind, NodeId node) const;

  const ClusterSnapshot& cluster_;
  std::vector<KindState> kinds_;
  std::map<std::pair<ConstraintId, Resources>, Kind> kind_by_need_;
  Kind last_kind_ = 0;
  std::unordered_map<NodeId, Resources> taken_from_;  // looked up only
  std::vector<NodeId> open_;
  std::size_t open_left_ = 0;
  bool listed_ = false;
};

}  // namespace lips
