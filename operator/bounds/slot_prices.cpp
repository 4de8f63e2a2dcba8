#include "bounds/slot_prices.h"

#include <algorithm>

#include "bounds/price_curve.h"

namespace lips {

namespace {

constexpr double closed_price = 1e6;  // USD per CPU-second where a zone has no nodes

double unlimited_price(const RelaxedRun& run, const TimeGrid& grid, std::size_t zone, double waiting_price) {
  if (run.closed(zone)) return closed_price;
  return run.steps(zone).front().price + waiting_price * grid.begin(grid.slots);
}

// Nobody pays more than what a later slot costs, since work can wait for it.
void lower_to_later(const RelaxedRun& run, const TimeGrid& grid, SlotPrices& prices) {
  for (std::size_t z = 0; z < run.zones(); ++z) {
    std::vector<double>& usd = prices.usd[z];
    usd[grid.slots] = unlimited_price(run, grid, z, prices.waiting_price);
    for (std::size_t k = grid.slots; k-- > 0;) usd[k] = std::min(usd[k], usd[k + 1]);
  }
}

struct CheapestPlace {
  double usd = 1e300;
  std::size_t home = 0;
};

// The price of a job by zone, at prices of time.
class JobPrices {
 public:
  JobPrices(const RelaxedRun& run, const std::vector<PriceCurve>& curves, const CopyShares& copies,
            double waiting_price, const BoundJob& job)
      : run_(run), curves_(curves), copies_(copies), waiting_price_(waiting_price), job_(job) {}

  // USD for a CPU-second of a task of that work that starts at once. No later start is cheaper: prices never fall. A
  // task of work w that starts at s and runs for d does its work at mean time s + d / 2, and waits until s.
  double at_once(double from, double work, std::size_t zone) const {
    double least = closed_price;
    for (const double speed : run_.speeds(zone)) {
      const double duration = work / (job_.cores * speed);
      least = std::min(least, curves_[zone].mean(from, duration) - waiting_price_ * duration / 2);
    }
    return least;
  }

  // Shuffle and the work of reduces are linear in where these are, if each takes as much as the smallest; so one home
  // for all of them is optimal. What they take beyond that, each takes where that is cheapest.
  CheapestPlace cheapest_home() const {
    std::vector<double> reduces(run_.zones(), closed_price);
    double beyond = 0;
    for (const AlikeReduces& group : job_.reduces) {
      double least = closed_price;
      for (std::size_t z = 0; z < run_.zones(); ++z) {
        const double price = at_once(job_.reduces_from, group.work, z);
        reduces[z] = std::min(reduces[z], price);
        least = std::min(least, price);
      }
      beyond += group.count * (group.work - job_.reduces.front().work) * least;
    }
    if (!job_.shuffles()) std::fill(reduces.begin(), reduces.end(), *std::min_element(reduces.begin(), reduces.end()));
    std::vector<double> homes(run_.zones(), 0);
    for (std::size_t home = 0; home < homes.size() && !job_.reduces.empty(); ++home)
      homes[home] = job_.reduce_count * job_.reduces.front().work * reduces[home];
    for (const AlikeMaps& group : job_.maps) add_maps(group, homes);
    const auto best = std::min_element(homes.begin(), homes.end());
    return {*best + beyond, static_cast<std::size_t>(best - homes.begin())};
  }

  void add_savings(std::size_t home, ReadingThere& saves) const {
    if (run_.zones() < 2) return;
    for (const AlikeMaps& group : job_.maps)
      if (group.each.reader != no_reader) add_savings(group, home, saves[group.each.reader]);
  }

 private:
  void add_savings(const AlikeMaps& group, std::size_t home, std::vector<double>& saves) const {
    std::vector<double> usd = map_prices(group);
    for (std::size_t z = 0; z < usd.size(); ++z) usd[z] += run_.shuffle(job_, z, home);
    for (std::size_t z = 0; z < usd.size(); ++z) {
      double elsewhere = 1e300;
      for (std::size_t other = 0; other < usd.size(); ++other)
        if (other != z) elsewhere = std::min(elsewhere, usd[other]);
      saves[z] += group.count * std::max(0.0, elsewhere - (usd[z] - copies_.transfer(group.each, z)));
    }
  }

  std::vector<double> map_prices(const AlikeMaps& group) const {
    std::vector<double> usd(run_.zones());
    for (std::size_t z = 0; z < usd.size(); ++z)
      usd[z] = group.each.work * at_once(job_.arrival, group.each.work, z) + copies_.transfer(group.each, z);
    return usd;
  }

  void add_maps(const AlikeMaps& group, std::vector<double>& homes) const {
    const std::vector<double> usd = map_prices(group);
    for (std::size_t home = 0; home < homes.size(); ++home) {
      double least = 1e300;
      for (std::size_t z = 0; z < usd.size(); ++z) least = std::min(least, usd[z] + run_.shuffle(job_, z, home));
      homes[home] += group.count * least;
    }
  }

  const RelaxedRun& run_;
  const std::vector<PriceCurve>& curves_;
  const CopyShares& copies_;
  double waiting_price_;
  const BoundJob& job_;
};

}  // namespace

SlotPrices::SlotPrices(const RelaxedRun& run, const TimeGrid& grid, double price) : waiting_price(price) {
  usd.assign(run.zones(), std::vector<double>(grid.slots + 1));
  for (std::size_t z = 0; z < run.zones(); ++z)
    for (std::size_t k = 0; k <= grid.slots; ++k)
      usd[z][k] = run.closed(z) ? closed_price
                                : std::max(run.mean_price(), run.steps(z).front().price) + price * grid.middle(k);
}

void SlotPrices::change_waiting_price(const TimeGrid& grid, double price) {
  for (std::vector<double>& zone : usd)
    for (std::size_t k = 0; k < zone.size(); ++k) zone[k] += (price - waiting_price) * grid.middle(k);
  waiting_price = price;
}

void SlotPrices::approach(const SlotPrices& other, double share) {
  for (std::size_t z = 0; z < usd.size(); ++z)
    for (std::size_t k = 0; k < usd[z].size(); ++k) usd[z][k] += share * (other.usd[z][k] - usd[z][k]);
}

DualValue dual_value(const RelaxedRun& run, const TimeGrid& grid, const CopyShares& copies, SlotPrices prices) {
  lower_to_later(run, grid, prices);
  DualValue value;
  value.usd = -prices.waiting_price * run.arrived();
  std::vector<PriceCurve> curves;
  for (std::size_t z = 0; z < run.zones(); ++z) {
    curves.emplace_back(grid, prices.usd[z]);
    for (const PriceStep& step : run.steps(z)) value.usd -= curves[z].rent(step, prices.waiting_price);
  }
  value.saves.assign(run.shared_readers().size(), std::vector<double>(run.zones(), 0));
  for (const BoundJob& job : run.jobs()) {
    const JobPrices of_job(run, curves, copies, prices.waiting_price, job);
    const CheapestPlace best = of_job.cheapest_home();
    value.usd += best.usd;
    value.homes.push_back(best.home);
    of_job.add_savings(best.home, value.saves);
  }
  return value;
}

}  // namespace lips
