// Reads of lost blocks of erasure-coded data sets: whether they are possible, from where, and how much they read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// False for blocks of a replicated data set, and for blocks that still have a replica.
bool decodable(const ClusterSnapshot& cluster, BlockId block);

// Which k of the surviving blocks a task reads: random ones, as the analysis of Li et al. assumes, or the nearest.
enum class SourceChoice : std::uint8_t { random, nearest };

struct SourceRule {
  SourceChoice choice = SourceChoice::random;
  std::uint64_t seed = 1;  // for random choices, which differ by block
};

// As many sources as the stripe has native blocks, in order of id, each at the replica nearest to the reader.
std::vector<StripeSource> degraded_sources(const ClusterSnapshot& cluster, const CostModel& costs, BlockId block,
                                           NodeId reader, const SourceRule& rule);

// The locality of the most distant source.
Locality locality_of(const ClusterSnapshot& cluster, std::span<const StripeSource> sources, NodeId node);
// The locality of the task's read there, from one replica or from sources.
Locality locality_of(const ClusterSnapshot& cluster, const Assignment& assignment);

// How much the task reads from that source.
Mebibytes source_read(const ClusterSnapshot& cluster, const Task& task, const StripeSource& source);

}  // namespace lips
