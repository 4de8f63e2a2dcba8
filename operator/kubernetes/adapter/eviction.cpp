#include "kubernetes/adapter/eviction.h"

#include <algorithm>
#include <optional>
#include <string>

#include "model/costs.h"

namespace lips::kubernetes {
namespace {

// Others have exchanged data with it, or start with it.
bool is_part_of_more(const PodRecord& pod) { return pod.work.driver || pod.work.peers || !pod.work.group.empty(); }

Mebibytes read_by(const PodRecord& pod, const ModelIndex& index) {
  Mebibytes size;
  for (const BlockRun& run : pod.reads)
    if (const ModelIndex::KnownDataSet* set = index.data_set(run.data_set); set && run.first + run.count <= set->blocks)
      size += index.size_of(BlockId(set->first.index() + run.first), run.count);
  return size;
}

Duration expected_run(const PodRecord& pod, const EvictionContext& context) {
  const double cores = std::max(least_cores, static_cast<double>(amount_of(pod.requests, "cpu")) / 1000);
  const TaskWork work = work_of(pod.work, cores, read_by(pod, context.index),
                                template_of(pod.meta.name_space, pod.owner, pod.meta.name), context.history);
  return seconds(work.cpu.value() / cores);
}

// The share of the resource of which it is most.
double share_of(const ResourceAmounts& amounts, const Node& node) {
  double share = 0;
  for (const char* resource : {"cpu", "memory"})
    if (const std::int64_t all = amount_of(node.allocatable, resource); all > 0)
      share = std::max(share, static_cast<double>(amount_of(amounts, resource)) / static_cast<double>(all));
  return share;
}

const NodeRecord* elastic_node(const PodRecord& pod, const NodeCache& nodes) {
  const NodeRecord* record = nodes.find(pod.node);
  return record && fleet_of(*record->node) == FleetKind::elastic ? record : nullptr;
}

}  // namespace

bool is_kept_from_start(const PodRecord& pod, const EvictionContext& context) {
  if (pod.says_disruption) return false;
  if (!context.index.has_offers() && !elastic_node(pod, context.nodes)) return false;
  const Duration expected = expected_run(pod, context);
  return expected <= too_short_to_move || (is_part_of_more(pod) && expected <= most_kept);
}

Duration kept_for(const PodRecord& pod, const EvictionContext& context) {
  return std::clamp(std::min(expected_run(pod, context), most_kept) * 2, least_kept, most_kept);
}

bool is_kept_by_now(const PodRecord& pod, const EvictionContext& context, TimePoint now) {
  const std::optional<Duration> done = pod.ran(now);
  const NodeRecord* on = pod.says_disruption || !done ? nullptr : elastic_node(pod, context.nodes);
  if (!on || *done >= kept_for(pod, context)) return false;
  if (is_kept_from_start(pod, context)) return true;
  const Duration expected = std::max(expected_run(pod, context), Duration(1)),
                 left = std::max(Duration(0), expected - *done);
  const double share = share_of(pod.requests, *on->node);
  const double all = std::max(
      share, share_of(on->ours, *on->node) + share_of(on->others, *on->node) - share_of(on->daemons, *on->node));
  const UsdPerHour price = context.index.price_of(*on->node);
  const double part_read = std::min(1.0, to_seconds(*done) / to_seconds(expected));
  const Usd read_again = context.index.read_price(pod.read_from, pod.node).value_or(UsdPerMebibyte(0)) *
                         read_by(pod, context.index) * part_read;
  const Usd lost = price * share * *done + read_again;
  const Usd saved = all > 0 ? price * (share / all) * left : price * left;
  return lost >= saved;
}

}  // namespace lips::kubernetes
