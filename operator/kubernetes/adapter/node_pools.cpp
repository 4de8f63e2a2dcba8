#include "kubernetes/adapter/node_pools.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "model/node_labels.h"

namespace lips::kubernetes {

ListWatchOptions NodePools::watched() {
  ListWatchOptions options;
  options.path = "/apis/karpenter.sh/v1/nodepools";
  return options;
}

void NodePools::put(const std::string& name, std::optional<NodePool> pool) {
  ++version_;
  if (pool)
    pools_.insert_or_assign(name, *std::move(pool));
  else
    pools_.erase(name);
  around_.wake();
}

void NodePools::changed(const ObjectMeta& meta, std::string_view json) {
  Result<NodePool> pool = decoder_.decode(json);
  if (pool) return put(meta.name, *std::move(pool));
  around_.telemetry.on_rejected(plural, "malformed");
  around_.log.warning("cannot decode an object", {{"why", pool.error().message}});
  put(meta.name, std::nullopt);
}

void NodePools::deleted(const ObjectMeta& meta) { put(meta.name, std::nullopt); }

void NodePools::complete(std::uint64_t) {
  if (std::exchange(listed_, true)) around_.telemetry.on_watch(plural, WatchTrouble::relisted);
  settled_ = true;
  around_.wake();
}

void NodePools::failed(const Error&) {
  around_.telemetry.on_watch(plural, WatchTrouble::restarted);
  settled_ = true;
  around_.wake();
}

namespace {

std::set<std::pair<std::string, std::string>> zones_of(const NodeCache& nodes) {
  std::set<std::pair<std::string, std::string>> zones;
  static const std::string none;
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node) continue;
    const std::string *zone = find_text(record.node->labels, node_label::zone),
                      *region = find_text(record.node->labels, node_label::region);
    zones.emplace(zone ? *zone : none, region ? *region : none);
  }
  return zones;
}

}  // namespace

bool NodePools::review(const NodeCache& nodes, std::uint64_t prices, TimePoint now) {
  if (!review_.due(now) && std::get<2>(reviewed_) == prices) return false;
  if (std::tuple(version_, nodes.version(), prices) == reviewed_) return false;
  std::vector<NodePool> pools;
  for (const auto& [name, pool] : pools_) pools.push_back(pool);
  std::set<std::pair<std::string, std::string>> zones = zones_of(nodes);
  const bool same = std::get<0>(reviewed_) == version_ && std::get<2>(reviewed_) == prices && zones == zones_;
  reviewed_ = {version_, nodes.version(), prices};
  zones_ = std::move(zones);
  bool news = false;
  if (!same) {  // a pool may allow thousands of offers
    report(find_.problems(pools, nodes));
    std::vector<OfferEntry> offers = find_.offers(pools, nodes);
    news = offers != offered_.offers;
    offered_.offers = std::move(offers);
  }
  const std::size_t limits = offered_.limits.size();
  offered_.limits = find_.limits(pools, nodes);
  return news || offered_.limits.size() != limits;
}

// A pool that is left out launches nodes for pods that ask for themselves.
void NodePools::report(const std::vector<PoolProblem>& problems) {
  for (const PoolProblem& problem : problems) {
    if (reported_.contains(problem)) continue;
    if (!problem.reason.empty()) around_.telemetry.on_rejected(plural, problem.reason);
    around_.log.warning(problem.reason.empty() ? "plans use a part of a NodePool" : "leaving a NodePool out",
                        {{"pool", problem.pool}, {"why", problem.why}});
  }
  reported_ = {problems.begin(), problems.end()};
}

}  // namespace lips::kubernetes
