// The room that running tasks leave when they end as expected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "model/snapshot.h"

namespace lips {

struct TaskEnd {
  double at;  // seconds from now; 0: it is overdue
  NodeId node;
  const Resources* request;  // of its job, in the snapshot
};

// Those of each key (a class, a zone, the node itself) by time and node. `key_of(node)`: a key below `keys`, or one
// that is not valid, which leaves the node out.
template <class Key, class KeyOf>
IdVector<Key, std::vector<TaskEnd>> task_ends(const ClusterSnapshot& cluster, std::size_t keys, const KeyOf& key_of) {
  IdVector<Key, std::vector<TaskEnd>> ends(keys);
  for (const RunningTask& run : cluster.running)
    if (const Key key = key_of(run.node); key.valid())
      ends[key].push_back(
          {std::max(0.0, to_seconds(run.expected_end - cluster.now)), run.node, &cluster.jobs[run.job].request});
  for (std::vector<TaskEnd>& of_key : ends)
    std::stable_sort(of_key.begin(), of_key.end(), [](const TaskEnd& a, const TaskEnd& b) {
      return std::tuple(a.at, a.node) < std::tuple(b.at, b.node);
    });
  return ends;
}

}  // namespace lips
