#include "bounds/slot_prices.h"

#include <algorithm>
#include <cmath>

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

// What the capacity of one price step earns in one slot beyond its own price: the integral over the slot of
// max(0, usd - price - waiting price x time).
double rent(const PriceStep& step, double usd, double begin, double slot, double waiting_price) {
  const double first = usd - step.price - waiting_price * begin, last = first - waiting_price * slot;
  if (first <= 0) return 0;
  return step.rate * (last >= 0 ? slot * (first + last) / 2 : first * first / (2 * waiting_price));
}

struct CheapestPlace {
  double usd = 1e300;
  std::size_t home = 0;
};

// Shuffle and reduce work are linear in the placement of reducers, so one home for all of them is optimal.
CheapestPlace cheapest_home(const RelaxedRun& run, const BoundJob& job, const std::vector<double>& map_price,
                            const std::vector<double>& reduce_price) {
  CheapestPlace best;
  const double least_reduce_price = *std::min_element(reduce_price.begin(), reduce_price.end());
  for (std::size_t home = 0; home < (job.shuffles() ? run.zones() : 1); ++home) {
    double usd = job.reduce_work * (job.shuffles() ? reduce_price[home] : least_reduce_price);
    for (const AlikeMaps& group : job.maps) {
      double least = 1e300;
      for (std::size_t z = 0; z < run.zones(); ++z)
        least =
            std::min(least, group.each.work * map_price[z] + run.transfer(group.each, z) + run.shuffle(job, z, home));
      usd += group.count * least;
    }
    if (usd < best.usd) best = {usd, home};
  }
  best.usd += job.reduce_excess * least_reduce_price;
  return best;
}

}  // namespace

TimeGrid::TimeGrid(const RelaxedRun& run, Duration slot_length, Duration tail) : slot(to_seconds(slot_length)) {
  slots = static_cast<std::size_t>(std::ceil((run.last_arrival() + to_seconds(tail)) / slot)) + 1;
}

std::size_t TimeGrid::slot_of(double second) const { return std::min(slots, static_cast<std::size_t>(second / slot)); }

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

DualValue dual_value(const RelaxedRun& run, const TimeGrid& grid, SlotPrices prices) {
  lower_to_later(run, grid, prices);
  DualValue value;
  value.usd = -prices.waiting_price * (run.arrived() + run.half_durations());
  for (std::size_t z = 0; z < run.zones(); ++z)
    for (std::size_t k = 0; k < grid.slots; ++k)
      for (const PriceStep& step : run.steps(z))
        value.usd -= rent(step, prices.usd[z][k], grid.begin(k), grid.slot, prices.waiting_price);
  std::vector<double> map_price(run.zones()), reduce_price(run.zones());
  for (const BoundJob& job : run.jobs()) {
    for (std::size_t z = 0; z < run.zones(); ++z) {
      map_price[z] = prices.usd[z][grid.slot_of(job.arrival)];
      reduce_price[z] = prices.usd[z][grid.slot_of(job.reduces_from)];
    }
    const CheapestPlace best = cheapest_home(run, job, map_price, reduce_price);
    value.usd += best.usd;
    value.homes.push_back(best.home);
  }
  return value;
}

}  // namespace lips
