// A job is one job, however its pods arrive: the same work in one part or in forty is planned alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "model/validate_plan.h"
#include "policies/lips/demand/job_order.h"
#include "policies/registry/registry.h"
#include "tests/policies/elastic_builder.h"
#include "tests/policies/lips/lips_case.h"

namespace lips::testing {
namespace {

struct OwnersJob {
  JobSpec spec;
  std::uint32_t running = 0, ended = 0;                     // of its first tasks
  std::optional<double> complete_by, start_by;              // seconds
  std::vector<std::pair<std::uint32_t, double>> batches{};  // tasks, and seconds after the first
};

struct OwnersWork {
  ElasticBuilder builder{3};
  std::vector<OwnersJob> jobs;
  double now = 0;
};

enum class Arriving { alone, in_one_part, in_batches };

class Arrived {
 public:
  Arrived(const OwnersWork& work, Arriving how) : state(work.builder.start), now_(work.now) {
    for (std::uint32_t j = 0; j < work.jobs.size(); ++j) add(work.jobs[j], WholeJobId(j), how);
    state.advance(TimePoint(seconds(work.now)));
    for (std::uint32_t j = 0; j < work.jobs.size(); ++j)
      for (std::uint32_t t = 0; t < work.jobs[j].running + work.jobs[j].ended; ++t) begin(work, j, t);
  }

  ClusterState state;
  std::vector<std::vector<TaskId>> tasks;  // by job
  std::map<TaskId, std::pair<std::size_t, std::size_t>> names;

 private:
  void add(const OwnersJob& job, WholeJobId whole, Arriving how) {
    tasks.emplace_back();
    std::uint32_t next = 0;
    const auto arrive = [&](std::uint32_t count, double after) {
      JobSpec spec = job.spec;
      spec.arrival += after;
      spec.maps = 0;
      if (spec.blocks.empty())
        spec.maps = static_cast<int>(count);
      else
        spec.blocks.assign(job.spec.blocks.begin() + next, job.spec.blocks.begin() + next + count);
      JobArrived part = testing::job(state.snapshot(), spec);
      if (how != Arriving::alone) part.job.whole.id = whole;
      if (job.complete_by) part.job.due.complete_by = TimePoint(seconds(*job.complete_by));
      if (job.start_by) part.job.due.start_by = TimePoint(seconds(*job.start_by));
      state.apply(part);
      for (std::uint32_t t = 0; t < count; ++t, ++next) {
        const TaskId task(state.snapshot().jobs.items().back().first_task.index() + t);
        names[task] = {tasks.size() - 1, tasks.back().size()};
        tasks.back().push_back(task);
      }
    };
    if (how != Arriving::in_batches)
      return arrive(static_cast<std::uint32_t>(std::max<std::size_t>(job.spec.blocks.size(), job.spec.maps)), 0);
    for (const auto& [count, after] : job.batches) arrive(count, after);
  }

  // On the first node that takes it.
  void begin(const OwnersWork& work, std::uint32_t j, std::uint32_t t) {
    const TaskId task = tasks[j][t];
    for (const NodeId node : state.snapshot().nodes.ids())
      if (state.assume({task, node, {}, {}})) {
        if (t < work.jobs[j].ended) state.apply(TaskFinished{task, node});
        return;
      }
  }

  double now_;
};

OwnersWork random_workload(std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<int>(random.below(end)); };
  OwnersWork work;
  const bool elastic = random.below(2) == 0;
  for (int n = 4 + below(6); n > 0; --n) {
    const ZoneId zone(static_cast<std::uint32_t>(below(3)));
    const double price = 0.05 * (1 + below(4)) / 3600;
    if (elastic && below(2) == 0)
      work.builder.elastic_node(zone, 4 * 3600 * price);
    else
      work.builder.node({.zone = zone, .price = price, .slots = 8, .cpu = 4.0, .speed = 1});
  }
  const auto nodes = static_cast<std::uint64_t>(work.builder.start.nodes.size());
  if (elastic)
    for (std::uint32_t zone = 0; zone < 3; ++zone) work.builder.offer(ZoneId(zone), 0.2 + 0.1 * below(3));
  std::vector<std::vector<BlockId>> blocks(static_cast<std::size_t>(3 + below(4)));
  for (auto& of_job : blocks)
    if (below(2) == 0)
      for (int b = 1 + below(40); b > 0; --b)
        of_job.push_back(
            work.builder.block({NodeId(static_cast<std::uint32_t>(random.below(nodes)))}, 100.0 * (1 + below(20))));
  work.now = 2000;
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    OwnersJob job;
    job.spec = {.name = "job-" + std::to_string(j), .arrival = random.uniform(0, 1000), .blocks = blocks[j]};
    if (blocks[j].empty()) job.spec.maps = 1 + below(40);
    job.spec.cpu = 30.0 * (1 + below(40));
    job.spec.cores = below(3) == 0 ? 2 : 1;
    job.spec.priority = below(4) == 0 ? 1 : 0;
    const auto tasks = static_cast<std::uint32_t>(std::max<std::size_t>(blocks[j].size(), job.spec.maps));
    if (below(3) == 0) job.ended = static_cast<std::uint32_t>(random.below(tasks));
    if (below(3) == 0) job.running = static_cast<std::uint32_t>(random.below(tasks - job.ended));
    if (below(4) == 0) job.complete_by = work.now + random.uniform(100, 20'000);
    const bool all_at_once = below(2) == 0;
    if (all_at_once && below(4) == 0) job.start_by = work.now + random.uniform(10, 5000);
    const std::uint64_t most = 1 + random.below(8);
    for (std::uint32_t left = tasks; left > 0;) {
      const auto count = std::min(left, static_cast<std::uint32_t>(1 + random.below(most)));
      job.batches.emplace_back(count, all_at_once || job.batches.empty() ? 0 : random.uniform(0, 900));
      left -= count;
    }
    std::sort(job.batches.begin() + 1, job.batches.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    work.jobs.push_back(job);
  }
  return work;
}

PolicySettings settings_of(std::uint64_t seed) {
  PolicySettings settings;
  if (seed % 5 == 0) settings.lips.horizon = std::chrono::seconds(3600);
  if (seed % 5 == 1) settings.lips.billing = Billing::use;
  if (seed % 5 >= 2) settings.lips.billing = Billing::invoice;
  settings.lips.keep_copies = seed % 3 != 0;
  if (seed % 7 == 0) settings.lips.waiting_per_job = 5;
  return settings;
}

struct Planned {
  std::map<std::pair<std::size_t, NodeId>, std::uint32_t> starts;  // by job and node
  std::vector<std::size_t> order;                                  // of jobs, by their first task
  Plan plan;
};

Planned planned(const Arrived& arrived, const PolicySettings& settings) {
  ClusterSnapshot cluster = arrived.state.snapshot();
  cluster.arrivals = {};  // later parts bring their work later
  const CostModel costs = uniform_costs(cluster.zones.size(), UsdPerMebibyte(0.01 / 1024));
  Result<Plan> plan = (*make_policy("lips", settings))->decide({cluster, costs, 1, {}, nullptr});
  EXPECT_TRUE(plan);
  EXPECT_THAT(validate_plan(cluster, *plan), ::testing::IsEmpty());
  Planned result;
  for (const Assignment& assignment : plan->assignments) {
    const std::size_t job = arrived.names.at(assignment.task).first;
    ++result.starts[{job, assignment.node}];
    if (std::find(result.order.begin(), result.order.end(), job) == result.order.end()) result.order.push_back(job);
  }
  result.plan = *std::move(plan);
  return result;
}

std::string text_of(const Planned& planned) {
  std::string text;
  for (const auto& [place, tasks] : planned.starts)
    text += std::to_string(tasks) + " of job " + std::to_string(place.first) + " on node " +
            std::to_string(place.second.index()) + "; ";
  for (const std::size_t job : planned.order) text += std::to_string(job) + ' ';
  return text;
}

// The standing of each job with pending tasks: how it is weighed and ordered.
std::map<std::size_t, std::array<double, 3>> weighed(const Arrived& arrived, const PolicySettings& settings) {
  const ClusterSnapshot& cluster = arrived.state.snapshot();
  const JobWeights weights = job_weights(cluster, settings.lips);
  const NodeClasses classes = make_classes(cluster, one_time_slot());
  const JobOrderSettings order = job_order(cluster, settings.lips, weights.in_order, classes.mean_price);
  const JobOrder jobs(cluster, classes, order);
  std::map<std::size_t, std::array<double, 3>> result;
  for (const JobId id : cluster.pending) {
    const std::array<double, 3> of{weights.in_price.of(id) * weights.in_price.mean,
                                   weights.in_order.of(id) * weights.in_order.mean, jobs.urgency(id)};
    const auto [known, added] = result.try_emplace(arrived.names.at(cluster.jobs[id].first_task).first, of);
    for (std::size_t i = 0; i < of.size(); ++i) EXPECT_EQ(of[i], known->second[i]) << "alike for all parts";
  }
  return result;
}

TEST(JobsInParts, AreWeighedAndOrderedAsIfTheyHadArrivedInOne) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const OwnersWork work = random_workload(seed);
    const PolicySettings settings = settings_of(seed);
    const auto one = weighed(Arrived(work, Arriving::in_one_part), settings);
    const auto batches = weighed(Arrived(work, Arriving::in_batches), settings);
    ASSERT_EQ(one.size(), batches.size());
    for (const auto& [job, of] : one)
      for (std::size_t i = 0; i < of.size(); ++i)
        EXPECT_NEAR(batches.at(job)[i], of[i], 1e-6 * (1 + std::abs(of[i]))) << "job " << job << ", " << i;
    if (HasFailure()) return;
  }
}

// Weights, order and amounts are equal; where nodes have fragments, single tasks of alike parts may take other places.
TEST(JobsInParts, ArePlannedAsIfTheyHadArrivedInOne) {
  std::size_t starts = 0, crossing = 0, in_batches = 0;
  int equal = 0;
  double all_usd = 0, usd_in_batches = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const OwnersWork work = random_workload(seed);
    const PolicySettings settings = settings_of(seed);
    const Planned alone = planned(Arrived(work, Arriving::alone), settings);
    const Planned one = planned(Arrived(work, Arriving::in_one_part), settings);
    const Planned batches = planned(Arrived(work, Arriving::in_batches), settings);
    EXPECT_EQ(text_of(alone), text_of(one));
    equal += text_of(batches) == text_of(one);
    all_usd += one.plan.account.dollars().value();
    usd_in_batches += batches.plan.account.dollars().value();
    starts += one.plan.assignments.size();
    in_batches += batches.plan.assignments.size();
    crossing += one.plan.account.transfer.value() > 0;
  }
  EXPECT_GT(starts, 1000u);
  EXPECT_GT(crossing, 20u);
  EXPECT_GE(equal, 320) << "of 400";
  EXPECT_NEAR(usd_in_batches, all_usd, 0.02 * all_usd);
  EXPECT_NEAR(static_cast<double>(in_batches), static_cast<double>(starts), 0.02 * static_cast<double>(starts));
}

}  // namespace
}  // namespace lips::testing
