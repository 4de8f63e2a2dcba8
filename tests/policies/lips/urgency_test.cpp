// Deadlines and targets: each job's own trade between dollars and a wait, and nobody else's.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/prices/price_terms.h"
#include "tests/policies/elastic_builder.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/random_world.h"

namespace lips::testing {
namespace {

constexpr double long_overdue = -3600, next_week = 7 * 24 * 3600.0;  // seconds from now
constexpr ConstraintId only_ssd{1};

// A cheap node is busy for ten minutes; one of twice the price is free, or can be launched. A third is dearest of all.
struct Scene {
  Billing billing = Billing::use;
  bool elastic = false;
  bool by_class = false;  // tasks that may not run on the third

  friend void PrintTo(const Scene& scene, std::ostream* out) {
    *out << (scene.billing == Billing::use ? "by use" : "by invoice") << (scene.elastic ? ", elastic" : ", fixed")
         << (scene.by_class ? ", class form" : ", zone form");
  }
};

class OwnTrade : public ::testing::TestWithParam<Scene> {
 protected:
  // Three tasks in each job, with so many seconds left; 0: not due. Tasks that start or ask for a node.
  std::vector<int> starts(double waiting_price, const std::vector<double>& left) const {
    const auto [billing, elastic, by_class] = GetParam();
    ElasticBuilder builder;
    ClusterSnapshot& start = builder.start;
    start.constraints.push_back({});
    start.constraints.push_back({{{"disk", LabelRequirement::Operator::in, {"ssd"}}}, {}, {}});
    const ProfileId ssd = start.profiles.push_back({{{"disk", "ssd"}}, {}});
    const NodeId cheap = elastic ? builder.elastic_node(ZoneId(0), 4) : fixed(builder, 4);
    start.nodes[cheap].profile = ssd;
    NodeId dear;
    if (elastic)
      dear = start.offers[builder.offer(ZoneId(0), 8)].like;
    else
      dear = fixed(builder, 8), fixed(builder, 8);
    for (const NodeId node : start.nodes.ids())
      if (node >= dear) start.nodes[node].profile = ssd;
    if (!elastic)
      fixed(builder, 12);
    else
      builder.offer(ZoneId(0), 12);
    PolicySettings settings;
    settings.lips.billing = billing;
    // Nodes that are paid for anyway cost so much less beside a wait.
    settings.lips.waiting_price =
        waiting_price * (billing == Billing::invoice && !elastic ? price_of_paid_capacity : 1);
    settings.lips.waiting_per_job = 0;
    settings.lips.queue_charge = false;
    settings.lips.fast_path_limit = Usd(0);
    Case with("lips", builder, settings);
    const JobId running = with.add({.name = "running", .maps = 4, .cpu = 600});
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(with.state.assume({with.task(running, i), cheap, {}, {}}));
    std::vector<JobId> jobs;
    for (const double seconds_left : left) {
      JobArrived arrived =
          job(with.state.snapshot(),
              {.maps = 3, .cpu = elastic ? 600.0 : 60.0, .constraint = by_class ? only_ssd : ConstraintId::none()});
      if (seconds_left != 0) arrived.job.due.complete_by = with.state.snapshot().now + seconds(seconds_left);
      with.state.apply(arrived);
      jobs.emplace_back(static_cast<std::uint32_t>(with.state.snapshot().jobs.size() - 1));
    }
    const Plan plan = with.plan();
    std::vector<int> result(jobs.size(), 0);
    const auto count = [&](TaskId task) {
      const JobId of = with.state.snapshot().tasks[task].job;
      ++result[static_cast<std::size_t>(std::find(jobs.begin(), jobs.end(), of) - jobs.begin())];
    };
    for (const Assignment& assignment : plan.assignments) count(assignment.task);
    if (plan.node_requests)
      for (const NodeRequest& request : *plan.node_requests) count(request.task);
    EXPECT_GE(plan.account.gap, -1e-9);
    return result;
  }

 private:
  static NodeId fixed(ClusterBuilder& builder, double usd_an_hour) {
    const NodeId id = builder.node({.price = usd_an_hour / 4 / 3600, .slots = 4, .cpu = 4});
    builder.start.nodes[id].price = UsdPerHour(usd_an_hour);
    return id;
  }
};

using ::testing::ElementsAre;

// At this price nobody pays twice as much for ten minutes less, unless it is due.
TEST_P(OwnTrade, IsNotMovedByTheDeadlineOfAnother) {
  EXPECT_THAT(starts(1, {0}), ElementsAre(0));
  EXPECT_THAT(starts(1, {0, long_overdue}), ElementsAre(0, 3));
}

TEST_P(OwnTrade, OfADueJobWithoutDataIsADearerNode) {
  EXPECT_THAT(starts(1, {long_overdue}), ElementsAre(3));
  EXPECT_THAT(starts(1, {long_overdue, 0}), ElementsAre(3, 0));
}

// At this price everybody pays twice as much, unless there is time.
TEST_P(OwnTrade, OfAJobWithSlackIsAWaitThoughOthersStart) {
  EXPECT_THAT(starts(16, {0}), ElementsAre(3));
  EXPECT_THAT(starts(16, {next_week}), ElementsAre(0));
  EXPECT_THAT(starts(16, {0, next_week}), ElementsAre(3, 0));
}

INSTANTIATE_TEST_SUITE_P(Everywhere, OwnTrade,
                         ::testing::Values(Scene{Billing::use, false, false}, Scene{Billing::use, false, true},
                                           Scene{Billing::invoice, false, false}, Scene{Billing::invoice, false, true},
                                           Scene{Billing::invoice, true, false}, Scene{Billing::invoice, true, true}));

// A task keeps an elastic node for most of an hour, and three cores of it are free. New nodes cost half as much.
TEST(PaidRoom, CostsNextToNothingWhateverTheUrgency) {
  for (const double left : {0.0, long_overdue, next_week}) {
    SCOPED_TRACE(left);
    ElasticBuilder builder;
    const NodeId paid = builder.elastic_node(ZoneId(0), 8);
    builder.offer(ZoneId(0), 4);
    PolicySettings settings;
    settings.lips.waiting_price = 1;
    Case with("lips", builder, settings);
    const JobId running = with.add({.maps = 1, .cpu = 3000});
    ASSERT_TRUE(with.state.assume({with.task(running, 0), paid, {}, {}}));
    JobArrived arrived = job(with.state.snapshot(), {.maps = 3, .cpu = 60});
    if (left != 0) arrived.job.due.complete_by = with.state.snapshot().now + seconds(left);
    with.state.apply(arrived);
    with.add({.maps = 6, .cpu = 6000});
    const Plan plan = with.plan();
    const auto starts = std::count_if(
        plan.assignments.begin(), plan.assignments.end(),
        [](const Assignment& assignment) { return assignment.task.index() >= 1 && assignment.task.index() <= 3; });
    EXPECT_EQ(starts, 3);
    EXPECT_GE(plan.account.gap, -1e-9);
  }
}

// Two halves of a random cluster whose tasks never meet, in zones of their own, with jobs on both.
class Halves {
 public:
  explicit Halves(std::uint64_t seed) : random_(seed) {
    ClusterSnapshot& start = builder_.start;
    start.constraints.push_back({});
    start.constraints.push_back(
        {{{"side", LabelRequirement::Operator::in, {"other"}}}, {}, {{"side", "other", "", false}}});
    start.profiles.push_back({{{"side", "other"}}, {{"side", "other", "NoSchedule"}}});
    elastic_ = random_.below(2) == 0;
    settings_.lips.billing = elastic_ || random_.below(2) == 0 ? Billing::invoice : Billing::use;
    settings_.lips.waiting_price = std::exp2(random_.uniform(-4, 4));
    settings_.lips.queue_charge = random_.below(2) == 0;
    if (random_.below(2) == 0) settings_.lips.fast_path_limit = Usd(0);
    for (std::uint32_t side = 0; side < 2; ++side) {
      for (std::uint64_t k = 1 + random_.below(4); k > 0; --k) add_node(side);
      for (std::uint64_t k = 1 + random_.below(2); elastic_ && k > 0; --k)
        set_profile(start.offers[builder_.offer(ZoneId(side), random_.uniform(0.1, 0.6))].like, side);
    }
  }

  // Starts and orders of this half's jobs: where it has one job by the price of the node, since several share the
  // places that cost them alike in different ways.
  struct Outcome {
    std::map<double, int> starts, asks;
  };
  // The deadlines of the other half's jobs hold, or nothing is due.
  Outcome plan(bool due) {
    Random random = random_;
    Case with("lips", builder_, settings_);
    for (const NodeId node : nodes_) {
      const auto tasks = static_cast<std::uint32_t>(random.below(5));
      if (tasks == 0) continue;
      const JobId job = with.add({.maps = static_cast<int>(tasks),
                                  .cpu = random.uniform(30, 3000),
                                  .constraint = ConstraintId(builder_.start.nodes[node].zone.index())});
      for (std::uint32_t i = 0; i < tasks; ++i) EXPECT_TRUE(with.state.assume({with.task(job, i), node, {}, {}}));
    }
    const JobId first(static_cast<std::uint32_t>(with.state.snapshot().jobs.size()));
    std::uint32_t own = 0;
    for (std::uint32_t side = 0; side < 2; ++side)
      for (std::uint64_t k = 1 + random.below(elastic_ && side == 0 ? 1 : 3); k > 0; --k) {
        JobArrived arrived = job(with.state.snapshot(), {.maps = static_cast<int>(1 + random.below(10)),
                                                         .cpu = random.uniform(30, 3000),
                                                         .memory = random.below(3) == 0 ? 1500.0 : 100.0,
                                                         .constraint = ConstraintId(side)});
        const double left = random.below(2) == 0 ? long_overdue : random.uniform(60, 20'000);
        if (side == 1 && due) arrived.job.due.complete_by = with.state.snapshot().now + seconds(left);
        with.state.apply(arrived);
        own += side == 0;
      }
    const Plan plan = with.plan();
    const ClusterSnapshot& cluster = with.state.snapshot();
    Outcome outcome;
    const auto count = [&](TaskId task, NodeId like, std::map<double, int>& to) {
      const JobId job = cluster.tasks[task].job;
      if (job.index() < first.index() + own) ++to[own == 1 ? cluster.nodes[like].cpu_price.value() : 0];
    };
    for (const Assignment& assignment : plan.assignments) count(assignment.task, assignment.node, outcome.starts);
    if (plan.node_requests)
      for (const NodeRequest& request : *plan.node_requests)
        count(request.task, cluster.offers[request.offer].like, outcome.asks);
    if (plan.account.lower_bound) {
      EXPECT_GE(plan.account.gap, -1e-9);
    }
    return outcome;
  }

 private:
  void set_profile(NodeId node, std::uint32_t side) { builder_.start.nodes[node].profile = ProfileId(side); }
  void add_node(std::uint32_t side) {
    const double price = random_.uniform(0.1, 0.6);  // USD an hour
    nodes_.push_back(elastic_ ? builder_.elastic_node(ZoneId(side), price)
                              : builder_.node({.zone = ZoneId(side), .price = price / 4 / 3600, .slots = 4, .cpu = 4}));
    builder_.start.nodes[nodes_.back()].price = UsdPerHour(price);
    set_profile(nodes_.back(), side);
  }

  Random random_;
  ElasticBuilder builder_{2};
  PolicySettings settings_;
  bool elastic_ = false;
  std::vector<NodeId> nodes_;
};

TEST(OwnTrades, AreThoseWithoutDeadlinesOfJobsElsewhere) {
  int starts = 0, asks = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Halves halves(seed);
    const Halves::Outcome with = halves.plan(true), without = halves.plan(false);
    EXPECT_EQ(with.starts, without.starts);
    EXPECT_EQ(with.asks, without.asks);
    for (const auto& [price, tasks] : with.starts) starts += tasks;
    for (const auto& [price, tasks] : with.asks) asks += tasks;
    if (HasFailure()) return;
  }
  EXPECT_GT(starts, 1000);
  EXPECT_GT(asks, 400);
}

// A random cluster with jobs that are alike but for their deadlines, among others.
struct Twins {
  explicit Twins(std::uint64_t seed) : random(seed) {
    elastic = random.below(2) == 0;
    settings.lips.billing = elastic || random.below(2) == 0 ? Billing::invoice : Billing::use;
    settings.lips.waiting_price = std::exp2(random.uniform(-4, 4));
    if (random.below(2) == 0) settings.lips.fast_path_limit = Usd(0);
    for (std::uint64_t k = 2 + random.below(5); k > 0; --k) {
      const double price = random.uniform(0.1, 0.6);
      const ZoneId zone(static_cast<std::uint32_t>(random.below(2)));
      nodes.push_back(elastic ? builder.elastic_node(zone, price)
                              : builder.node({.zone = zone, .price = price / 4 / 3600, .slots = 4, .cpu = 4}));
      builder.start.nodes[nodes.back()].price = UsdPerHour(price);
    }
    for (std::uint64_t k = 1 + random.below(2); elastic && k > 0; --k)
      builder.offer(ZoneId(static_cast<std::uint32_t>(random.below(2))), random.uniform(0.1, 0.6));
  }
  Case at_work() {
    Case with("lips", builder, settings);
    for (const NodeId node : nodes) {
      const auto tasks = static_cast<std::uint32_t>(random.below(5));
      if (tasks == 0) continue;
      const JobId job = with.add({.maps = static_cast<int>(tasks), .cpu = random.uniform(30, 3000)});
      for (std::uint32_t i = 0; i < tasks; ++i) EXPECT_TRUE(with.state.assume({with.task(job, i), node, {}, {}}));
    }
    return with;
  }
  JobSpec draw() {
    return {.maps = static_cast<int>(1 + random.below(10)),
            .cpu = random.uniform(30, 3000),
            .memory = random.below(3) == 0 ? 1500.0 : 100.0};
  }

  Random random;
  ElasticBuilder builder{2};
  PolicySettings settings;
  bool elastic = false;
  std::vector<NodeId> nodes;
};

TEST(OwnTrades, LetNoJobStartAfterOneThatIsAlikeAndLessUrgent) {
  int more = 0, fewer = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins twins(seed);
    Random& random = twins.random;
    Case with = twins.at_work();
    for (std::uint64_t k = random.below(3); k > 0; --k) with.add(twins.draw());
    const JobSpec spec = twins.draw();
    const bool urgent_first = random.below(2) == 0, has_slack = random.below(2) == 0;
    std::array<JobId, 2> jobs;  // the more urgent first
    for (const std::size_t of : {urgent_first ? 0u : 1u, urgent_first ? 1u : 0u}) {
      JobArrived arrived = job(with.state.snapshot(), spec);
      if (of == 0 && !has_slack) arrived.job.due.complete_by = with.state.snapshot().now + seconds(long_overdue);
      if (of == 1 && has_slack) arrived.job.due.complete_by = with.state.snapshot().now + seconds(next_week);
      jobs[of] = JobId(static_cast<std::uint32_t>(with.state.snapshot().jobs.size()));
      with.state.apply(arrived);
    }
    const Plan plan = with.plan();
    EXPECT_GE(plan.account.gap, -1e-9);
    std::map<JobId, int> starts, comes;  // comes: or asks for a node
    for (const Assignment& assignment : plan.assignments)
      ++starts[with.state.snapshot().tasks[assignment.task].job],
          ++comes[with.state.snapshot().tasks[assignment.task].job];
    if (plan.node_requests)
      for (const NodeRequest& request : *plan.node_requests) ++comes[with.state.snapshot().tasks[request.task].job];
    EXPECT_GE(starts[jobs[0]], starts[jobs[1]]);
    fewer += comes[jobs[0]] < comes[jobs[1]];
    more += comes[jobs[0]] > comes[jobs[1]];
    all += comes[jobs[0]] > 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(more, 400);
  EXPECT_GT(all, 500);
  EXPECT_LE(fewer, 6) << "rather take turns on a node that is there than ask for one";
}

// All are due alike: the same as at a price of waiting that is so much higher.
TEST(OwnTrades, OfJobsThatAreAllEquallyDueAreThoseAtAHigherPriceOfWaiting) {
  std::size_t starts = 0, asks = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto plan = [&](bool due) {
      Twins twins(seed);
      if (!due) *twins.settings.lips.waiting_price *= dearest_when_due;
      Case with = twins.at_work();
      for (std::uint64_t k = 1 + twins.random.below(4); k > 0; --k) {
        JobArrived arrived = job(with.state.snapshot(), twins.draw());
        if (due) arrived.job.due.complete_by = with.state.snapshot().now + seconds(long_overdue);
        with.state.apply(arrived);
      }
      return with.plan();
    };
    const Plan dear = plan(false), due = plan(true);
    ASSERT_EQ(dear.assignments.size(), due.assignments.size());
    for (std::size_t i = 0; i < due.assignments.size(); ++i) {
      EXPECT_EQ(dear.assignments[i].task, due.assignments[i].task);
      EXPECT_EQ(dear.assignments[i].node, due.assignments[i].node);
    }
    ASSERT_EQ(dear.node_requests.has_value(), due.node_requests.has_value());
    if (due.node_requests) {
      ASSERT_EQ(dear.node_requests->size(), due.node_requests->size());
      for (std::size_t i = 0; i < due.node_requests->size(); ++i)
        EXPECT_EQ((*dear.node_requests)[i].task, (*due.node_requests)[i].task);
      asks += due.node_requests->size();
    }
    EXPECT_EQ(dear.account.objective, due.account.objective);
    EXPECT_EQ(dear.account.lower_bound, due.account.lower_bound);
    starts += due.assignments.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(starts, 1000u);
  EXPECT_GT(asks, 300u);
}

// Jobs that are due, or have time, and pools whose targets move their price, on clusters with every feature.
TEST(OwnTrades, KeepWithinTheirBoundAndNothingIsBelowNothing) {
  int urgent = 0, certified = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(seed);
    make_some_due(seed, world.cluster);
    PolicySettings settings = settings_for(seed);
    settings.lips.horizon = Duration(0);
    settings.lips.billing = seed % 2 == 0 ? Billing::use : Billing::invoice;
    const Result<Plan> plan = world.decide("lips", settings);
    ASSERT_TRUE(plan.has_value());
    const PlanAccount& account = plan->account;
    if (account.lower_bound) {
      const double bound = account.lower_bound->value(), cost = account.objective->value();
      EXPECT_GE(bound, -1e-15) << "rounding";
      EXPECT_GE(cost, bound * (1 - 1e-7) - 1e-12);
      EXPECT_LE(cost - account.loss.value(), bound * (1 + 1e-3) + 1e-9) << "the program's own optimum";
      ++certified;
    }
    const WaitingWeights weights = job_weights(world.cluster, settings.lips).in_price;
    urgent += static_cast<int>(weights.urgency.size());
    TimeSlotSettings slots;
    slots.billing = settings.lips.billing;
    const NodeClasses classes = make_classes(world.cluster, slots);
    CommoditySettings commodities;
    commodities.weights = weights;
    for (const Commodity& commodity : make_commodities(world.cluster, world.costs, classes, commodities).commodities)
      for (const NodeClass& group : classes.classes) EXPECT_GE(price_in(classes, group, commodity), -1e-18);
    if (HasFailure()) return;
  }
  EXPECT_GT(urgent, 1000);
  EXPECT_GT(certified, 500);
}

}  // namespace
}  // namespace lips::testing
