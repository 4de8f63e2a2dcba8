// The room that nodes of a class will have when tasks end: the earliest time at which one node holds a request.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/task_ends.h"
#include "policies/lips/market/node_classes.h"

namespace lips {

class LaterRoom {
 public:
  // `free`: now, after all that this plan starts. Keeps references to all arguments.
  LaterRoom(const ClusterSnapshot& cluster, const NodeClasses& classes, const IdVector<NodeId, Resources>& free);

  // A task that this plan starts leaves its room then; one that is added after the first search is found last.
  // `request` outlives this object.
  void add_end(double at, NodeId node, const Resources& request);

  struct Opening {
    double at = 0;  // seconds from now
    NodeId node;
    Resources room;  // there from then on, for the request and others
  };
  // The progress of a request through a class's ends, in their order.
  struct Search {
    std::size_t next = 0;                         // end
    std::unordered_map<NodeId, Resources> ended;  // of the tasks that have ended on each node
    std::optional<Opening> found;
  };
  // None: no end that is expected by then leaves enough room on one node, or the search has become too long. `search`:
  // the request's own in the class.
  std::optional<Opening> earliest(ClassId c, const Resources& request, double latest, Search& search);
  // Seconds from now, before which the search will find nothing.
  double least(ClassId c, const Search& search);
  // Later room of the node is for one task of the request.
  void reserve(NodeId node, const Resources& request);

 private:
  Resources room(const Search& search, NodeId node) const;
  const std::vector<TaskEnd>& ends(ClassId c);

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const IdVector<NodeId, Resources>& free_;
  IdVector<ClassId, std::vector<TaskEnd>> ends_;
  bool sorted_ = false;                             // and with the ends of running tasks
  std::unordered_map<NodeId, Resources> reserved_;  // looked up only
  std::uint64_t looks_ = 0;                         // at ends, in all searches
};

}  // namespace lips
