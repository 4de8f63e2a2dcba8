// Reads of lost blocks of erasure-coded data sets: whether they are possible, from where, and what they take.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// Blocks of a replicated data set cannot be decoded; nor can one that still has a replica, for it need not be.
bool decodable(const ClusterSnapshot& cluster, BlockId block);

// Which k of the surviving blocks are read: any, as the analysis of Li et al. assumes, or those nearest to the reader.
enum class SourceChoice : std::uint8_t { random, nearest };

struct SourceRule {
  SourceChoice choice = SourceChoice::random;
  std::uint64_t seed = 1;  // of random choices, which differ by block
};

// As many as the stripe has native blocks, each at its replica that is nearest to the reader, in order of id.
std::vector<StripeSource> degraded_sources(const ClusterSnapshot& cluster, const CostModel& costs, BlockId block,
                                           NodeId reader, const SourceRule& rule);

// The most distant of them.
Locality locality_of(const ClusterSnapshot& cluster, std::span<const StripeSource> sources, NodeId node);

// What is read of one of them.
Mebibytes source_read(const ClusterSnapshot& cluster, const Task& task, const StripeSource& source);

}  // namespace lips
