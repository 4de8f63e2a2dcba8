// Tells the processor what is looked at next: the tasks of a job are chained through hundreds of groups, and
// assignments come by their start, so it cannot know by itself. Changes nothing but time.
#pragma once

#include <algorithm>

#include "model/snapshot.h"

namespace lips {

// The most of a job, or of a data set, that is fetched ahead.
inline constexpr std::uint32_t most_fetched = 256;

template <class IdType, class T>
void fetch_range(const IdVector<IdType, T>& items, IdType first, std::uint32_t count) {
  if (count == 0 || !items.contains(first)) return;
  count = std::min({count, most_fetched, static_cast<std::uint32_t>(items.size()) - first.index()});
  constexpr std::size_t line = 64;
  const char* begin = reinterpret_cast<const char*>(&items[first]);
  for (const char* at = begin; at < begin + count * sizeof(T); at += line) __builtin_prefetch(at);
}

inline void fetch_tasks(const ClusterSnapshot& cluster, JobId id) {
  fetch_range(cluster.tasks, cluster.jobs[id].first_task, cluster.jobs[id].tasks());
}

// The blocks that the job reads first.
inline void fetch_blocks(const ClusterSnapshot& cluster, JobId id) {
  const Job& job = cluster.jobs[id];
  if (job.inputs.empty()) return;
  const DataSet& input = cluster.data_sets[job.inputs.front().data_set];
  fetch_range(cluster.blocks, input.first_block, std::min(input.blocks, job.map_tasks));
}

// Where their replicas are, once the blocks themselves are there.
inline void fetch_replicas(const ClusterSnapshot& cluster, JobId id) {
  const Job& job = cluster.jobs[id];
  if (job.inputs.empty()) return;
  const DataSet& input = cluster.data_sets[job.inputs.front().data_set];
  const std::uint32_t count = std::min({input.blocks, job.map_tasks, most_fetched});
  for (std::uint32_t i = 0; i < count; ++i)
    __builtin_prefetch(cluster.blocks[BlockId(input.first_block.index() + i)].replicas.data());
}

// The assignment on which its bill depends.
inline void fetch_assignment(const ClusterSnapshot& cluster, const Assignment& assignment) {
  __builtin_prefetch(&cluster.tasks[assignment.task]);
  __builtin_prefetch(&cluster.nodes[assignment.node].zone);
  __builtin_prefetch(&cluster.nodes[assignment.node].cpu_price);
  if (assignment.read_from.valid()) __builtin_prefetch(&cluster.stores[assignment.read_from].zone);
}

}  // namespace lips
