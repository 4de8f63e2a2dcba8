// Drivers whose workers come in time, late, in part or never: what is held is paid for, and gives way to tasks that are
// here (docs/policies.md#room-for-tasks-to-come).
#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.h"
#include "model/entitlements.h"
#include "model/unpaid_room.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

constexpr double step = 1;  // seconds between two plans

// An application as its tenant has it in mind: so many workers of the announced ones come so long after the driver has
// started.
struct Application {
  PoolId pool;
  double at = 0, worker_cores = 1, come_after = 0, run = 60;
  std::uint32_t announced = 0, come = 0;
  TaskId driver = TaskId::none();
  std::optional<double> started;
  std::uint32_t created = 0;
};

struct SmallTask {
  double at = 0, cores = 0.1, run = 20;
};

class World {
 public:
  static constexpr PoolId keeper{0}, other{1};

  World(std::uint64_t seed, bool honest, const PolicySettings& settings)
      : random_(seed), honest_(honest), with_("lips", builder(), settings), budget_(settings.lips.keep_budget) {
    const std::uint64_t count = honest ? 2 + random_.below(5) : 5 + random_.below(40);
    for (std::uint64_t i = 0; i < count; ++i) applications_.push_back(draw(i));
    for (std::uint64_t i = 0, tasks = 5 + random_.below(20); i < tasks; ++i)
      small_.push_back({static_cast<double>(random_.below(400)), 0.1 * static_cast<double>(1 + random_.below(10)),
                        static_cast<double>(5 + random_.below(60))});
  }

  bool elastic() const { return !with_.state.snapshot().offers.empty(); }

  // Each plan in turn, for so many seconds; true: go on.
  template <class Look>
  void run(double until, const Look& look) {
    for (double now = 0; now < until && !::testing::Test::HasFailure(); now += step) {
      with_.at(now);
      arrive(now);
      const Plan plan = with_.plan();
      look(now, plan);
      with_.state.keep(plan.account.held);
      for (const Assignment& assignment : plan.assignments) {
        if (!with_.state.assume(assignment)) continue;  // planned for room that is about to be free
        with_.state.apply(TaskStarted{assignment.task, assignment.node});
        started(assignment.task, now);
      }
    }
  }

  const ClusterSnapshot& cluster() const { return with_.state.snapshot(); }
  double budget() const { return most_unpaid(cluster(), budget_).value(); }
  bool is_driver(TaskId task) const { return of_driver_.contains(task); }
  // The largest worker of the keeper's applications.
  double largest_worker() const {
    double most = 0;
    for (const Application& each : applications_) most = std::max(most, each.worker_cores);
    return most;
  }

 private:
  ClusterBuilder builder() {
    ElasticBuilder builder(2);
    builder.pool(1);
    elastic_ = random_.below(3) == 0;
    for (std::uint64_t i = 0, nodes = 2 + random_.below(6); i < nodes; ++i)
      builder.node({.zone = ZoneId(static_cast<std::uint32_t>(random_.below(2))),
                    .price = 1e-5 * static_cast<double>(1 + random_.below(3)),
                    .slots = 100,
                    .cpu = 0.5 * static_cast<double>(2 + random_.below(12))});
    if (elastic_) builder.offer(ZoneId(0), 0.2, 4);
    return builder;
  }

  Application draw(std::uint64_t i) {
    Application one;
    one.pool = keeper;
    one.at = honest_ ? static_cast<double>(random_.below(300)) : static_cast<double>(i);
    one.worker_cores = 0.5 * static_cast<double>(1 + random_.below(4));
    one.announced = honest_ ? static_cast<std::uint32_t>(1 + random_.below(5))
                            : static_cast<std::uint32_t>(1 + random_.below(random_.below(2) == 0 ? 10 : 100'000));
    one.come_after = static_cast<double>(1 + random_.below(honest_ ? 20 : 200));
    const std::uint32_t most = std::min(one.announced, 8U);
    one.come = honest_ ? one.announced : random_.below(3) == 0 ? static_cast<std::uint32_t>(random_.below(most)) : 0;
    one.run = static_cast<double>(20 + random_.below(200));
    return one;
  }

  TaskId add(const Application& one, std::uint32_t number, double now, bool drives) {
    JobArrived arrived = job(cluster(), {.name = "application-" + std::to_string(number) + (drives ? "-driver" : ""),
                                         .pool = one.pool,
                                         .arrival = now,
                                         .maps = 1,
                                         .cpu = one.run * (drives ? 0.1 : one.worker_cores),
                                         .shuffle = 100,
                                         .cores = drives ? 0.1 : one.worker_cores});
    arrived.job.coordinates = drives;
    WholeJob& whole = arrived.job.whole;
    whole.id = WholeJobId(number), whole.peers = true, whole.expected = one.announced + 1;
    whole.each = {Cores(one.worker_cores), Mebibytes(100), 1};
    whole.arrived = cluster().now;
    with_.state.apply(arrived);
    const auto task = TaskId(static_cast<std::uint32_t>(cluster().tasks.size() - 1));
    run_[task] = one.run;
    return task;
  }

  void arrive(double now) {
    for (auto it = ends_.begin(); it != ends_.end() && it->first <= now; it = ends_.erase(it)) with_.finish(it->second);
    for (std::uint32_t i = 0; i < applications_.size(); ++i) {
      Application& each = applications_[i];
      if (!each.driver.valid() && each.at <= now) of_driver_[each.driver = add(each, i, now, true)] = i;
      if (each.started && now >= *each.started + each.come_after)
        for (; each.created < each.come; ++each.created) add(each, i, now, false);
    }
    for (const SmallTask& task : small_)
      if (task.at >= now && task.at < now + step) {
        with_.add({.pool = other, .arrival = now, .maps = 1, .cpu = task.run * task.cores, .cores = task.cores});
        run_[TaskId(static_cast<std::uint32_t>(cluster().tasks.size() - 1))] = task.run;
      }
  }

  void started(TaskId task, double now) {
    if (const auto driver = of_driver_.find(task); driver != of_driver_.end())
      applications_[driver->second].started = now;
    ends_.emplace(now + run_.at(task), task);
  }

  Random random_;
  bool honest_, elastic_ = false;
  Case with_;
  Duration budget_;
  std::vector<Application> applications_;
  std::vector<SmallTask> small_;
  std::map<TaskId, std::uint32_t> of_driver_;
  std::map<TaskId, double> run_;
  std::multimap<double, TaskId> ends_;
};

PolicySettings settings_for(std::uint64_t seed) {
  PolicySettings settings;
  settings.lips.billing = seed % 2 == 0 ? Billing::invoice : Billing::use;
  settings.lips.keep_budget = seconds(seed % 3 == 0 ? 5 : seed % 3 == 1 ? 20 : 120);
  return settings;
}

double kept_cores(const ClusterSnapshot& cluster, const Plan& plan, PoolId pool) {
  double cores = 0;
  for (const HeldRoom& room : plan.account.held)
    if (is_for_tasks_to_come(room.reason) && cluster.jobs[room.job].pool == pool) cores += room.room.cpu.value();
  return cores;
}

// In any window of T seconds the pool keeps at most so many core-seconds empty: its budget with one step of all cores
// above it, once and once more for each 43 minutes, which is what fades; what its tasks use; and a worker's room for a
// step beside each driver that starts.
TEST(TasksThatNeverCome, KeepNoMoreCoreSecondsThanTheirPoolPaysFor) {
  int over = 0, windows = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed, false, settings_for(seed));
    std::vector<double> kept{0}, used{0}, beside{0};  // sums until each plan
    double budget = 0, cores = 0;
    world.run(600, [&](double, const Plan& plan) {
      const ClusterSnapshot& cluster = world.cluster();
      double starting = 0, here = 0, used_now = cluster.pool_cores[World::keeper].value();
      for (const Assignment& assignment : plan.assignments) {
        const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
        if (world.is_driver(assignment.task)) starting += world.largest_worker();
        if (job.pool == World::keeper) used_now += job.request.cpu.value();
      }
      for (const Node& node : cluster.nodes)
        if (node.schedulable) here += node.capacity.cpu.value();
      budget = world.budget(), cores = here;
      over += cluster.pools[World::keeper].unpaid_room.value() > budget;
      kept.push_back(kept.back() + step * kept_cores(cluster, plan, World::keeper));
      used.push_back(used.back() + step * used_now);
      beside.push_back(beside.back() + step * starting);
    });
    if (HasFailure()) return;
    const double most = budget + cores * step, fade = std::log(2.0) / to_seconds(unpaid_half_life);
    for (std::size_t begin = 0; begin < kept.size(); begin += 7)
      for (std::size_t end = begin + 1; end < kept.size(); end += 13, ++windows) {
        const double time = static_cast<double>(end - begin) * step;
        ASSERT_LE(kept[end] - kept[begin],
                  most * (1 + fade * time) + used[end] - used[begin] + beside[end] - beside[begin] + 1e-6)
            << begin << " to " << end;
      }
  }
  EXPECT_GT(over, 1000) << "budgets bind";
  EXPECT_GT(windows, 100'000);
}

// A small task of another pool, within its share, starts with the next plan where some node has room beside what runs.
TEST(TasksThatNeverCome, KeepNobodyElseWaiting) {
  int beside = 0, asked = 0, kept_out = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PolicySettings settings = settings_for(seed);
    settings.lips.keep_budget = std::chrono::hours(1000);  // it does not help them
    World world(seed, false, settings);
    world.run(450, [&](double now, const Plan& plan) {
      const ClusterSnapshot& cluster = world.cluster();
      std::map<TaskId, NodeId> starts;
      IdVector<NodeId, Resources> free = cluster.free;
      for (const Assignment& assignment : plan.assignments) {
        starts[assignment.task] = assignment.node;
        const Resources& request = cluster.jobs[cluster.tasks[assignment.task].job].request;
        if (fits(request, free[assignment.node])) free[assignment.node] -= request;
      }
      const double kept = kept_cores(cluster, plan, World::keeper);
      for (const JobId id : cluster.pending) {
        const Job& job = cluster.jobs[id];
        if (job.pool != World::other) continue;
        ++asked;
        beside += kept > 0;
        if (starts.contains(job.first_task)) continue;
        if (world.elastic() || settings.lips.billing == Billing::use) {  // it may wait by choice
          kept_out += std::ranges::count(plan.deferrals, Deferral{job.first_task, DeferralReason::no_capacity}) > 0;
          continue;
        }
        for (const NodeId node : cluster.nodes.ids())
          EXPECT_FALSE(cluster.nodes[node].schedulable && fits(job.request, free[node]))
              << "a task of " << job.request.cpu.value() << " cores waits at " << now << " beside node "
              << node.index();
      }
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(asked, 2000);
  EXPECT_GT(beside, 1000);
  EXPECT_LT(kept_out, asked / 100) << "who chose to wait, for a node that others leave, may find its room taken";
}

// Nothing changes for those whose workers come: no plan differs from one without a budget.
TEST(TasksThatCome, StartAsTheyWouldWithoutABudget) {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PolicySettings settings;
    settings.lips.billing = seed % 2 == 0 ? Billing::invoice : Billing::use;
    std::vector<std::vector<Assignment>> plans;
    std::vector<std::vector<Deferral>> deferrals;
    std::vector<std::optional<std::vector<NodeRequest>>> requests;
    World world(seed, true, settings);
    world.run(500, [&](double, const Plan& plan) {
      plans.push_back(plan.assignments), deferrals.push_back(plan.deferrals), requests.push_back(plan.node_requests);
      kept += kept_cores(world.cluster(), plan, World::keeper) > 0;
    });
    settings.lips.keep_budget = std::chrono::hours(100'000);
    World without(seed, true, settings);
    std::size_t i = 0;
    without.run(500, [&](double now, const Plan& plan) {
      ASSERT_LT(i, plans.size());
      EXPECT_EQ(plan.assignments, plans[i]) << now;
      EXPECT_EQ(plan.deferrals, deferrals[i]) << now;
      EXPECT_EQ(plan.node_requests, requests[i++]) << now;
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(kept, 1000);
}

// A driver and a worker's room fill the node; a small task of another pool comes.
struct OneNode {
  Case with;
  explicit OneNode(const PolicySettings& settings) : with("lips", builder(), settings) {}
  static ClusterBuilder builder() {
    ClusterBuilder builder(1);
    builder.pool(1);
    builder.node({.price = 1e-5, .slots = 100, .cpu = 4});
    // The pools' shares count it, though nobody can use it.
    builder.node({.price = 1e-5, .slots = 0, .cpu = 4});
    return builder;
  }
  void add_driver(std::uint32_t workers) {
    JobArrived arrived = job(with.state.snapshot(), {.name = "driver", .maps = 1, .cpu = 3600, .shuffle = 100});
    arrived.job.coordinates = true;
    WholeJob& whole = arrived.job.whole;
    whole.id = WholeJobId(0), whole.peers = true, whole.expected = workers + 1;
    whole.each = {Cores(1), Mebibytes(100), 1}, whole.arrived = with.state.snapshot().now;
    with.state.apply(arrived);
  }
};

TEST(TasksThatNeverCome, GiveWayToATaskThatIsHereAndFindsNoOtherRoom) {
  for (const Billing billing : {Billing::use, Billing::invoice}) {
    PolicySettings settings;
    settings.lips.billing = billing;
    OneNode world(settings);
    world.add_driver(1000);
    ASSERT_EQ(world.with.step().size(), 1u);
    world.with.at(1);
    const JobId small = world.with.add({.pool = PoolId(1), .arrival = 1, .maps = 1, .cpu = 1, .cores = 0.5});
    const Plan plan = world.with.plan();
    ASSERT_EQ(plan.assignments.size(), 1u);
    EXPECT_EQ(plan.assignments.front().task, world.with.task(small, 0));
    ASSERT_EQ(plan.account.held.size(), 1u);
    EXPECT_EQ(plan.account.held.front().tasks, 2u) << "and the rest is kept";
    EXPECT_EQ(plan.account.held.front().room.cpu, Cores(2));
  }
}

// Tasks of the same pool wait, and are told that nothing is free for them.
TEST(TasksThatNeverCome, KeepTasksOfTheirOwnPoolWaitingWhoAreToldSo) {
  OneNode world({});
  world.add_driver(1000);
  ASSERT_EQ(world.with.step().size(), 1u);
  world.with.at(1);
  const JobId small = world.with.add({.arrival = 1, .maps = 1, .cpu = 1, .cores = 0.5});
  const Plan plan = world.with.plan();
  ASSERT_TRUE(plan.assignments.empty());
  ASSERT_EQ(plan.deferrals.size(), 1u);
  EXPECT_EQ(plan.deferrals.front(), (Deferral{world.with.task(small, 0), DeferralReason::no_capacity}));
}

TEST(TasksThatNeverCome, KeepNothingOnceTheBudgetIsSpent) {
  PolicySettings settings;
  settings.lips.keep_budget = seconds(2);
  OneNode world(settings);
  world.add_driver(1000);
  ASSERT_EQ(world.with.step().size(), 1u);
  for (double now = 1; now <= 10; ++now) {
    world.with.at(now);
    if (now == 1) world.with.add({.arrival = 1, .maps = 1, .cpu = 600, .cores = 0.5});
    const Plan plan = world.with.plan();
    const bool spent = world.with.state.snapshot().pools[PoolId(0)].unpaid_room.value() > 16;
    EXPECT_EQ(plan.account.held.empty(), spent) << now;
    EXPECT_EQ(plan.assignments.empty(), !spent) << now;
    if (spent) return;
    world.with.state.keep(plan.account.held);
  }
  FAIL() << "the budget is never spent";
}

}  // namespace
}  // namespace lips::testing
