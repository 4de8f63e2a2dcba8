#include "policies/lips/data/rescues.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/leaving.h"
#include "policies/lips/data/store_room.h"

namespace lips {

namespace {

class Rescues {
 public:
  Rescues(const PolicyInput& input, Plan& plan)
      : cluster_(input.cluster),
        costs_(input.costs),
        plan_(plan),
        room_(cluster_, plan),
        leaving_(leaving_stores(cluster_)) {
    for (const StoreId store : cluster_.stores.ids()) {
      const NodeId node = cluster_.stores[store].node;
      const bool can_be_written =
          node.valid() ? cluster_.nodes[node].schedulable : cluster_.stores[store].kind != StoreKind::internet;
      if (!leaving_[store] && can_be_written) safe_.push_back(store);
    }
  }

  void run() {
    std::unordered_set<BlockId> on_their_way;
    for (const MoveInFlight& move : cluster_.moves)
      if (!leaving_[move.to]) on_their_way.insert(move.block);
    for (const BlockId block : cluster_.blocks.ids())
      if (goes(cluster_.blocks[block]) && !on_their_way.contains(block)) rescue(block);
  }

 private:
  bool goes(const Block& block) const {
    return !block.replicas.empty() && std::all_of(block.replicas.begin(), block.replicas.end(),
                                                  [&](const Replica& r) { return leaving_[r.store]; });
  }

  void rescue(BlockId block) {
    const StoreId from = cluster_.blocks[block].replicas.front().store;
    const std::vector<StoreId>& stores = nearest(cluster_.stores[from].zone);
    const auto to = std::find_if(stores.begin(), stores.end(), [&](StoreId id) { return room_.take(id, block); });
    if (to != stores.end()) plan_.moves.push_back({block, from, *to});
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
  StoreRoom room_;
  IdVector<StoreId, bool> leaving_;
  std::vector<StoreId> safe_;
  std::unordered_map<ZoneId, std::vector<StoreId>> by_cost_;
};

}  // namespace

void rescue_data(const PolicyInput& input, Plan& plan) {
  const IdVector<ProfileId, NodeProfile>& profiles = input.cluster.profiles;
  if (std::any_of(profiles.begin(), profiles.end(), is_leaving)) Rescues(input, plan).run();
}

}  // namespace lips
