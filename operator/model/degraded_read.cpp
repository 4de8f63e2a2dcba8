#include "model/degraded_read.h"

#include <algorithm>
#include <span>

#include "base/random.h"
#include "model/stripe.h"

namespace lips {

bool decodable(const ClusterSnapshot& cluster, BlockId id) {
  const Block& block = cluster.blocks[id];
  if (!block.replicas.empty() || !block.data_set.valid()) return false;
  const DataSet& data_set = cluster.data_sets[block.data_set];
  if (!is_coded(data_set)) return false;
  const Stripe stripe = stripe_of(data_set, id);
  std::uint32_t alive = 0;
  for (std::uint32_t member = 0; member < stripe.size(); ++member)
    alive += cluster.blocks[stripe.block(member)].replicas.empty() ? 0 : 1;
  return alive >= stripe.natives;
}

std::vector<StripeSource> degraded_sources(const ClusterSnapshot& cluster, const CostModel& costs, BlockId block,
                                           NodeId reader, const SourceRule& rule) {
  struct Candidate {
    StripeSource source;
    Locality level;
    UsdPerMebibyte price;
  };
  const Stripe stripe = stripe_of(cluster.data_sets[cluster.blocks[block].data_set], block);
  const ZoneId here = cluster.nodes[reader].zone;
  std::vector<Candidate> alive;
  for (std::uint32_t member = 0; member < stripe.size(); ++member) {
    const BlockId id = stripe.block(member);
    const NearestReplica nearest = nearest_replica(cluster, costs, id, reader);
    if (nearest.store.valid())
      alive.push_back(
          {{id, nearest.store}, nearest.locality, costs.transfer(cluster.stores[nearest.store].zone, here)});
  }
  Random random(derive_seed(rule.seed, block.index()));
  random.shuffle(std::span(alive));
  if (rule.choice == SourceChoice::nearest)
    std::stable_sort(alive.begin(), alive.end(), [](const Candidate& a, const Candidate& b) {
      return a.level != b.level ? a.level < b.level : a.price < b.price;
    });
  std::vector<StripeSource> sources;
  for (std::size_t i = 0; i < alive.size() && i < stripe.natives; ++i) sources.push_back(alive[i].source);
  std::sort(sources.begin(), sources.end(),
            [](const StripeSource& a, const StripeSource& b) { return a.block < b.block; });
  return sources;
}

Locality locality_of(const ClusterSnapshot& cluster, std::span<const StripeSource> sources, NodeId node) {
  Locality farthest = Locality::node;
  for (const StripeSource& source : sources) farthest = std::max(farthest, locality_of(cluster, source.store, node));
  return farthest;
}

Locality locality_of(const ClusterSnapshot& cluster, const Assignment& assignment) {
  if (!assignment.sources.empty()) return locality_of(cluster, assignment.sources, assignment.node);
  return assignment.read_from.valid() ? locality_of(cluster, assignment.read_from, assignment.node) : Locality::none;
}

Mebibytes source_read(const ClusterSnapshot& cluster, const Task& task, const StripeSource& source) {
  return std::min(task.input, cluster.blocks[source.block].size);
}

}  // namespace lips
