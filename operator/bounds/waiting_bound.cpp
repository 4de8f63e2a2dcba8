#include "bounds/waiting_bound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bounds/slot_flow.h"
#include "bounds/slot_prices.h"

namespace lips {

namespace {

constexpr int tight_rounds = 24;         // at the first waiting price
constexpr int tight_rounds_further = 8;  // at the others, from where the one before ended
constexpr int tight_prices = 6;

struct RelaxedSchedule {
  double usd = 0, mean_wait = 0;
};

// Frank and Wolfe's method on the convex hull of the choices of homes: each round serves the shares that jobs have of
// their homes by a flow, and moves a part of each job to the home that is best at the prices so far. Those are the mean
// over the rounds: prices of single rounds swing, because all jobs answer them at once, and a concave function is at
// the mean at least what it is in the mean. What readers pay for copies moves towards what they save by them.
class Rounds {
 public:
  Rounds(const RelaxedRun& run, const TimeGrid& grid, double waiting_price)
      : run_(run),
        grid_(grid),
        copies_(run),
        prices_(run, grid, waiting_price),
        shares_(run.jobs().size(), std::vector<double>(run.zones(), 0)) {
    look();
  }

  // Keeps what capacity costs.
  void change_waiting_price(double waiting_price) {
    prices_.change_waiting_price(grid_, waiting_price);
    least_ = -1e300;
    look();
    round_ = std::min(round_, tight_rounds_further);
  }

  void make(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const double step = 2.0 / (2 + round_++);
      move_homes(step);
      const std::optional<SlotFlow> flow = cheapest_flow(run_, grid_, copies_, shares_, prices_.waiting_price);
      if (!flow) return;
      schedule_ = RelaxedSchedule{flow->usd - prices_.waiting_price * run_.work() * flow->mean_wait, flow->mean_wait};
      least_ = std::max(least_, dual_value(run_, grid_, copies_, flow->prices).usd);
      prices_.approach(flow->prices, step);
      look();
      copies_.approach(saves_, step);
    }
  }

  WaitingCut cut() const { return {prices_.waiting_price, Usd(least_)}; }
  const std::optional<RelaxedSchedule>& schedule() const { return schedule_; }  // of the last round

 private:
  void look() {
    DualValue value = dual_value(run_, grid_, copies_, prices_);
    least_ = std::max(least_, value.usd);
    homes_ = std::move(value.homes);
    saves_ = std::move(value.saves);
  }

  void move_homes(double step) {
    for (std::size_t j = 0; j < shares_.size(); ++j) {
      for (double& share : shares_[j]) share *= 1 - step;
      shares_[j][homes_[j]] += step;
    }
  }

  const RelaxedRun& run_;
  const TimeGrid& grid_;
  CopyShares copies_;
  SlotPrices prices_;
  HomeShares shares_;
  std::vector<std::size_t> homes_;
  ReadingThere saves_;
  int round_ = 0;
  double least_ = -1e300;
  std::optional<RelaxedSchedule> schedule_;
};

struct Bracket {
  double low = 0, high = 0;
  // Waits fall as their price rises, about as its inverse.
  double middle() const { return low > 0 ? std::sqrt(low * high) : high / 2; }
};

// The prices next to the one whose cut is best for that mean wait.
Bracket around_best(const WholeRun& run, std::vector<WaitingCut> cuts, Duration mean_wait) {
  std::sort(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) { return a.price < b.price; });
  const auto value = [&](const WaitingCut& cut) {
    return cut.least.value() - cut.price * total_work(run) * to_seconds(mean_wait);
  };
  const auto best =
      std::max_element(cuts.begin(), cuts.end(), [&](const auto& a, const auto& b) { return value(a) < value(b); });
  return {best == cuts.begin() ? best->price : std::prev(best)->price,
          std::next(best) == cuts.end() ? best->price : std::next(best)->price};
}

// The cheapest mixture of two of the schedules that waits no longer; infinite where there is none.
double cheapest_mixture(const std::vector<RelaxedSchedule>& schedules, double mean_wait) {
  double least = 1e300;
  for (const RelaxedSchedule& quick : schedules) {
    if (quick.mean_wait > mean_wait) continue;
    least = std::min(least, quick.usd);
    for (const RelaxedSchedule& slow : schedules) {
      if (slow.mean_wait <= mean_wait) continue;
      const double share = (mean_wait - quick.mean_wait) / (slow.mean_wait - quick.mean_wait);
      least = std::min(least, quick.usd + share * (slow.usd - quick.usd));
    }
  }
  return least;
}

}  // namespace

Result<std::vector<WaitingCut>> waiting_cuts(const WholeRun& run, std::span<const double> waiting_prices,
                                             const WaitingBoundSettings& settings) {
  const RelaxedRun relaxed(run);
  if (!relaxed.possible()) return fail(ErrorCode::invalid_input, "no node can run a task");
  const TimeGrid grid(relaxed, settings.slot, settings.tail);
  std::vector<WaitingCut> cuts;
  for (double factor : waiting_prices) {
    Rounds rounds(relaxed, grid, factor * relaxed.mean_price() / 3600);
    rounds.make(settings.rounds);
    cuts.push_back(rounds.cut());
  }
  return cuts;
}

Usd least_dollars_with_mean_wait(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait) {
  Usd best{0};
  for (const WaitingCut& cut : cuts)
    best = std::max(best, cut.least - Usd(cut.price * total_work(run) * to_seconds(mean_wait)));
  return best;
}

Result<TightBound> tight_bound(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait,
                               const WaitingBoundSettings& settings) {
  if (cuts.empty()) return fail(ErrorCode::invalid_input, "no cuts to tighten");
  const RelaxedRun relaxed(run);
  if (!relaxed.possible()) return fail(ErrorCode::invalid_input, "no node can run a task");
  const TimeGrid grid(relaxed, settings.slot, settings.tail);
  const double wait = to_seconds(mean_wait);
  std::vector<WaitingCut> all(cuts.begin(), cuts.end());
  std::vector<RelaxedSchedule> schedules;
  Bracket bracket = around_best(run, all, mean_wait);
  Rounds rounds(relaxed, grid, bracket.middle());
  const auto look = [&] {
    all.push_back(rounds.cut());
    if (rounds.schedule()) schedules.push_back(*rounds.schedule());
    const double mixture = cheapest_mixture(schedules, wait);  // pays for shares of copies, not for copies
    const bool known = mixture < 1e300 && relaxed.shared_inputs() == 0;
    return TightBound{least_dollars_with_mean_wait(run, all, mean_wait), Usd(known ? mixture : 0)};
  };
  rounds.make(std::max(settings.rounds, tight_rounds));
  TightBound found = look();
  for (int i = 1; i < tight_prices && rounds.schedule(); ++i) {
    (rounds.schedule()->mean_wait > wait ? bracket.low : bracket.high) = rounds.cut().price;
    rounds.change_waiting_price(bracket.middle());
    rounds.make(tight_rounds_further);
    found = look();
  }
  if (cheapest_mixture(schedules, wait) < 1e300 || !rounds.schedule()) return found;
  rounds.change_waiting_price(bracket.high);  // all waited longer so far
  rounds.make(tight_rounds_further);
  return look();
}

}  // namespace lips
