// A tenant who announces runs that never come, again and again: others who make room for them are delayed no longer
// than somebody counts on such a run, and the tenant pays for what is left to runs that are late.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "base/random.h"
#include "model/unpaid_room.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

constexpr double forged_step = 60;          // seconds between two plans
constexpr double forged_until = 3 * 3600;   // seconds
constexpr std::uint64_t most_minutes = 15;  // of a task
constexpr PoolId forger{0}, beside_forger{1};

// Two or three zones of different prices, tasks of others that read in one of them, at a load near one.
class ForgedWorld {
 public:
  ForgedWorld(std::uint64_t seed, bool forges, const PolicySettings& settings)
      : random_(seed), with_("lips", builder(), settings, UsdPerMebibyte(1e-6)), budget_(settings.lips.keep_budget) {
    for (const Node& node : with_.state.snapshot().nodes) cores_ += node.capacity.cpu.value();
    Random work(seed + 1'000'000);
    const double load = 0.5 + 0.1 * static_cast<double>(work.below(7));
    for (double at = 0, sum = 0; at < forged_until - 3600; at += forged_step)
      for (; sum < load * cores_ * at;) {
        tasks_.push_back({at, 60.0 * static_cast<double>(1 + work.below(most_minutes))});
        sum += tasks_.back().run;
      }
    forges_ = forges;
  }

  const ClusterSnapshot& cluster() const { return with_.state.snapshot(); }
  double budget() const { return most_unpaid(cluster(), budget_).value(); }
  double cores() const { return cores_; }

  // The starts of the tasks, by their number.
  template <class Look>
  std::map<std::uint32_t, double> run(const Look& look) {
    std::map<std::uint32_t, double> starts;
    std::size_t next = 0;
    for (double now = 0; now < forged_until && !::testing::Test::HasFailure(); now += forged_step) {
      with_.at(now);
      for (auto it = ends_.begin(); it != ends_.end() && it->first <= now; it = ends_.erase(it))
        with_.finish(it->second);
      for (; next < tasks_.size() && tasks_[next].at <= now; ++next)
        with_.add({.pool = beside_forger, .arrival = now, .blocks = {block_}, .cpu = tasks_[next].run});
      if (forges_) forge(now);
      const Plan plan = with_.plan();
      look(plan);
      with_.state.keep(plan.account.held, plan.account.kept_room);
      for (const Assignment& assignment : plan.assignments) {
        if (!with_.state.assume(assignment)) continue;
        with_.state.apply(TaskStarted{assignment.task, assignment.node});
        starts[assignment.task.index()] = now;
        ends_.emplace(now + tasks_[assignment.task.index()].run, assignment.task);
      }
    }
    return starts;
  }
  std::size_t tasks() const { return tasks_.size(); }
  double arrival(std::uint32_t task) const { return tasks_[task].at; }

 private:
  struct Planned {
    double at = 0, run = 60;
  };

  ClusterBuilder builder() {
    const auto zones = static_cast<std::uint32_t>(2 + random_.below(2));
    ClusterBuilder builder(zones);
    builder.pool(1);
    std::vector<NodeId> nodes;
    for (std::uint32_t zone = 0; zone < zones; ++zone)
      for (std::uint64_t k = 1 + random_.below(2); k > 0; --k)
        nodes.push_back(builder.node({.zone = ZoneId(zone),
                                      .price = 1e-5 * (1 + 0.5 * zone),
                                      .slots = 100,
                                      .cpu = static_cast<double>(2 + random_.below(6))}));
    block_ = builder.block({nodes[random_.below(nodes.size())]});
    return builder;
  }

  // A few runs within the hour; whoever does not come is followed by another one.
  void forge(double now) {
    std::erase_if(forged_, [&](const ExpectedWork& run) { return run.until() < cluster().now; });
    while (forged_.size() < 3) {
      ExpectedWork run;
      run.job = "forged-" + std::to_string(++named_);
      run.at = TimePoint(seconds(now + static_cast<double>(random_.below(3600))));
      run.work = CpuSeconds(cores_ * 600 * static_cast<double>(1 + random_.below(50)));
      run.input = random_.below(2) == 0 ? DataSetId(0) : DataSetId::none();
      run.pool = forger;
      forged_.push_back(run);
    }
    with_.state.apply(WorkExpected{forged_});
  }

  Random random_;
  BlockId block_;
  Case with_;
  Duration budget_;
  double cores_ = 0;
  bool forges_ = false;
  int named_ = 0;
  std::vector<Planned> tasks_;
  std::vector<ExpectedWork> forged_;
  std::multimap<double, TaskId> ends_;
};

PolicySettings forged_settings(std::uint64_t seed) {
  PolicySettings settings;
  settings.lips.billing = seed % 2 == 0 ? Billing::invoice : Billing::use;
  settings.lips.waiting_price = 0.5;
  settings.lips.fast_path_limit = Usd(0);
  settings.lips.keep_copies = false;
  settings.lips.keep_budget = seconds(seed % 3 == 0 ? 60 : 120);
  return settings;
}

// In any window of T seconds so many core-seconds are left to runs that are late: the tenant's budget with one step of
// what plans leave at most, once and once more for each 43 minutes.
TEST(ForgedRuns, AreLeftNoMoreThanTheirPoolPaysForOnceTheyAreLate) {
  int left = 0, over = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ForgedWorld world(seed, true, forged_settings(seed));
    std::vector<double> sums{0};
    double most_left = 0;
    world.run([&](const Plan& plan) {
      const double late = cores_left_to_late(world.cluster(), plan.account.kept_room)[forger].value();
      left += late > 0, over += world.cluster().pools[forger].unpaid_room.value() > world.budget();
      most_left = std::max(most_left, late);
      sums.push_back(sums.back() + forged_step * late);
      if (world.cluster().pools[forger].unpaid_room.value() > world.budget() && world.cluster().pending_tasks > 0) {
        EXPECT_EQ(plan.account.expected_room().value(), 0) << "nobody counts on the runs of who owes too much";
      }
    });
    if (HasFailure()) return;
    const double most = world.budget() + most_left * forged_step, fade = std::log(2.0) / to_seconds(unpaid_half_life);
    for (std::size_t begin = 0; begin < sums.size(); begin += 3)
      for (std::size_t end = begin + 1; end < sums.size(); end += 5)
        ASSERT_LE(sums[end] - sums[begin], most * (1 + fade * static_cast<double>(end - begin) * forged_step) + 1e-6)
            << begin << " to " << end;
  }
  EXPECT_GT(left, 500);
  EXPECT_GT(over, 500) << "budgets bind";
}

// Nothing is kept empty for them: others start no later in the mean, and next to none of their tasks starts later by
// more than the time for which somebody counts on a run.
TEST(ForgedRuns, DelayNobodyForLong) {
  double delay = 0;
  int tasks = 0, late = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ForgedWorld with(seed, true, forged_settings(seed)), without(seed, false, forged_settings(seed));
    const auto nothing = [](const Plan&) {};
    const std::map<std::uint32_t, double> forged = with.run(nothing), plain = without.run(nothing);
    for (const auto& [task, start] : plain) {
      const double then = forged.contains(task) ? forged.at(task) : forged_until;
      delay += then - start, ++tasks, moved += then != start;
      late += then - start > to_seconds(longest_delay_of_expected);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(moved, 1000) << "runs are counted on";
  EXPECT_LE(delay / tasks, 1) << "seconds in the mean";
  EXPECT_LE(late, tasks / 200);
  std::cout << "mean delay " << delay / tasks << " s; of " << tasks << " tasks " << late << " late\n";
}

}  // namespace
}  // namespace lips::testing
