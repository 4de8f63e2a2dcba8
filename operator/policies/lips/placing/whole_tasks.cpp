#include "policies/lips/placing/whole_tasks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "policies/lips/placing/urgent_first.h"

namespace lips {

namespace {

constexpr std::size_t most_tiers = 8;   // of priority; those below share the last
constexpr std::size_t most_groups = 8;  // of pools
constexpr double equally_far = 1e-6;
// Bands of urgency. Each is another pass over all nodes, so very large clusters have none.
constexpr std::size_t most_bands = 8;
constexpr std::size_t node_passes = 16'000;

class Turns {
 public:
  Turns(const SolvedMarket& market, const CostModel& costs, WholeQuotas quotas, PackingSettings packing,
        IdVector<NodeId, Resources>& free)
      : cluster_(market.cluster),
        market_(market),
        facts_(market, costs),
        packing_(std::move(packing)),
        free_(free),
        rest_(quotas),
        whole_{std::move(quotas), {}, 0, {}, {}} {
    for (const Portion& portion : market.workload.portions) left_.push_back(portion.tasks);
    packing_.open_work = market.amounts.open_work;
    packing_.promised = PromisedRoom(cluster_.nodes.size());
  }

  WholeTasks run(const PoolShares& shares) {
    const std::vector<std::int32_t> tiers = least_of_tiers();
    take_turns(tiers);
    if (packing_.pools.compete() && room_left_) borrow(tiers, shares);
    start_urgent_first(cluster_, market_.workload, whole_.placements);
    whole_.pools = std::move(packing_.pools);
    return std::move(whole_);
  }

 private:
  // Highest first.
  std::vector<std::int32_t> least_of_tiers() const {
    std::set<std::int32_t, std::greater<>> all;
    for (const PortionId id : market_.workload.portions.ids()) all.insert(job(id).priority);
    std::vector<std::int32_t> tiers(all.begin(), all.end());
    if (tiers.size() <= most_tiers) return tiers;
    tiers[most_tiers - 1] = tiers.back();
    tiers.resize(most_tiers);
    return tiers;
  }

  void borrow(const std::vector<std::int32_t>& tiers, const PoolShares& shares) {
    PoolRoom& pools = packing_.pools;
    pools.set_shares(shares, PoolRoom::Last::reaches);
    for (const IdVector<PoolId, bool>& group : furthest_below_first())
      take_turns(tiers, [&](PoolId one) { return group[one]; });
    if (!room_left_) return;
    pools.set_shares(lend(cluster_, shares, pools.used()), PoolRoom::Last::reaches);
    take_turns(tiers);
    if (!room_left_) return;
    pools.lift_shares();
    take_turns(tiers);
  }

  // Pools that want more than they are entitled to, in groups. Pools that are equally far from it are in one.
  std::vector<IdVector<PoolId, bool>> furthest_below_first() const {
    std::vector<std::pair<double, PoolId>> below;
    for (const PoolId pool : cluster_.pools.ids())
      if (packing_.pools.is_limited(pool)) below.emplace_back(packing_.pools.part_of_share(pool), pool);
    std::sort(below.begin(), below.end());
    const std::size_t size = (below.size() + most_groups - 1) / most_groups;
    std::vector<IdVector<PoolId, bool>> groups;
    std::size_t in_last = size;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (in_last >= size && (i == 0 || below[i].first > below[i - 1].first + equally_far)) {
        groups.emplace_back(cluster_.pools.size(), false);
        in_last = 0;
      }
      groups.back()[below[i].second] = true;
      ++in_last;
    }
    return groups;
  }

  const Job& job(PortionId id) const { return cluster_.jobs[market_.workload.portions[id].job]; }

  void take_turns(const std::vector<std::int32_t>& tiers) {
    take_turns(tiers, [](PoolId) { return true; });
  }

  template <class OfPool>
  void take_turns(const std::vector<std::int32_t>& tiers, OfPool of_pool) {
    std::int64_t below = std::int64_t{1} << 32;
    for (const std::int32_t least : tiers) {
      if (!room_left_) return;
      const auto in_turn = [&](PortionId id) {
        return job(id).priority >= least && job(id).priority < below && of_pool(job(id).pool);
      };
      take_turn(in_turn);
      if (packing_.pools.compete() && tiers.size() > 1) close_refused(in_turn);
      below = least;
    }
  }

  // The rest of a pool's share does not hold a task of the turn: those of lower priority leave it.
  template <class InTurn>
  void close_refused(InTurn in_turn) {
    for (const PortionId id : left_.ids())
      if (left_[id] > 0 && in_turn(id) && packing_.pools.is_limited(job(id).pool) &&
          packing_.pools.tasks(job(id).pool, job(id).request) < 1)
        packing_.pools.close(job(id).pool);
  }

  // All tasks of the turn at once, unless one that finds no room where the program meant it would be passed over.
  template <class InTurn>
  void take_turn(InTurn in_turn) {
    const std::size_t most = std::min(most_bands, node_passes / std::max<std::size_t>(1, free_.size()));
    if (most < 2) return finish_turn(in_turn, pack(facts_, cut(in_turn), packing_, free_));
    const IdVector<NodeId, Resources> free = free_;
    const WholeQuotas rest = rest_;
    Packed packed = pack(facts_, cut(in_turn), packing_, free_);
    const std::vector<Rank> bands = bands_if_passed_over(packed, most);
    if (bands.empty()) return finish_turn(in_turn, std::move(packed));
    free_ = free, rest_ = rest;
    for (std::size_t band = 0; band <= bands.size() && room_left_; ++band) {
      const auto in_band = [&](PortionId id) {
        return in_turn(id) && (band == 0 || rank(id) > bands[band - 1]) &&
               (band == bands.size() || rank(id) <= bands[band]);
      };
      packed = pack(facts_, cut(in_band), packing_, free_);
      finish_turn(in_band, std::move(packed));
    }
  }

  using Rank = std::pair<std::int64_t, double>;  // by priority and urgency, the least first
  Rank rank(PortionId id) const { return {-std::int64_t{job(id).priority}, market_.workload.portions[id].urgency}; }

  // Ranks that divide the turn's tasks into at most so many bands of about as many cores. Empty: nobody is passed over.
  std::vector<Rank> bands_if_passed_over(const Packed& packed, std::size_t most) const {
    std::vector<std::pair<Rank, double>> cores;
    double all = 0;
    std::optional<Rank> first_left, last_placed;
    const auto add = [&](PortionId id, std::uint32_t tasks) {
      cores.emplace_back(rank(id), tasks * cores_of(job(id).request));
      all += cores.back().second;
      return cores.back().first;
    };
    for (const Placement& placement : packed.placements) {
      const Rank placed = add(placement.portion, placement.tasks);
      last_placed = std::max(last_placed.value_or(placed), placed);
    }
    const auto add_rest = [&](const auto& lists) {
      for (const std::vector<Quota>& list : lists)
        for (const Quota& quota : list) {
          if (quota.tasks == 0) continue;
          const Rank left = add(quota.portion, quota.tasks);
          first_left = std::min(first_left.value_or(left), left);
        }
    };
    add_rest(packed.rest.zone);
    add_rest(packed.rest.in_class);
    if (!first_left || !last_placed || *first_left >= *last_placed) return {};
    std::sort(cores.begin(), cores.end());
    std::vector<Rank> bands;
    double sum = 0;
    for (const auto& [of, more] : cores) {
      sum += more;
      if (sum > all * static_cast<double>(bands.size() + 1) / static_cast<double>(most) && bands.size() + 1 < most &&
          (bands.empty() || of > bands.back()))
        bands.push_back(of);
    }
    return bands;
  }

  template <class InTurn>
  void finish_turn(InTurn in_turn, Packed packed) {
    TasksInTurn turn{left_, whole_.placements};
    PoolRoom before = packing_.pools;
    for (const PortionId id : left_.ids())
      if (!in_turn(id)) turn.left[id] = 0;
    if (before.compete()) packed.pools = at_present(std::move(before), packed.placements);
    SecondChoice again = choose_again(facts_, turn, packed, free_);
    packing_.window = 0;
    room_left_ = packed.room_left;
    packing_.pools = std::move(packed.pools);
    packing_.promised = std::move(packed.promised);
    whole_.stranded_usd += again.usd;
    for (const HeldRoom& held : again.held) add_held(whole_.held, held);
    count_packed(packed.placements);
    for (const std::vector<Placement>& placed : {std::cref(packed.placements), std::cref(again.placements)})
      for (const Placement& placement : placed) {
        left_[placement.portion] -= placement.tasks;
        whole_.placements.push_back(placement);
      }
    for (const LaunchChoice& launch : again.launches) move_to_offer(launch);
    give_back(std::move(packed.rest));
  }

  void move_to_offer(const LaunchChoice& launch) {
    WholeQuotas& quotas = whole_.quotas;
    std::uint32_t tasks = launch.quota.tasks;
    left_[launch.quota.portion] -= tasks;
    for (Quota& quota : launch.of_class.valid() ? quotas.in_class[launch.of_class] : quotas.zone[launch.zone]) {
      if (quota.portion != launch.quota.portion) continue;
      const std::uint32_t moved = std::min(tasks, quota.tasks);
      quota.tasks -= moved, tasks -= moved;
    }
    quotas.in_class[launch.offer].push_back(launch.quota);
  }

  // Without those that start later, in the place of tasks that end.
  PoolRoom at_present(PoolRoom pools, const std::vector<Placement>& placements) const {
    for (const Placement& placement : placements)
      if (placement.start <= 0)
        pools.take(job(placement.portion).pool, job(placement.portion).request, placement.tasks);
    return pools;
  }

  // Quotas of the turn; the others stay.
  template <class InTurn>
  WholeQuotas cut(InTurn in_turn) {
    const auto cut_lists = [&](auto& lists, auto& to) {
      for (std::vector<Quota>& list : lists) {
        const auto others =
            std::stable_partition(list.begin(), list.end(), [&](const Quota& quota) { return in_turn(quota.portion); });
        to.push_back({list.begin(), others});
        list.erase(list.begin(), others);
      }
    };
    WholeQuotas turn;
    cut_lists(rest_.zone, turn.zone);
    cut_lists(rest_.in_class, turn.in_class);
    return turn;
  }

  void give_back(WholeQuotas rest) {
    const auto append = [](auto& from, auto& to) {
      for (const auto id : from.ids()) to[id].insert(to[id].end(), from[id].begin(), from[id].end());
    };
    append(rest.zone, rest_.zone);
    append(rest.in_class, rest_.in_class);
  }

  void count_packed(const std::vector<Placement>& placements) {
    for (const Placement& placement : placements) {
      const Portion& portion = market_.workload.portions[placement.portion];
      if (market_.workload.commodities[portion.commodity].any_class)
        packing_.open_work[market_.classes.class_of[placement.node]] -= placement.tasks * portion.work;
    }
  }

  const ClusterSnapshot& cluster_;
  const SolvedMarket& market_;
  const PackingFacts facts_;
  PackingSettings packing_;
  IdVector<NodeId, Resources>& free_;
  WholeQuotas rest_;                         // that no turn has placed
  IdVector<PortionId, std::uint32_t> left_;  // tasks that no turn has placed
  WholeTasks whole_;
  bool room_left_ = true;
};

}  // namespace

WholeTasks choose_whole_tasks(const SolvedMarket& market, const CostModel& costs, WholeQuotas quotas,
                              PackingSettings packing, const PoolShares& shares, IdVector<NodeId, Resources>& free) {
  return Turns(market, costs, std::move(quotas), std::move(packing), free).run(shares);
}

}  // namespace lips
