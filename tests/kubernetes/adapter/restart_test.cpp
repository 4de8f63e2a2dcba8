// The memory of policies survives the operator: another process, or the next leader, plans as this one would have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "controller/epoch_controller.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "tests/kubernetes/adapter/scheduling.h"
#include "tests/model/difference.h"
#include "tests/model/variations.h"

namespace lips::kubernetes {
namespace {

using lips::testing::difference;
using lips::testing::filled;

// Decides nothing but what is to be remembered, and keeps the last snapshot that it saw.
class Remembering : public Policy {
 public:
  using Decide = std::function<void(const ClusterSnapshot&, Plan&)>;
  explicit Remembering(Decide decide) : decide_(std::move(decide)) {}
  Cadence cadence() const override { return {Cadence::Trigger::events, std::chrono::milliseconds(10), Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Plan plan;
    last_snapshot_ = input.cluster;
    decide_(input.cluster, plan);
    return plan;
  }
  const ClusterSnapshot& last_snapshot() const { return last_snapshot_; }

 private:
  Decide decide_;
  mutable ClusterSnapshot last_snapshot_;
};

class Looping : public AdapterObserver {
 public:
  void on_loop() override { ++loops; }
  int loops = 0;
};

const std::vector<TargetDebt> debts{{"", 0.01, -0.2}, {"default", 0, 0.3}};

// Has debts to remember at every plan.
class Debtor : public WaitingPricer {
 public:
  IdVector<PoolId, double> factors(const ClusterSnapshot& cluster) override {
    return IdVector<PoolId, double>(cluster.pools.size(), 1.0);
  }
  std::optional<std::vector<TargetDebt>> to_remember(TimePoint) override { return debts; }
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
};

class Operator {
 public:
  Operator(FakeCluster& cluster, Remembering::Decide decide, std::function<bool()> leads = {},
           WaitingPricer* pricer = nullptr)
      : policy_(std::move(decide)) {
    ClusterSettings settings;
    settings.leads = std::move(leads);
    settings.shares = {"default", "lips-memory"};
    loop_ = std::make_unique<AdapterLoop>(cluster.link(), policy_, std::move(settings), observer_);
    if (pricer) loop_->controller().price_waiting_by(*pricer);
  }
  ~Operator() { end(); }
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  template <class Predicate>
  bool until(Predicate predicate) {
    return loop_->until(std::move(predicate));
  }
  void turn() { loop_->turn(); }
  void end() {
    loop_->end();
    EXPECT_TRUE(loop_->ran());
  }
  int loops() const { return observer_.loops; }
  const ClusterSnapshot& last_snapshot() const { return policy_.last_snapshot(); }

 private:
  Looping observer_;
  Remembering policy_;
  std::unique_ptr<AdapterLoop> loop_;  // last: it ends first
};

JobMemory memory_of(const std::string& job) {
  JobMemory memory = filled<JobMemory>();
  memory.priority = std::int8_t{-1};
  memory.home = ZoneId(job.ends_with("a") ? 0 : 1);
  memory.opportunities = static_cast<std::uint32_t>(job.size());
  return memory;
}

ShareMemory shares_of(const ClusterSnapshot& cluster) {
  ShareMemory shares = filled<ShareMemory>();
  shares.slots.assign(cluster.pools.size() + 1, 2.5);
  for (std::uint32_t i = 0; i < cluster.pools.size(); ++i) shares.slots[i] = 0.5 + i;
  return shares;
}

void remember_everything(const ClusterSnapshot& cluster, Plan& plan) {
  for (const JobId job : cluster.jobs.ids()) plan.remember.push_back({job, memory_of(cluster.jobs[job].name)});
  if (cluster.jobs.size() == 3) plan.remember_shares = shares_of(cluster);
}

void nothing(const ClusterSnapshot&, Plan&) {}

class Restart : public ::testing::Test {
 protected:
  Restart() {
    cluster_.put_node("n1", {.zone = "zone-a"});
    cluster_.put_node("n2", {.zone = "zone-b"});
    for (const char* job : {"job-a", "job-bb"}) {
      cluster_.put_job(job, 2);
      for (int i = 0; i < 2; ++i) cluster_.put_pod(fmt::format("{}-{}", job, i), pod(job, i));
    }
    cluster_.put_pod("alone", pod("", 0));
  }
  static FakePod pod(const std::string& owner, int index) {
    FakePod result;
    result.owner = owner, result.index = index;
    return result;
  }
  bool everything_is_kept() const {
    const auto has = [](const auto& annotations) { return annotations.contains("lips.dev/memory"); };
    return has(cluster_.job("job-a").annotations) && has(cluster_.job("job-bb").annotations) &&
           has(cluster_.pod("alone").annotations) && cluster_.config_map("lips-memory").contains("shares");
  }
  static void expect_everything_remembered(const ClusterSnapshot& cluster) {
    ASSERT_EQ(cluster.jobs.size(), 3u);
    for (const Job& job : cluster.jobs) EXPECT_EQ(difference(job.memory, memory_of(job.name)), "") << job.name;
    ASSERT_TRUE(cluster.shares);
    EXPECT_EQ(difference(*cluster.shares, shares_of(cluster)), "");
  }

  FakeCluster cluster_;
};

TEST_F(Restart, ForgetsNothingThatAPolicyRemembers) {
  Operator first(cluster_, remember_everything);
  ASSERT_TRUE(first.until([&] { return everything_is_kept(); }));
  first.end();
  Operator second(cluster_, nothing);
  ASSERT_TRUE(second.until([&] { return second.last_snapshot().jobs.size() == 3; }));
  second.end();
  expect_everything_remembered(second.last_snapshot());
}

TEST_F(Restart, GoesOnWithTheDebtsOfTargets) {
  Debtor debtor;
  Operator first(cluster_, nothing, {}, &debtor);
  ASSERT_TRUE(first.until([&] { return cluster_.config_map("lips-memory").contains("targets"); }));
  first.end();
  Operator second(cluster_, nothing);
  ASSERT_TRUE(second.until([&] { return second.last_snapshot().jobs.size() == 3; }));
  second.end();
  EXPECT_EQ(second.last_snapshot().target_debts, debts);
}

// A listing gives all ids anew, in a process that goes on.
TEST_F(Restart, AListingForgetsNothingEither) {
  Operator one(cluster_, [](const ClusterSnapshot& cluster, Plan& plan) {
    if (cluster.nodes.size() == 2) remember_everything(cluster, plan);
  });
  ASSERT_TRUE(one.until([&] { return everything_is_kept(); }));
  cluster_.put_node("n0", {.zone = "zone-b"});
  ASSERT_TRUE(one.until([&] { return one.last_snapshot().nodes.size() == 3; }));
  one.end();
  expect_everything_remembered(one.last_snapshot());
}

// A standby has seen what the leader wrote first; it goes on from what the leader wrote last.
TEST_F(Restart, TheNextLeaderGoesOnWhereTheLastOneStopped) {
  bool second_leads = false, early = true;
  Operator first(
      cluster_,
      [&](const ClusterSnapshot& cluster, Plan& plan) {
        remember_everything(cluster, plan);
        if (!early) return;
        for (Remembered& remembered : plan.remember) remembered.memory = {}, remembered.memory.launched = true;
        if (plan.remember_shares) plan.remember_shares->least_job = 1;
      },
      [&] { return !second_leads; });
  Operator second(cluster_, nothing, [&] { return second_leads; });
  const auto until = [&](const auto& predicate) {
    for (const TimePoint end = cluster_.now() + long_enough; !predicate(); first.turn(), second.turn())
      if (cluster_.now() >= end) return false;
    return true;
  };
  ASSERT_TRUE(until([&] { return everything_is_kept(); }));
  const auto all_kept = [&] {
    return cluster_.job("job-a").annotations.at("lips.dev/memory") +
           cluster_.job("job-bb").annotations.at("lips.dev/memory") +
           cluster_.pod("alone").annotations.at("lips.dev/memory") + cluster_.config_map("lips-memory").at("shares");
  };
  const std::string before = all_kept();
  early = false;
  ASSERT_TRUE(until([&] {
    const std::string now = all_kept();
    return now.size() > before.size() && now.find("priority") != now.rfind("priority") &&
           cluster_.config_map("lips-memory").at("shares").find("\"leastJob\":1,") == std::string::npos &&
           cluster_.pod("alone").annotations.at("lips.dev/memory").find("priority") != std::string::npos &&
           cluster_.job("job-bb").annotations.at("lips.dev/memory").find("priority") != std::string::npos;
  }));
  // A lease is given on after seconds in which the standby hears of the last writes: here its loop turns some times.
  const int turned = second.loops();
  ASSERT_TRUE(until([&] { return second.loops() > turned + 5; }));
  second_leads = true;
  ASSERT_TRUE(until([&] { return second.last_snapshot().jobs.size() == 3; }));
  second.end();
  expect_everything_remembered(second.last_snapshot());
}

}  // namespace
}  // namespace lips::kubernetes
