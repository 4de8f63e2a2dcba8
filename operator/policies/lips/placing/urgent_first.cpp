#include "policies/lips/placing/urgent_first.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace lips {

namespace {

class UrgentFirst {
 public:
  UrgentFirst(const ClusterSnapshot& cluster, const Workload& workload, std::vector<Placement>& placements)
      : cluster_(cluster),
        workload_(workload),
        placements_(placements),
        planned_(workload.portions.size(), 0),
        rank_(workload.portions.size(), 0) {
    group();
    for (std::uint32_t i = 0; i < placements.size(); ++i) {
      const Placement& placement = placements[i];
      planned_[placement.portion] += placement.tasks;
      placed_[first_[workload.portions[placement.portion].commodity]].push_back(i);
    }
  }

  void run() {
    for (auto& [first, placed] : placed_) {
      const auto others = others_.find(first);
      order(others == others_.end() ? workload_.commodities[first].portions : portions_of(first, others->second),
            placed);
    }
  }

 private:
  double urgency(PortionId id) const { return workload_.commodities[workload_.portions[id].commodity].urgency; }

  // Commodities that cost the same but to how urgent their jobs are go together.
  void group() {
    for (const CommodityId id : workload_.commodities.ids()) first_.push_back(id);
    const auto is_usual = [](const Commodity& commodity) { return commodity.urgency == 1; };
    if (std::all_of(workload_.commodities.begin(), workload_.commodities.end(), is_usual)) return;
    std::map<std::vector<float>, CommodityId> by_dollars;
    for (const CommodityId id : workload_.commodities.ids()) {
      const Commodity& commodity = workload_.commodities[id];
      std::vector<float> usd;
      for (const double each : commodity.non_cpu_cost) usd.push_back(static_cast<float>(each * commodity.urgency));
      const auto [known, added] = by_dollars.try_emplace(std::move(usd), id);
      if (added) continue;
      first_[id] = known->second;
      others_[known->second].push_back(id);
    }
  }

  std::vector<PortionId> portions_of(CommodityId first, const std::vector<CommodityId>& others) const {
    std::vector<PortionId> all = workload_.commodities[first].portions;
    for (const CommodityId other : others)
      all.insert(all.end(), workload_.commodities[other].portions.begin(), workload_.commodities[other].portions.end());
    std::sort(all.begin(), all.end(), [&](PortionId a, PortionId b) { return before(a, b); });
    return all;
  }

  bool before(PortionId a, PortionId b) const {
    const Portion &left = workload_.portions[a], &right = workload_.portions[b];
    const std::int32_t one = cluster_.jobs[left.job].priority, other = cluster_.jobs[right.job].priority;
    return one != other ? one > other : std::tie(left.urgency, a) < std::tie(right.urgency, b);
  }

  std::uint32_t waiting(PortionId id) const { return workload_.portions[id].tasks - planned_[id]; }

  // The portions are in order of urgency.
  void order(const std::vector<PortionId>& portions, std::vector<std::uint32_t>& placed) {
    const auto first = std::find_if(portions.begin(), portions.end(), [&](PortionId id) { return waiting(id) > 0; });
    if (first == portions.end()) return;
    for (std::uint32_t i = 1; i < portions.size(); ++i)
      rank_[portions[i]] = rank_[portions[i - 1]] + !equally_urgent(portions[i - 1], portions[i]);
    const std::uint32_t first_rank = rank_[*first];
    const auto rank = [&](std::uint32_t i) { return rank_[placements_[i].portion]; };
    std::erase_if(placed, [&](std::uint32_t i) { return rank(i) <= first_rank; });
    // The least urgent give first, and of equals those that start last.
    std::stable_sort(placed.begin(), placed.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank(a) != rank(b) ? rank(a) > rank(b) : placements_[a].start > placements_[b].start;
    });
    if (placed.empty()) return;
    const std::uint32_t least_urgent = rank(placed.front());
    for (auto at = first; at != portions.end() && rank_[*at] < least_urgent; ++at) {
      for (const std::uint32_t i : placed) {
        if (waiting(*at) == 0) break;
        if (rank(i) > rank_[*at] && may_give(placements_[i].portion, *at)) give(i, *at);
      }
    }
  }

  bool equally_urgent(PortionId a, PortionId b) const {
    const Portion &left = workload_.portions[a], &right = workload_.portions[b];
    return left.urgency == right.urgency && cluster_.jobs[left.job].priority == cluster_.jobs[right.job].priority;
  }

  // A job to which a wait is cheaper may rather wait for a cheaper place than have that of another.
  bool may_give(PortionId from, PortionId to) const { return urgency(to) >= urgency(from) && alike(from, to); }

  bool alike(PortionId a, PortionId b) const {
    const Portion &left = workload_.portions[a], &right = workload_.portions[b];
    const Job &one = cluster_.jobs[left.job], &other = cluster_.jobs[right.job];
    return left.work == right.work && one.pool == other.pool && one.request == other.request &&
           one.constraint == other.constraint;
  }

  void give(std::uint32_t i, PortionId to) {
    const std::uint32_t tasks = std::min(waiting(to), placements_[i].tasks);
    if (tasks == 0) return;
    const PortionId from = placements_[i].portion;
    planned_[from] -= tasks, planned_[to] += tasks;
    if (tasks == placements_[i].tasks) {
      placements_[i].portion = to;
      return;
    }
    placements_[i].tasks -= tasks;
    Placement given = placements_[i];
    given.portion = to, given.tasks = tasks;
    placements_.push_back(given);
  }

  const ClusterSnapshot& cluster_;
  const Workload& workload_;
  std::vector<Placement>& placements_;
  IdVector<PortionId, std::uint32_t> planned_;                // tasks
  IdVector<PortionId, std::uint32_t> rank_;                   // of those that go together; 0: the most urgent
  IdVector<CommodityId, CommodityId> first_;                  // of those that go together
  std::map<CommodityId, std::vector<CommodityId>> others_;    // by the first
  std::map<CommodityId, std::vector<std::uint32_t>> placed_;  // the same
};

}  // namespace

void start_urgent_first(const ClusterSnapshot& cluster, const Workload& workload, std::vector<Placement>& placements) {
  UrgentFirst(cluster, workload, placements).run();
}

}  // namespace lips
