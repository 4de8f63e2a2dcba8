#include "policies/lips/rescues.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/leaving.h"

namespace lips {

namespace {

class Rescues {
 public:
  Rescues(const PolicyInput& input, Plan& plan)
      : cluster_(input.cluster), costs_(input.costs), plan_(plan), leaving_(cluster_.stores.size(), false) {
    for (const StoreId store : cluster_.stores.ids()) {
      const NodeId node = cluster_.stores[store].node;
      if (!node.valid()) {
        if (cluster_.stores[store].kind != StoreKind::internet) safe_.push_back(store);
        continue;
      }
      leaving_[store] = is_leaving(cluster_.profiles[cluster_.nodes[node].profile]);
      any_ |= leaving_[store];
      if (!leaving_[store] && cluster_.nodes[node].schedulable) safe_.push_back(store);
    }
  }

  void run() {
    if (!any_) return;
    for (const MoveInFlight& move : cluster_.moves)
      if (!leaving_[move.to]) rescued_.insert(move.block);
    used_ = IdVector<StoreId, Mebibytes>(cluster_.stores.size());
    for (const StoreId store : cluster_.stores.ids()) used_[store] = cluster_.stores[store].used;
    for (const BlockId block : cluster_.blocks.ids())
      if (goes(cluster_.blocks[block]) && !rescued_.contains(block)) rescue(block);
  }

 private:
  bool goes(const Block& block) const {
    return !block.replicas.empty() && std::all_of(block.replicas.begin(), block.replicas.end(),
                                                  [&](const Replica& r) { return leaving_[r.store]; });
  }

  void rescue(BlockId id) {
    const Block& block = cluster_.blocks[id];
    const StoreId from = block.replicas.front().store;
    for (const StoreId to : nearest(cluster_.stores[from].zone)) {
      const DataStore& store = cluster_.stores[to];
      if (store.capacity.value() > 0 && used_[to] + block.size > store.capacity) continue;
      used_[to] += block.size;
      plan_.moves.push_back({id, from, to});
      return;
    }
  }

  // Stores that stay, by what it costs to bring data there and to keep it; ties: the emptiest.
  const std::vector<StoreId>& nearest(ZoneId from) {
    const auto [place, is_new] = by_cost_.try_emplace(from, safe_);
    if (!is_new) return place->second;
    const auto key = [&](StoreId to) {
      const DataStore& store = cluster_.stores[to];
      return std::tuple(costs_.transfer(from, store.zone).value(), store.price.value(), store.used.value());
    };
    std::stable_sort(place->second.begin(), place->second.end(), [&](StoreId a, StoreId b) { return key(a) < key(b); });
    return place->second;
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  Plan& plan_;
  IdVector<StoreId, bool> leaving_;
  std::vector<StoreId> safe_;
  bool any_ = false;
  IdVector<StoreId, Mebibytes> used_;  // with what this plan moves
  std::unordered_set<BlockId> rescued_;
  std::unordered_map<ZoneId, std::vector<StoreId>> by_cost_;
};

}  // namespace

void rescue_data(const PolicyInput& input, Plan& plan) { Rescues(input, plan).run(); }

}  // namespace lips
