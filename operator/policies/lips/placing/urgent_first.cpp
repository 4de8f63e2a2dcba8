#include "policies/lips/placing/urgent_first.h"

#include <algorithm>
#include <map>

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
    for (std::uint32_t i = 0; i < placements.size(); ++i) {
      const Placement& placement = placements[i];
      planned_[placement.portion] += placement.tasks;
      of_commodity_[workload.portions[placement.portion].commodity].push_back(i);
    }
  }

  void run() {
    for (auto& [commodity, placed] : of_commodity_) order(workload_.commodities[commodity].portions, placed);
  }

 private:
  std::uint32_t waiting(PortionId id) const { return workload_.portions[id].tasks - planned_[id]; }

  // The commodity's portions are in order of urgency.
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
        if (rank(i) > rank_[*at] && alike(placements_[i].portion, *at)) give(i, *at);
      }
    }
  }

  bool equally_urgent(PortionId a, PortionId b) const {
    const Portion &left = workload_.portions[a], &right = workload_.portions[b];
    return left.urgency == right.urgency && cluster_.jobs[left.job].priority == cluster_.jobs[right.job].priority;
  }

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
  IdVector<PortionId, std::uint32_t> planned_;  // tasks
  IdVector<PortionId, std::uint32_t> rank_;     // in its commodity; 0: the most urgent
  std::map<CommodityId, std::vector<std::uint32_t>> of_commodity_;
};

}  // namespace

void start_urgent_first(const ClusterSnapshot& cluster, const Workload& workload, std::vector<Placement>& placements) {
  UrgentFirst(cluster, workload, placements).run();
}

}  // namespace lips
