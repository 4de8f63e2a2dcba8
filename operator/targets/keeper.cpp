#include "targets/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "model/days.h"
#include "model/launch_room.h"
#include "model/work_left.h"
#include "targets/least_cost.h"

namespace lips {

namespace {

constexpr double budget_gain = 40, wait_gain = 6;
constexpr double aim = 0.97;                          // of a target: room for noise, for it is an upper limit
constexpr double tolerance = 1.05;                    // a forecast may exceed its target by so much
constexpr Duration memory = std::chrono::hours(6);    // of forecasts; also what a refusal takes
constexpr Duration patience = std::chrono::hours(3);  // at the limit of the price, before a target is given up
constexpr double least_forecast_work = 1;             // CPU-seconds, and tasks
constexpr double most_credit = 0.005;                 // days
constexpr double share_for_due_work = 0.7;            // of the nodes: other work runs there too
constexpr double most_factor = 64;                    // of the targets of all and of a pool together
constexpr double over_least_wait = 1.3;               // what plans reach of it at best: docs/results.md, targets
constexpr double most_load = 0.9;                     // of nodes on which tasks do not wait for long
constexpr Duration remember_every = std::chrono::minutes(5);

std::string span(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::int64_t hour_of(TimePoint now) { return now.time_since_epoch() / std::chrono::hours(1); }

// Sums that grow fade over `memory`.
void fade(Tally& sum, Duration span) {
  const double left = std::exp(-to_seconds(span) / to_seconds(memory));
  each_field(sum, [&](std::string_view, auto& member) { member *= left; });
}

// Since when it has been true without a break.
bool for_long(std::optional<TimePoint>& since, bool is, TimePoint now) {
  if (!is) return since.reset(), false;
  if (!since) since = now;
  return now - *since >= patience;
}

std::string more_cores(double count) {
  return fmt::format("{:.0f} more core{}", std::ceil(count), std::ceil(count) == 1 ? "" : "s");
}

double a_task(double waited, const ArrivingDay::Of& of) { return of.tasks > 0 ? waited / of.tasks : 0; }

}  // namespace

ArrivingDay::Of& ArrivingDay::Of::operator+=(const Of& more) {
  work += more.work, tasks += more.tasks, waited += more.waited, started += more.started;
  for (std::size_t i = 0; i < least_waited.size(); ++i)
    least_waited[i] += more.least_waited[i], likely_waited[i] += more.likely_waited[i];
  return *this;
}

void ArrivingDay::add(TimePoint now, const Of& more) {
  if (!began_) began_ = now;
  hours_[hour_of(now)] += more;
  hours_.erase(hours_.begin(), hours_.lower_bound(hour_of(now) - 24));
}

TimePoint ArrivingDay::from(TimePoint now) const {
  return std::max(began_.value_or(now), TimePoint(std::chrono::hours(hour_of(now) - 23)));
}

ArrivingDay::Of ArrivingDay::at_least(TimePoint now) const {
  Of sum;
  for (auto hour = hours_.lower_bound(hour_of(from(now))); hour != hours_.end(); ++hour) sum += hour->second;
  return sum;
}

std::optional<ArrivingDay::Of> ArrivingDay::expected(TimePoint now) const {
  if (!began_ || now - *began_ < std::chrono::hours(1)) return std::nullopt;
  Of day = at_least(now);
  const double share = to_seconds(now - from(now)) / to_seconds(one_day);
  day.work /= share, day.tasks /= share;
  return day;
}

Tally TargetKeeper::update(const ClusterSnapshot& cluster, const std::string& pool, Hold& hold) const {
  const Tally sum = ledger_.sum(pool), more = sum - hold.seen;
  hold.seen = sum;
  if (hold.updated) fade(hold.recent, cluster.now - *hold.updated);
  hold.recent += more;
  hold.updated = cluster.now;
  hold.arriving.add(cluster.now,
                    {more.arrived_work.value(), more.arrived_tasks, more.waited, more.started,
                     hold.least_waits.take(cluster.now, capacity_.nodes()), std::exchange(hold.likely_waited, {})});
  return more;
}

// CPU-seconds pending beyond the mean of about a day.
double TargetKeeper::unusual_backlog(const ClusterSnapshot& cluster, const std::string& pool, Hold& hold) {
  double backlog = 0;
  for (const JobId id : cluster.pending)
    if (const Job& job = cluster.jobs[id]; pool.empty() || cluster.pools[job.pool].name == pool)
      backlog += job.pending_work.value();
  const double span = to_seconds(hold.looked ? cluster.now - *hold.looked : Duration(0));
  hold.looked = cluster.now;
  hold.usual_backlog += (backlog - hold.usual_backlog) * (1 - std::exp(-span / to_seconds(one_day)));
  return std::max(0.0, backlog - hold.usual_backlog);
}

TargetReport TargetKeeper::hold_budget(const ClusterSnapshot& cluster, const std::string& pool, const Tally& more,
                                       const Targets& targets, Hold& hold) const {
  TargetReport said;
  said.kind = TargetKind::budget_per_day;
  said.target = targets.budget_per_day.value();
  const std::optional<ArrivingDay::Of> day = hold.arriving.expected(cluster.now);
  const Billing billing = pool.empty() ? around_.billing : Billing::use;  // no invoice is a pool's alone
  const double fixed = pool.empty() ? (ledger_.fixed_rate() * one_day).value() : 0;
  if (fixed > said.target) {
    said.forecast = fixed;
    said.state = TargetState::cannot;
    said.why = fmt::format("the fixed nodes alone cost {:.2f} USD a day: fewer of them, or a higher budget", fixed);
    return said;
  }
  const double unusual = unusual_backlog(cluster, pool, hold);
  if (!day || day->work <= 0) return said;
  // A budget alone never makes waits dearer than the setting, so it has no use for more credit than evens out noise.
  const bool alone = targets.mean_wait <= Duration(0) && targets.complete_by <= Duration(0);
  // The part that varies is paced by work, not by time: a day's work has its share of the budget. There is more of it
  // than arrives where an unusual backlog is to be worked off.
  const Tally today = ledger_.day(pool, day_of(cluster.now));
  const TimePoint midnight(one_day * (day_of(cluster.now) + 1));
  const double left = to_seconds(midnight - cluster.now) / to_seconds(one_day);
  const double coming = today.work.value() + left * day->work + unusual;
  const double work_of_day = std::max(day->work, coming);
  const double room = std::max(aim * said.target - fixed, 0.02 * said.target);
  const double variable = (more.dollars - more.fixed).value();
  hold.budget.charge((variable - room * more.work.value() / work_of_day) / room, budget_gain, alone ? most_credit : 1);
  const double recent_work = hold.recent.work.value();
  if (recent_work < least_forecast_work) return said;
  const double a_second = (hold.recent.dollars - hold.recent.fixed).value() / recent_work;
  said.forecast = fixed + a_second * day->work;
  const double so_far = hold.arriving.at_least(cluster.now).work;  // more may come, or not
  const auto least_of = [&](double work) { return least_cost_of_day(cluster, billing, CpuSeconds(work)).value(); };
  const double at_this_price = fixed + a_second * so_far;
  const bool stuck = for_long(hold.exhausted[said.kind], hold.budget.exhausted(budget_gain), cluster.now);
  const double least = least_of(so_far);
  said.state = said.forecast > tolerance * said.target ? TargetState::behind : TargetState::held;
  if (least > said.target)
    said.why = fmt::format("the work so far costs at least {:.2f} USD on the cheapest of these nodes", least);
  else if (stuck && at_this_price > tolerance * said.target)
    said.why = fmt::format("with waits as cheap as they get the work so far still costs {:.2f} USD", at_this_price);
  if (said.why.empty()) return said;
  said.state = TargetState::cannot;
  said.why += fmt::format(": a budget of about {:.2f} USD if the day goes on like that, cheaper nodes or less work",
                          std::max(said.forecast, least_of(day->work)));
  return said;
}

// By what has arrived: why no price of waiting holds the mean wait of this day.
std::string TargetKeeper::out_of_reach(TimePoint now, const ArrivingDay::Of& day, double target,
                                       const Hold& hold) const {
  const ArrivingDay::Of past = hold.arriving.at_least(now);
  const double load = past.work / to_seconds(one_day) / std::max(1e-9, capacity_.work_rate);
  if (load > 1)
    return fmt::format("{:.0f} % of what the nodes can do in a day has come within one: it takes {}", 100 * load,
                       cores_to_add(now, target, hold));
  if (hold.wait.debt <= 0) return {};  // it is held so far
  if (over_least_wait * past.least_waited[0] / day.tasks <= tolerance * target) return {};
  return fmt::format(
      "even if all nodes did the shortest tasks first, the tasks so far would wait {} in the mean: it takes {}",
      span(a_task(past.least_waited[0], past)), cores_to_add(now, target, hold));
}

// If the day goes on like that. The likely waits of these tasks have to be short enough, and those of all, since it is
// chance who comes first. Where even the most nodes leave them too long, the least wait says what it takes at least.
std::string TargetKeeper::cores_to_add(TimePoint now, double target, const Hold& hold,
                                       std::optional<double> measured) const {
  const ArrivingDay& arriving = holds_.at(everyone).arriving;
  const ArrivingDay::Of past = hold.arriving.at_least(now), all = arriving.at_least(now);
  const double work = arriving.expected(now).value_or(all).work;
  const double by_load = work / to_seconds(one_day) / std::max(1e-9, capacity_.work_rate) / most_load;
  const auto first_within = [&](auto wait) {
    std::size_t i = 1;
    while (i < LeastWaits::times.size() && wait(i) > aim * target) ++i;
    return i;
  };
  const double likely_now = a_task(past.likely_waited[0], past);
  const double longer = measured && likely_now > 0 ? std::max(1.0, *measured / likely_now) : 1;
  std::string_view how = "about";
  std::size_t enough = first_within([&](std::size_t i) {
    return longer * std::max(a_task(past.likely_waited[i], past), a_task(all.likely_waited[i], all));
  });
  if (enough == LeastWaits::times.size()) {
    how = "at least";
    enough = first_within([&](std::size_t i) { return over_least_wait * a_task(past.least_waited[i], past); });
  }
  if (enough == LeastWaits::times.size()) how = "more than", --enough;
  return fmt::format("{} {}", how, more_cores((std::max(by_load, LeastWaits::times[enough]) - 1) * capacity_.cores));
}

std::string TargetKeeper::still_waits(TimePoint now, double target, double waits, const Hold& hold) const {
  return fmt::format(
      "with waits as dear as they get tasks still wait {} in the mean: it takes {}", span(waits),
      capacity_.grows ? "nodes that are there before the work comes" : cores_to_add(now, target, hold, waits));
}

// The day may have a burst that is worked off before waits have been as dear as they get for long.
std::string TargetKeeper::missed_for_a_day(TimePoint now, double target, const Hold& hold) const {
  if (hold.arriving.known(now) < 2 * one_day || !hold.dearest || now - *hold.dearest >= one_day) return {};
  const ArrivingDay::Of past = hold.arriving.at_least(now);
  return past.waited > tolerance * target * past.started ? still_waits(now, target, past.waited / past.started, hold)
                                                         : "";
}

TargetReport TargetKeeper::hold_wait(const ClusterSnapshot& cluster, const Tally& more, Duration most,
                                     Hold& hold) const {
  TargetReport said;
  said.kind = TargetKind::mean_wait;
  said.target = to_seconds(most);
  const std::optional<ArrivingDay::Of> day = hold.arriving.expected(cluster.now);
  if (!day || day->tasks <= 0) return said;
  const double wanted = aim * said.target;
  hold.wait.charge((more.waited - wanted * more.started) / (wanted * day->tasks), wait_gain);
  if (hold.recent.started < least_forecast_work) return said;
  said.forecast = hold.recent.mean_wait();
  const bool beyond = said.forecast > said.target * tolerance;
  const bool stuck = for_long(hold.exhausted[said.kind], hold.wait.exhausted(wait_gain), cluster.now);
  said.state = beyond ? TargetState::behind : TargetState::held;
  if (hold.wait.exhausted(wait_gain)) hold.dearest = cluster.now;
  if (!capacity_.grows) said.why = out_of_reach(cluster.now, *day, said.target, hold);
  if (said.why.empty() && stuck && beyond) said.why = still_waits(cluster.now, said.target, said.forecast, hold);
  if (said.why.empty()) said.why = missed_for_a_day(cluster.now, said.target, hold);
  if (!said.why.empty()) said.state = TargetState::cannot;
  return said;
}

TargetReport TargetKeeper::hold_deadline(const ClusterSnapshot& cluster, const std::string& pool,
                                         Duration time_of_day) const {
  TargetReport said;
  said.kind = TargetKind::complete_by;
  TimePoint by(one_day * day_of(cluster.now) + time_of_day);
  if (by <= cluster.now) by += one_day;
  const DueWork due = ledger_.due(cluster, pool, by);
  said.target = to_seconds(by - cluster.now);
  said.forecast = due.jobs > 0 ? due.longest + due.work / std::max(1e-9, capacity_.work_rate) : 0;
  said.reached = to_seconds(ledger_.lateness(pool, by - one_day).value_or(Duration(0)));
  const double beside_others = due.longest + (said.forecast - due.longest) / share_for_due_work;
  said.factor = deadline_factor(due.jobs > 0 ? beside_others : 0, said.target);
  said.state = deadline_state(said.forecast, said.target);
  if (said.state != TargetState::cannot) return said;
  const double time = std::max(1.0, said.target - due.longest);
  said.why =
      fmt::format("the work due takes {} at full speed, and {} are left", span(said.forecast), span(said.target));
  if (due.longest < said.target)
    said.why +=
        ": it takes about " + more_cores((due.work / time / std::max(1e-9, capacity_.work_rate) - 1) * capacity_.cores);
  return said;
}

void TargetKeeper::report(TargetReport said, const std::string& pool, double factor, Hold& hold) {
  said.pool = pool;
  said.factor = factor;
  if (std::exchange(hold.state[said.kind], said.state) != said.state && around_.changed) around_.changed(said);
  reports_.push_back(std::move(said));
}

double TargetKeeper::hold(const ClusterSnapshot& cluster, const std::string& pool, const Targets& targets) {
  Hold& hold = holds_[pool];
  const Tally more = update(cluster, pool, hold);
  if (!targets.any()) return 1;
  const Tally today = ledger_.day(pool, day_of(cluster.now));
  std::vector<TargetReport> said;
  std::optional<double> faster;  // the least price that is fast enough
  if (targets.mean_wait > Duration(0)) {
    said.push_back(hold_wait(cluster, more, targets.mean_wait, hold));
    said.back().reached = today.mean_wait();
    faster = hold.wait.factor(DebtMakesWaiting::dearer, wait_gain);
  }
  if (targets.complete_by > Duration(0)) {
    said.push_back(hold_deadline(cluster, pool, targets.complete_by));
    faster = std::max(faster.value_or(0), said.back().factor);
  }
  double factor = faster.value_or(1);
  if (targets.budget_per_day.value() > 0) {
    said.push_back(hold_budget(cluster, pool, more, targets, hold));
    said.back().reached = today.dollars.value();
    const double most = hold.budget.factor(DebtMakesWaiting::cheaper, budget_gain);
    factor = std::min(factor, most);  // a budget alone asks for no more than the setting
  }
  for (TargetReport& one : said) report(std::move(one), pool, factor, hold);
  return factor;
}

void TargetKeeper::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  of_jobs_.on_event(cluster, event);
  ledger_.on_event(cluster, event);
  if (!active_) return;
  if (std::holds_alternative<ClusterListed>(event)) {
    counted_ = latest_;
    for (auto& [pool, hold] : holds_) hold.least_waits.begin_anew();
  }
  if (std::holds_alternative<JobArrived>(event))
    can_start(cluster, JobId(static_cast<std::uint32_t>(cluster.jobs.size() - 1)));
  if (const auto* released = std::get_if<JobReleased>(&event)) can_start(cluster, released->job);
  if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event))
    for (const std::string& pool : {everyone, pool_of(cluster, cluster.jobs[cluster.tasks[withdrawn->task].job])})
      holds_[pool].least_waits.withdraw();
}

void TargetKeeper::can_start(const ClusterSnapshot& cluster, JobId id) {
  const Job& job = cluster.jobs[id];
  latest_ = std::max(latest_, job.arrival);
  for (const TaskGroup& group : cluster.groups[id]) {
    const LeastWaits::Sums likely =
        job.arrival <= counted_
            ? LeastWaits::Sums{}
            : likely_waits_.arrive(cluster.now, capacity_.nodes(), group.count, group.cpu, job.request.cpu);
    for (const std::string& pool : {everyone, pool_of(cluster, job)}) {
      Hold& hold = holds_[pool];
      hold.least_waits.arrive(cluster.now, capacity_.nodes(), group.count, group.cpu, job.request.cpu);
      for (std::size_t i = 0; i < likely.size(); ++i) hold.likely_waited[i] += likely[i];
    }
  }
}

// The time before belongs to no target. A debt of its own is newer than one that was kept.
void TargetKeeper::begin(const ClusterSnapshot& cluster) {
  ledger_.advance(cluster);
  remembered_ = cluster.now;
  for (const TargetDebt& debt : cluster.target_debts) {
    const auto [hold, added] = holds_.try_emplace(debt.pool);
    if (!added) continue;
    hold->second.budget.charge(debt.budget, budget_gain);
    hold->second.wait.charge(debt.wait, wait_gain);
  }
  holds_[everyone].seen = ledger_.sum(everyone);
  for (const Pool& pool : cluster.pools) holds_[pool.name].seen = ledger_.sum(pool.name);
}

IdVector<PoolId, double> TargetKeeper::factors(const ClusterSnapshot& cluster) {
  const Targets all = around_.of_all();
  reports_.clear();
  const bool wanted = all.any() || std::any_of(cluster.pools.begin(), cluster.pools.end(),
                                               [](const Pool& pool) { return pool.targets.any(); });
  if (wanted && !active_) begin(cluster);
  active_ = wanted;
  if (!active_) return IdVector<PoolId, double>(cluster.pools.size(), 1);
  ledger_.advance(cluster);
  capacity_ = {work_rate(cluster)};
  for (const Node& node : cluster.nodes)
    if (node.schedulable) capacity_.cores += node.capacity.cpu.value();
  for (const Offer& offer : cluster.offers) capacity_.grows |= nodes_left(cluster, offer) > 0;
  const double of_all = hold(cluster, everyone, all);
  IdVector<PoolId, double> result;
  for (const Pool& pool : cluster.pools) {
    const double factor = of_all * hold(cluster, pool.name, pool.targets);
    result.push_back(std::clamp(factor, 1 / most_factor, most_factor));
  }
  return result;
}

std::optional<std::vector<TargetDebt>> TargetKeeper::to_remember(TimePoint now) {
  if (!active_ || (remembered_ && now - *remembered_ < remember_every)) return std::nullopt;
  remembered_ = now;
  std::vector<TargetDebt> debts;
  for (const auto& [pool, hold] : holds_)
    if (hold.budget.debt != 0 || hold.wait.debt != 0) debts.push_back({pool, hold.budget.debt, hold.wait.debt});
  return debts;
}

}  // namespace lips
