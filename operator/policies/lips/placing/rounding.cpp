#include "policies/lips/placing/rounding.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace lips {

namespace {

// Whole tasks for one kind of place: zones, or classes.
template <class Place>
class Dealer {
 public:
  Dealer(const ClusterSnapshot& cluster, const Workload& workload, std::size_t places)
      : lists(places), cluster_(cluster), workload_(workload), owed_(places) {}

  void offer(Place place, double work) { bins_.push_back({place, work}); }

  // Distributes the commodity's portions to the offered places and to `unserved`, the most urgent first.
  void deal(const Commodity& commodity, double unserved, double tiny) {
    leaves_some_ = unserved > tiny || bins_.empty();
    if (leaves_some_) bins_.push_back({Place::none(), unserved});
    const bool several = bins_.size() > 1;
    if (several)
      for (Bin& bin : bins_) bin.wanted += owed(bin.place);
    for (auto next = commodity.portions.begin(); next != commodity.portions.end();) {
      const auto of_job = next++;
      while (next != commodity.portions.end() && of_one_job(*of_job, *next)) ++next;
      deal(std::span(of_job, next));
    }
    if (several)
      for (const Bin& bin : bins_) owed(bin.place) = bin.wanted;
    bins_.clear();
  }

  IdVector<Place, std::vector<Quota>> lists;

 private:
  struct Bin {
    Place place;  // none: unserved, always the last
    double wanted;
  };

  // The bin for the next task: the one furthest behind, and unserved only when no other wants half a task.
  Bin& next_bin(double work) {
    if (bins_.size() == 1) return bins_.front();
    const auto before = [](const Bin& a, const Bin& b) { return a.wanted < b.wanted; };
    Bin& most = *std::max_element(bins_.begin(), bins_.end() - leaves_some_, before);
    return leaves_some_ && most.wanted < work / 2 && bins_.back().wanted > most.wanted ? bins_.back() : most;
  }

  // Portions of a job that arrived in several parts are dealt as those of one that arrived in one.
  bool of_one_job(PortionId a, PortionId b) const {
    const Portion &first = workload_.portions[a], &second = workload_.portions[b];
    const WholeJobId whole = cluster_.jobs[first.job].whole.id;
    return whole.valid() && whole == cluster_.jobs[second.job].whole.id && first.work == second.work;
  }

  void deal(std::span<const PortionId> alike) {
    const double work = workload_.portions[alike.front()].work;
    std::uint32_t left = 0, taken = 0;  // of all; of the first that is not dealt
    for (const PortionId id : alike) left += workload_.portions[id].tasks;
    while (left > 0) {
      Bin& bin = next_bin(work);
      const double whole = bins_.size() == 1 ? left : std::floor(bin.wanted / work + 0.5);
      auto count = static_cast<std::uint32_t>(std::clamp(whole, 1.0, static_cast<double>(left)));
      bin.wanted -= count * work;
      left -= count;
      while (count > 0) {
        const std::uint32_t more = std::min(count, workload_.portions[alike.front()].tasks - taken);
        if (more > 0 && bin.place.valid()) append(lists[bin.place], {alike.front(), more});
        count -= more, taken += more;
        if (taken == workload_.portions[alike.front()].tasks) alike = alike.subspan(1), taken = 0;
      }
    }
  }

  static void append(std::vector<Quota>& list, Quota quota) {
    if (!list.empty() && list.back().portion == quota.portion)
      list.back().tasks += quota.tasks;
    else
      list.push_back(quota);
  }

  double& owed(Place place) { return place.valid() ? owed_[place] : owed_unserved_; }

  const ClusterSnapshot& cluster_;
  const Workload& workload_;
  std::vector<Bin> bins_;
  bool leaves_some_ = false;
  IdVector<Place, double> owed_;
  double owed_unserved_ = 0;
};

// 0: the most urgent. Each portion is looked up once, however many lists it is in.
IdVector<PortionId, std::uint32_t> ranks_by_urgency(const ClusterSnapshot& cluster, const Workload& workload) {
  using Key = std::tuple<std::int64_t, double, PortionId>;
  std::vector<Key> keys;
  keys.reserve(workload.portions.size());
  for (PortionId id : workload.portions.ids()) {
    const Portion& portion = workload.portions[id];
    keys.emplace_back(-std::int64_t{cluster.jobs[portion.job].priority}, portion.urgency, id);
  }
  std::sort(keys.begin(), keys.end());
  IdVector<PortionId, std::uint32_t> rank(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) rank[std::get<PortionId>(keys[i])] = i;
  return rank;
}

}  // namespace

WholeQuotas round_amounts(const ClusterSnapshot& cluster, const Workload& workload, const Amounts& amounts,
                          const NodeClasses& classes) {
  Dealer<ZoneId> zones(cluster, workload, cluster.zones.size());
  Dealer<ClassId> in_class(cluster, workload, classes.classes.size());
  for (CommodityId id : workload.commodities.ids()) {
    const Commodity& commodity = workload.commodities[id];
    const double tiny = 1e-9 * commodity.work;
    if (commodity.any_class) {
      for (ZoneId zone : amounts.in_zone[id].ids())
        if (amounts.in_zone[id][zone] > tiny) zones.offer(zone, amounts.in_zone[id][zone]);
      zones.deal(commodity, amounts.unserved[id], tiny);
    } else {
      for (const auto& [c, work] : amounts.in_class[id])
        if (work > tiny) in_class.offer(c, work);
      in_class.deal(commodity, amounts.unserved[id], tiny);
    }
  }
  WholeQuotas result{std::move(zones.lists), std::move(in_class.lists)};
  const IdVector<PortionId, std::uint32_t> rank = ranks_by_urgency(cluster, workload);
  const auto before = [&](const Quota& a, const Quota& b) { return rank[a.portion] < rank[b.portion]; };
  for (std::vector<Quota>& list : result.zone) std::sort(list.begin(), list.end(), before);
  for (std::vector<Quota>& list : result.in_class) std::sort(list.begin(), list.end(), before);
  return result;
}

}  // namespace lips
