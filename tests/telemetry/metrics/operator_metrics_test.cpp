#include "telemetry/metrics/operator_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "model/cluster_state.h"
#include "telemetry/metrics/metric_list.h"
#include "telemetry/status/status_page.h"
#include "tests/telemetry/metrics/doing.h"

namespace lips {
namespace {
using testing::DoubleNear;
using testing::HasSubstr;
using testing::Not;

// Two nodes in two zones, a job with two tasks whose blocks lie in zone a.
ClusterSnapshot start() {
  ClusterSnapshot cluster;
  cluster.zones.push_back({"a"}), cluster.zones.push_back({"b"});
  for (std::uint32_t i = 0; i < 2; ++i) {
    cluster.racks.push_back({i == 0 ? "ra" : "rb", ZoneId(i)});
    Node node;
    node.name = i == 0 ? "dear" : "cheap", node.zone = ZoneId(i), node.rack = RackId(i), node.profile = ProfileId(0);
    node.capacity = {Cores(4), Mebibytes(1024), 4};
    node.cpu_price = UsdPerCpuSecond(i == 0 ? 0.003 : 0.001);
    cluster.nodes.push_back(node);
    cluster.stores.push_back({i == 0 ? "sa" : "sb", StoreKind::node_directory, ZoneId(i), NodeId(i), {}, {}, {}});
  }
  cluster.profiles.push_back({}), cluster.constraints.push_back({});
  cluster.data_sets.push_back({"logs", BlockId(0), 2, {}, {}});
  for (int i = 0; i < 2; ++i) cluster.blocks.push_back({DataSetId(0), Mebibytes(100), {}, {{StoreId(0)}}});
  cluster.pools.push_back({"etl \"night\"", 1, {}, {}, {}});
  return cluster;
}

JobArrived job() {
  JobArrived arrived;
  arrived.job.name = "grep", arrived.job.pool = PoolId(0), arrived.job.constraint = ConstraintId(0);
  arrived.job.request = {Cores(1), Mebibytes(0), 1};
  arrived.job.map_tasks = 2;
  for (std::uint32_t i = 0; i < 2; ++i) {
    Task task;
    task.block = BlockId(i), task.cpu = CpuSeconds(10), task.input = Mebibytes(100);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

class OperatorMetricsTest : public testing::Test {
 protected:
  OperatorMetricsTest() { state_.apply(job()); }

  void tell(const ClusterEvent& event) {
    state_.apply(event);
    metrics_.on_event(state_.snapshot(), event);
  }
  void bind(const Assignment& assignment) {
    ASSERT_TRUE(state_.assume(assignment));
    metrics_.on_bind(state_.snapshot(), assignment);
  }
  // Task 0 reads across zones on the cheap node, task 1 waits.
  Plan ours() const {
    Plan plan;
    plan.assignments = {{TaskId(0), NodeId(1), StoreId(0), {}}};
    plan.deferrals = {{TaskId(1), DeferralReason::cheaper_later}};
    return plan;
  }
  // Both on the dear node, beside their data.
  Plan theirs() const {
    Plan plan;
    plan.assignments = {{TaskId(1), NodeId(0), StoreId(0), {}}, {TaskId(0), NodeId(0), StoreId(0), {}}};
    return plan;
  }

  CostModel costs_ = uniform_costs(2, UsdPerMebibyte(0.0001));
  ClusterState state_{start()};
  OperatorMetrics metrics_{{"1.2", "abc", "test"}};
};

TEST_F(OperatorMetricsTest, CountDollarsOfFinishedTasks) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0.5});
  bind(ours().assignments[0]);
  EXPECT_THAT(metrics_.exposition(), Not(HasSubstr("term=\"cpu\"")));
  tell(TaskStarted{TaskId(0), NodeId(1)});
  tell(TaskFinished{TaskId(0), NodeId(1), Duration(std::chrono::seconds(10))});
  const std::string text = metrics_.exposition();
  EXPECT_THAT(text, HasSubstr(R"(lips_spend_dollars_total{pool="etl \"night\"",term="cpu"} 0.01)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_spend_dollars_total{pool="etl \"night\"",term="transfer"} 0.01)"));
  EXPECT_DOUBLE_EQ(metrics_.figures().spent.total().value(), 0.02);
}

// Declared were 10 CPU-seconds; the pod was there for 40 s.
TEST_F(OperatorMetricsTest, ChargeThePodsTimeAndNotWhatWasDeclared) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0.5});
  bind(ours().assignments[0]);
  tell(TaskFinished{TaskId(0), NodeId(1), Duration(std::chrono::seconds(40))});
  const OperatorFigures figures = metrics_.figures();
  EXPECT_DOUBLE_EQ(figures.spent.cpu.value(), 0.04);
  EXPECT_THAT(metrics_.exposition(), HasSubstr(R"(lips_spend_dollars_total{pool="etl \"night\"",term="cpu"} 0.04)"));
  EXPECT_THAT(metrics_.exposition(), HasSubstr("lips_predicted_dollars_total{term=\"cpu\"} 0.01"));
  EXPECT_THAT(metrics_.exposition(), HasSubstr("lips_counted_dollars_total{term=\"cpu\"} 0.04"));
}

TEST_F(OperatorMetricsTest, SayForEachJobWhatWasPredictedAndCountedAndIsSpent) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0.5});
  bind(ours().assignments[0]);
  bind({TaskId(1), NodeId(0), StoreId(0), {}});
  tell(TaskFinished{TaskId(0), NodeId(1), Duration(std::chrono::seconds(40))});
  tell(TaskFinished{TaskId(1), NodeId(0), Duration(std::chrono::seconds(20)), true});
  const std::vector<JobDay> rows = metrics_.by_job();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].pool, "etl \"night\"");
  EXPECT_EQ(rows[0].job, state_.snapshot().jobs[JobId(0)].name);
  const JobDollars& dollars = rows[0].dollars;
  EXPECT_EQ(dollars.finished, 1u) << "the other failed";
  EXPECT_DOUBLE_EQ(dollars.predicted.cpu.value(), 0.01);
  EXPECT_DOUBLE_EQ(dollars.counted.cpu.value(), 0.04);
  EXPECT_DOUBLE_EQ(dollars.counted.transfer.value(), 0.01);
  EXPECT_DOUBLE_EQ(dollars.spent.cpu.value(), 0.04 + 20 * 0.003);
  EXPECT_DOUBLE_EQ(dollars.spent.total().value(), metrics_.figures().spent.total().value());
}

// It runs from 22:00 for 50 hours, and nobody asks in between.
TEST_F(OperatorMetricsTest, ChargeEachDayForItsPartOfWhatRuns) {
  state_.advance(TimePoint(std::chrono::hours(22)));
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0.5});
  bind(ours().assignments[0]);
  state_.advance(TimePoint(std::chrono::hours(72)));
  tell(TaskFinished{TaskId(0), NodeId(1), Duration(std::chrono::hours(50))});
  const std::vector<JobDay> rows = metrics_.by_job();
  ASSERT_EQ(rows.size(), 4u);
  std::vector<double> cpu;
  for (const JobDay& row : rows) cpu.push_back(row.dollars.spent.cpu.value() / 3.6);
  EXPECT_THAT(
      cpu, testing::ElementsAre(DoubleNear(2, 1e-9), DoubleNear(24, 1e-9), DoubleNear(24, 1e-9), DoubleNear(0, 1e-9)));
  EXPECT_EQ(rows[3].dollars.finished, 1u) << "a task counts on the day of its end";
  EXPECT_DOUBLE_EQ(rows[3].dollars.spent.transfer.value(), 0.01);
}

TEST_F(OperatorMetricsTest, ChargeRunningTasksForTheTimeSoFar) {
  TimePoint clock = state_.snapshot().now;
  OperatorMetrics metrics({"1.2", "abc", "test", [&clock] { return clock; }});
  metrics.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  ASSERT_TRUE(state_.assume(ours().assignments[0]));
  metrics.on_bind(state_.snapshot(), ours().assignments[0]);
  clock += std::chrono::seconds(100);
  EXPECT_DOUBLE_EQ(metrics.figures().spent.cpu.value(), 0.1);
  EXPECT_EQ(metrics.figures().spent.transfer.value(), 0);
  // It had begun to run only 5 s after it was bound: what was counted too much is not counted again.
  state_.advance(clock + std::chrono::seconds(10));
  const TaskFinished finished{TaskId(0), NodeId(1), Duration(std::chrono::seconds(105))};
  state_.apply(finished);
  metrics.on_event(state_.snapshot(), finished);
  EXPECT_DOUBLE_EQ(metrics.figures().spent.cpu.value(), 0.105);
  EXPECT_DOUBLE_EQ(metrics.figures().spent.transfer.value(), 0.01);
}

// Two nodes of 4 cores, and one that only describes an offer.
TEST_F(OperatorMetricsTest, CountWhatNodesCostWhetherUsedOrNotWhileThisReplicaLeads) {
  ClusterSnapshot cluster = state_.snapshot();
  cluster.nodes[NodeId(0)].price = UsdPerHour(0.4), cluster.nodes[NodeId(1)].price = UsdPerHour(0.1);
  cluster.nodes[NodeId(1)].capacity_type = CapacityType::spot;
  cluster.nodes.push_back(cluster.nodes[NodeId(0)]);
  cluster.nodes[NodeId(2)].schedulable = false;
  cluster.offers.push_back({NodeId(2), 5, {}, {}, 0});
  cluster.pool_cores[PoolId(0)] = Cores(3);
  TimePoint clock = cluster.now;
  OperatorMetrics metrics({"1.2", "abc", "test", [&clock] { return clock; }});
  metrics.on_leader(true);
  metrics.decided({"lips", cluster, costs_, Plan{}, 0});
  clock += std::chrono::minutes(30);
  std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr(R"(lips_node_dollars_total{capacity_type="on-demand",zone="a"} 0.2)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_node_dollars_total{capacity_type="spot",zone="b"} 0.05)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_node_core_seconds_total{capacity_type="on-demand",zone="a"} 7200)"));
  EXPECT_THAT(text, HasSubstr("lips_task_core_seconds_total 5400"));

  cluster.now = clock;
  cluster.nodes.resize(1);  // the other one and the offer are gone
  cluster.offers = {};
  const InvoiceSoFar invoice = metrics.decided({"lips", cluster, costs_, Plan{}, 0});
  EXPECT_DOUBLE_EQ(invoice.nodes.value(), 0.25);
  EXPECT_DOUBLE_EQ(invoice.total().value(), 0.25);
  clock += std::chrono::minutes(30);
  text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr(R"(lips_node_dollars_total{capacity_type="on-demand",zone="a"} 0.4)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_node_dollars_total{capacity_type="spot",zone="b"} 0.05)"));

  metrics.on_leader(false);
  clock += std::chrono::hours(10);
  EXPECT_THAT(metrics.exposition(), HasSubstr(R"(lips_node_dollars_total{capacity_type="on-demand",zone="a"} 0.4)"));
}

TEST_F(OperatorMetricsTest, ChargeDeletedAndFailedTasksForTheirTimeAlone) {
  metrics_.decided({"lips", state_.snapshot(), costs_, theirs(), 0});
  for (const Assignment& assignment : theirs().assignments) bind(assignment);
  tell(TaskWithdrawn{TaskId(0), Duration(std::chrono::seconds(240))});
  tell(TaskFinished{TaskId(1), NodeId(0), Duration(std::chrono::seconds(60)), true});
  EXPECT_DOUBLE_EQ(metrics_.figures().spent.total().value(), 300 * 0.003);
  EXPECT_EQ(metrics_.figures().finished, 0u);
}

TEST_F(OperatorMetricsTest, CountWhatRanBeforeAListingOnce) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  bind(ours().assignments[0]);
  const TimePoint begun = state_.snapshot().now;
  state_.advance(begun + std::chrono::seconds(100));
  tell(ClusterListed{std::make_shared<ClusterSnapshot>(start()), costs_});
  tell(job());
  tell(TaskFound{TaskId(0), NodeId(1), begun});
  EXPECT_DOUBLE_EQ(metrics_.figures().spent.cpu.value(), 0.1);
  state_.advance(begun + std::chrono::seconds(170));
  tell(TaskFinished{TaskId(0), NodeId(1), Duration(std::chrono::seconds(160))});
  EXPECT_DOUBLE_EQ(metrics_.figures().spent.cpu.value(), 0.16);
}

TEST_F(OperatorMetricsTest, ChargeATaskThatAnotherCopySawStartForItsOwnTimeAlone) {
  state_.advance(TimePoint(std::chrono::hours(1)));
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  tell(TaskFound{TaskId(0), NodeId(1), TimePoint(std::chrono::minutes(50))});
  state_.advance(TimePoint(std::chrono::minutes(61)));
  tell(TaskFinished{TaskId(0), NodeId(1), Duration(std::chrono::minutes(11))});
  EXPECT_DOUBLE_EQ(metrics_.figures().spent.cpu.value(), 0.06);
}

TEST_F(OperatorMetricsTest, ChargeNothingForATaskThatWasLost) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  bind(ours().assignments[0]);
  tell(TaskLost{TaskId(0)});
  tell(TaskFinished{TaskId(0), NodeId(1)});
  EXPECT_EQ(metrics_.figures().spent.total().value(), 0);
  EXPECT_EQ(metrics_.figures().lost, 1u);
}

TEST_F(OperatorMetricsTest, ChargeATaskWhoseNodeWasLostForTheTimeItRan) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  bind(ours().assignments[0]);
  bind(theirs().assignments[0]);  // on another node
  state_.advance(state_.snapshot().now + std::chrono::seconds(4));
  tell(NodeLost{ours().assignments[0].node, true});
  EXPECT_EQ(metrics_.figures().lost, 1u);
  const Usd spent = metrics_.figures().spent.total();
  EXPECT_GT(spent.value(), 0);
  tell(TaskFinished{TaskId(0), ours().assignments[0].node});
  EXPECT_EQ(metrics_.figures().spent.total(), spent) << "it is no longer there";
  EXPECT_THAT(metrics_.exposition(), HasSubstr(R"(lips_tasks_lost_total{pool="etl \"night\""} 1)"));
}

TEST_F(OperatorMetricsTest, SayWhyTasksWaitAndWhereTheyRead) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  EXPECT_THAT(metrics_.exposition(), HasSubstr("lips_pending_tasks{reason=\"queued\"} 1"));
  bind(ours().assignments[0]);
  const std::string text = metrics_.exposition();
  EXPECT_THAT(text, HasSubstr("lips_pending_tasks{reason=\"queued\"} 0"));
  EXPECT_THAT(text, testing::ContainsRegex(R"(lips_pending_tasks\{reason="cheaper.later"\} 1)"));
  EXPECT_THAT(text, HasSubstr("locality=\"remote\""));
  EXPECT_THAT(text, HasSubstr("lips_read_bytes_total{locality=\"remote\"} 104857600"));
}

TEST_F(OperatorMetricsTest, ChargeACopyToTheMoveThatMadeIt) {
  metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
  state_.begin_move({MoveId(0), BlockId(1), StoreId(0), StoreId(1)});
  tell(ReplicaAdded{BlockId(1), {StoreId(1), true, {}}});
  tell(ReplicaAdded{BlockId(0), {StoreId(1), true, {}}});  // kept from a read: paid by it
  tell(MoveEnded{MoveId(0), true});
  const std::string text = metrics_.exposition();
  EXPECT_THAT(text, HasSubstr("lips_spend_dollars_total{pool=\"_data\",term=\"moves\"} 0.01"));
  EXPECT_THAT(text, HasSubstr("lips_moves_ended_total{outcome=\"committed\",pool=\"\"} 1"));
  EXPECT_THAT(text, HasSubstr("lips_moved_bytes_total 104857600"));
}

TwinReport some_twin() {
  TwinReport report;
  report.counted = report.until_last = Usd(1);
  report.ran = {"lips", Usd(1), seconds(40), true}, report.others = {{"spread", Usd(2), seconds(2), true}};
  return report;
}

// Everything once, so that every metric has a value.
void use_all(OperatorMetrics& metrics, ClusterState& state, const CostModel& costs, const Plan& plan) {
  Plan bounded = plan;
  bounded.account.lower_bound = Usd(1);
  bounded.account.sharing = {{"etl \"night\"", 1, 0.5, 1, 0, 0, 0, 0}};
  bounded.reclaims = {{plan.assignments[0].task, PoolId(0), Usd(1)}};
  metrics.decided({"lips", state.snapshot(), costs, bounded, 0.1});
  metrics.on_event(state.snapshot(), TaskStays{plan.assignments[0].task, {}});
  metrics.twin_told({some_twin(), {}, ""}, 0.1);
  metrics.journalled(JournalOutcome::written, 10);
  metrics.prices_as_of({});
  metrics.prices_read({});
  metrics.on_leader(true);
  OperatorState degraded = doing(Doing::decides);
  degraded.degraded = {{"datasets.lips.dev", "403", TimePoint{}}};
  metrics.on_state(degraded);
  AdapterStatus late;
  late.machine_behind = std::chrono::seconds(240);
  metrics.on_status(late);
  metrics.on_request("list", "pods", 200, Duration(1000));
  metrics.on_watch("pods", WatchTrouble::relisted);
  metrics.on_bind_outcome(BindOutcome::conflict, Duration(1000));
  metrics.on_steered("etl", "zone-a");
  metrics.on_pod_waited(Duration(1000));
  metrics.targets({{"", TargetKind::budget_per_day, 500}});
  metrics.own_targets(
      {{"etl", "etl/night", OwnTargetKind::complete_by, seconds(1), seconds(2), OwnTargetState::cannot}}, {});
  metrics.left_alone("web", LeftAlone::budget_overspent);
  metrics.on_unknown_price("n", "odd.type", true);
  metrics.on_pending("gated", 1);
  metrics.on_longest_wait(std::chrono::seconds(60));
  metrics.on_pool_wait("etl", std::chrono::seconds(60));
  metrics.on_pool_held("etl", "BadAnnotation", 2);
  metrics.on_sold_out(2);
  metrics.on_type_speed("m7g.large", 1.1);
  metrics.on_driver_answer("read");
  metrics.on_watch_heard("pods");
  metrics.on_moves(MovePhase::copying, 1);
  metrics.on_unowned_copies(2, 300);
  metrics.on_rejected("Pod", "annotation");
  metrics.on_refused_write("patch", "pods", 403);
  metrics.on_refused_write("patch", "pods", 0);
  for (const Assignment& assignment : plan.assignments) {
    state.assume(assignment);
    metrics.on_bind(state.snapshot(), assignment);
  }
  for (int second = 0; second < 2; ++second) {  // nodes and tasks are charged from plan to plan
    state.advance(state.snapshot().now + seconds(1));
    metrics.decided({"lips", state.snapshot(), costs, bounded, 0.1});
  }
  const auto tell = [&](const ClusterEvent& event) {
    state.apply(event);
    metrics.on_event(state.snapshot(), event);
  };
  tell(TaskFinished{plan.assignments[0].task, plan.assignments[0].node});
  tell(TaskLost{plan.assignments[1].task});
}

// All pods of a namespace may be held, and then no plan knows its pool.
TEST_F(OperatorMetricsTest, KeepTheSeriesOfAPoolAsLongAsItHasPodsThatNoPlanHelps) {
  const auto plan_for = [&](Duration span) {
    for (const TimePoint end = state_.snapshot().now + span; state_.snapshot().now < end;) {
      state_.advance(state_.snapshot().now + seconds(20));
      metrics_.decided({"lips", state_.snapshot(), costs_, theirs(), 0.1});
    }
    return metrics_.exposition();
  };
  const std::string series = R"(lips_pool_held_pods{pool="ghost",reason="BadAnnotation"})";
  metrics_.on_pool_held("ghost", "BadAnnotation", 2);
  EXPECT_THAT(plan_for(std::chrono::minutes(12)), HasSubstr(series + " 2"));
  metrics_.on_pool_held("ghost", "BadAnnotation", 0);
  EXPECT_THAT(plan_for(std::chrono::minutes(12)), Not(HasSubstr("ghost")));
}

TEST_F(OperatorMetricsTest, ExposeEveryMetricOfTheListAndNoOther) {
  use_all(metrics_, state_, costs_, theirs());
  std::string text = metrics_.exposition();
  TwinReport watched = some_twin();
  watched.watched = true;
  metrics_.twin_told({watched, {}, ""}, 0.1);
  text += metrics_.exposition();
  std::set<std::string> exposed, listed;
  static const std::regex type(R"(# TYPE (\S+) (\S+))");
  for (std::sregex_iterator it(text.begin(), text.end(), type), end; it != end; ++it) exposed.insert((*it)[1]);
  for (const MetricAbout& metric : metric_list) listed.emplace(metric.name);
  EXPECT_EQ(exposed, listed);
}

TEST_F(OperatorMetricsTest, KeepPrometheusConventions) {
  use_all(metrics_, state_, costs_, theirs());
  if (std::system("command -v promtool >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no promtool (Debian package prometheus)";
  std::FILE* tool = popen("promtool check metrics", "w");
  ASSERT_TRUE(tool);
  const std::string text = metrics_.exposition();
  ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), tool), text.size());
  EXPECT_EQ(pclose(tool), 0);
}

TEST_F(OperatorMetricsTest, SayHowFarTargetsAreHeldAndForgetThoseThatAreGone) {
  TargetReport budget{"", TargetKind::budget_per_day, 500, 210, 540, 0.25, TargetState::behind};
  TargetReport wait{"etl", TargetKind::mean_wait, 600, 580, 590, 0.5, TargetState::held};
  metrics_.targets({budget, wait});
  const std::string text = metrics_.exposition();
  EXPECT_THAT(text, HasSubstr("lips_target_wanted{kind=\"budget-per-day\",pool=\"_all\"} 500"));
  EXPECT_THAT(text, HasSubstr("lips_target_reached{kind=\"mean-wait\",pool=\"etl\"} 580"));
  EXPECT_THAT(text, HasSubstr("lips_target_forecast{kind=\"budget-per-day\",pool=\"_all\"} 540"));
  EXPECT_THAT(text, HasSubstr("lips_target_state{kind=\"budget-per-day\",pool=\"_all\",state=\"behind\"} 1"));
  EXPECT_THAT(text, HasSubstr("lips_target_state{kind=\"budget-per-day\",pool=\"_all\",state=\"held\"} 0"));
  EXPECT_THAT(text, HasSubstr("lips_target_waiting_factor{kind=\"mean-wait\",pool=\"etl\"} 0.5"));
  metrics_.targets({budget});
  EXPECT_THAT(metrics_.exposition(), Not(HasSubstr("kind=\"mean-wait\"")));
}

OwnTargetReport own_target(const std::string& job, OwnTargetKind kind, OwnTargetState state) {
  return {"etl", job, kind, std::chrono::minutes(25), std::chrono::minutes(40), state};
}

TEST_F(OperatorMetricsTest, CountJobsByTheStateOfTheirOwnTargetsAndThoseThatMissedThem) {
  constexpr auto complete_by = OwnTargetKind::complete_by, max_wait = OwnTargetKind::max_wait;
  metrics_.own_targets(
      {own_target("a", complete_by, OwnTargetState::cannot), own_target("b", complete_by, OwnTargetState::held),
       own_target("c", complete_by, OwnTargetState::held), own_target("c", max_wait, OwnTargetState::behind)},
      {});
  const std::string text = metrics_.exposition();
  EXPECT_THAT(text, HasSubstr(R"(lips_job_targets{kind="complete-by",pool="etl",state="cannot"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_job_targets{kind="complete-by",pool="etl",state="held"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_job_targets{kind="complete-by",pool="etl",state="missed"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_job_targets{kind="max-wait",pool="etl",state="behind"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(lips_job_targets_missed_total{kind="complete-by",pool="etl"} 0)"));
  metrics_.own_targets({own_target("b", complete_by, OwnTargetState::held)},
                       {{"etl", "a", complete_by, seconds(5)}, {"etl", "c", complete_by, seconds(5)}});
  const std::string later = metrics_.exposition();
  EXPECT_THAT(later, HasSubstr(R"(lips_job_targets{kind="complete-by",pool="etl",state="cannot"} 0)"));
  EXPECT_THAT(later, HasSubstr(R"(lips_job_targets{kind="complete-by",pool="etl",state="held"} 1)"));
  EXPECT_THAT(later, Not(HasSubstr(R"(lips_job_targets{kind="max-wait")")));
  EXPECT_THAT(later, HasSubstr(R"(lips_job_targets_missed_total{kind="complete-by",pool="etl"} 2)"));
  metrics_.own_targets({}, {});
  EXPECT_THAT(metrics_.exposition(), Not(HasSubstr("lips_job_targets{")));
}

TEST_F(OperatorMetricsTest, ShowTheWorstOfTheJobsWhoseOwnTargetsAreAtRisk) {
  metrics_.on_state(doing(Doing::decides)), metrics_.on_leader(true);
  std::vector<OwnTargetReport> reports;
  for (int i = 10; i < 40; ++i)
    reports.push_back(own_target("job-" + std::to_string(i), OwnTargetKind::complete_by, OwnTargetState::cannot));
  reports[0].target = -seconds(120), reports[0].state = OwnTargetState::missed;
  reports[1] = own_target("etl/<slow>", OwnTargetKind::max_wait, OwnTargetState::behind);
  reports.push_back(own_target("calm", OwnTargetKind::complete_by, OwnTargetState::held));
  metrics_.own_targets(reports, {});
  const std::string page = render_status_page(metrics_.figures(), nullptr, {});
  EXPECT_THAT(page, testing::AllOf(HasSubstr("30 of 31 at risk (the worst 20)"), HasSubstr("job-29"),
                                   Not(HasSubstr("job-30")), Not(HasSubstr("calm"))));
  EXPECT_THAT(page, testing::AllOf(HasSubstr("2 min ago"), HasSubstr("in 25 min"), HasSubstr("40 min"),
                                   HasSubstr("cannot"), HasSubstr("missed"), HasSubstr("max-wait"),
                                   HasSubstr("<a href=\"?job=etl%2F%3Cslow%3E\">etl/&lt;slow&gt;</a>")));
  metrics_.own_targets({reports.back()}, {});
  EXPECT_THAT(render_status_page(metrics_.figures(), nullptr, {}), Not(HasSubstr("at risk")));
}

TEST_F(OperatorMetricsTest, CountUnknownPricesByTypeAndForgetNodesThatAreGone) {
  metrics_.on_unknown_price("n1", "odd", true);
  metrics_.on_unknown_price("n2", "odd", true);
  metrics_.on_unknown_price("n2", "odd", true);
  EXPECT_THAT(metrics_.exposition(), HasSubstr("lips_unknown_price_nodes{instance_type=\"odd\"} 2"));
  metrics_.on_unknown_price("n1", "odd", false);
  EXPECT_THAT(metrics_.exposition(), HasSubstr("lips_unknown_price_nodes{instance_type=\"odd\"} 1"));
}

TEST_F(OperatorMetricsTest, ForgetTypesWithoutANodeThatIsLeft) {
  for (int i = 0; i < 100; ++i) {
    metrics_.on_unknown_price("n" + std::to_string(i), "odd-" + std::to_string(i), true);
    metrics_.on_unknown_price("n" + std::to_string(i), "", false);
  }
  EXPECT_THAT(metrics_.exposition(), Not(HasSubstr("lips_unknown_price_nodes{")));
}

// A hundred pools and zones come and go, as namespaces and their pods do; a task of each is bound, and ends.
TEST_F(OperatorMetricsTest, KeepNoSeriesOfPoolsAndZonesThatAreLongGone) {
  const auto lines = [&] {
    const std::string text = metrics_.exposition();
    return std::count(text.begin(), text.end(), '\n');
  };
  std::ptrdiff_t after_ten = 0;
  for (int turn = 0; turn < 100; ++turn) {
    const auto cluster = std::make_shared<ClusterSnapshot>(start());
    cluster->pools[PoolId(0)].name = "pool-" + std::to_string(turn);
    cluster->zones[ZoneId(0)].name = "zone-" + std::to_string(turn);
    tell(ClusterListed{cluster, costs_});
    state_.advance(TimePoint(std::chrono::minutes(turn)));
    tell(job());
    metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
    bind(ours().assignments[0]);
    tell(TaskFinished{TaskId(0), NodeId(1)});
    if (turn == 10) after_ten = lines();
  }
  EXPECT_LE(lines(), after_ten + 12) << metrics_.exposition();
  const std::string text = metrics_.exposition();
  EXPECT_THAT(text, HasSubstr("lips_pool_cores{pool=\"pool-99\"}"));
  EXPECT_THAT(text, Not(HasSubstr("lips_pool_cores{pool=\"pool-98\"}"))) << "a gauge of what is gone says nothing";
  EXPECT_THAT(text, HasSubstr("lips_tasks_finished_total{pool=\"pool-98\"} 1")) << "may not have been scraped yet";
  EXPECT_THAT(text, Not(HasSubstr("pool=\"pool-90\"")));
  EXPECT_THAT(text, HasSubstr("lips_tasks_finished_total{pool=\"_gone\"} 94")) << "no dollar and no task is lost";
  EXPECT_THAT(text, Not(HasSubstr("zone-98")));
}

TEST(MetricList, IsTheTableOfItsPage) {
  std::ifstream page(std::string(LIPS_SOURCE_DIR) + "/docs/metrics.md");
  const std::string text{std::istreambuf_iterator<char>(page), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, HasSubstr(metric_table())) << "put this table into docs/metrics.md:\n" << metric_table();
}

TEST_F(OperatorMetricsTest, ShowOnTheStatusPageWhatTheyCount) {
  OperatorState state = doing(Doing::stands_by);
  state.why = "lips-<1> leads";
  metrics_.on_state(state);
  EXPECT_THAT(render_status_page(metrics_.figures(), nullptr, {}), HasSubstr("stands-by: lips-&lt;1&gt; leads"));
  metrics_.on_state(doing(Doing::decides)), metrics_.on_leader(true);
  use_all(metrics_, state_, costs_, theirs());
  const std::string page = render_status_page(metrics_.figures(), nullptr, {});
  EXPECT_THAT(page, HasSubstr("etl &quot;night&quot;"));
  EXPECT_THAT(page, HasSubstr("http-equiv=\"refresh\""));
  EXPECT_THAT(render_status_page(metrics_.figures(), nullptr, {false, ""}), Not(HasSubstr("http-equiv=\"refresh\"")));
}

// A task a minute for two hours.
TEST_F(OperatorMetricsTest, KeepTheMoneyOfTheLastDayAndDrawIt) {
  metrics_.on_state(doing(Doing::decides)), metrics_.on_leader(true);
  EXPECT_TRUE(metrics_.figures().money.empty()) << "before the first plan";
  const auto turn = [&](int minute) {
    tell(ClusterListed{std::make_shared<ClusterSnapshot>(start()), costs_});
    state_.advance(TimePoint(std::chrono::minutes(minute)));
    tell(job());
    metrics_.decided({"lips", state_.snapshot(), costs_, ours(), 0});
    bind(ours().assignments[0]);
    tell(TaskFinished{TaskId(0), NodeId(1), std::chrono::seconds(30)});
  };
  for (int minute = 0; minute < 120; ++minute) turn(minute);
  const OperatorFigures figures = metrics_.figures();
  EXPECT_LE(figures.money.size(), MoneyHistory::most_points + 1);
  EXPECT_GE(figures.money.size(), MoneyHistory::most_points / 2);
  const MoneyPoint &first = figures.money.front(), &last = figures.money.back();
  EXPECT_EQ(first.at, TimePoint{});
  EXPECT_EQ(last.at, TimePoint(std::chrono::minutes(119)));
  double spent = 0;
  for (const auto& [pool, dollars] : last.spent) spent += dollars;
  EXPECT_NEAR(spent, figures.spent.total().value(), 1e-12) << "all that was spent, in some pool";
  const std::string page = render_status_page(figures, nullptr, {});
  EXPECT_THAT(page,
              testing::AllOf(HasSubstr("Dollars by use, by pool"), HasSubstr("Spent by use in the last 1 h 59 min")));
}

}  // namespace
}  // namespace lips
