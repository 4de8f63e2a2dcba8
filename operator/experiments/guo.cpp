#include "experiments/guo.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "experiments/guo_setup.h"
#include "experiments/seeds.h"
#include "policies/papers/lsap/group_fairness.h"
#include "solver/linear_sum_assignment.h"

namespace lips::experiments {

namespace {

struct Localities {
  double dl = 0, dl_by_tasks = 0, lsap = 0;  // per cent
};

Localities localities(const GuoShape& shape, std::uint32_t seed) {
  const ClusterState state = guo_setup(shape, guo_setup_seed(seed));
  const ClusterSnapshot& cluster = state.snapshot();
  return {100 * local_share(cluster, decide("dl-sched", cluster, seed)),
          100 * local_share(cluster, decide_by_tasks(cluster, seed)),
          100 * local_share(cluster, decide("lsap", cluster, seed))};
}

Setting locality_setting() {
  return {{"replicas on random nodes; a task is local on a node with a replica of its block"},
          {"the idle slots are uniformly random, and there are as many tasks as idle slots",
           "dl-sched goes slot by slot, as in the paper; 'task by task' is the other reading"}};
}

}  // namespace

// ---- 4.1

Result<ExperimentResult> guo_4_1(const ExperimentRun& run) {
  static const Stopwatch none;
  const Stopwatch& stopwatch = run.stopwatch != nullptr ? *run.stopwatch : none;
  ExperimentResult result;
  result.setting = {{"random square matrices of n = 100, 500, 1700, 2900"},
                    {"costs uniform on [0, 1), one matrix per seed, at most 15; one thread of this machine"}};
  Curve ours{"ours", {}}, paper{"paper", {}};
  const std::vector<std::pair<int, double>> sizes = {{100, 7.0}, {500, 130.0}, {1700, 450.0}, {2900, 1000.0}};
  for (std::size_t i = 0; i < (run.quick ? 2 : sizes.size()); ++i) {
    const auto [size, printed] = sizes[i];
    ExperimentRun alone = part_of(run, static_cast<double>(i) / 4, static_cast<double>(i + 1) / 4);
    alone.threads = 1;  // the times are the result
    alone.seeds = std::min(run.seeds, 15u);
    const auto times = over_seeds(alone, [&, order = size](std::uint32_t seed) {
      Random random(seed);
      std::vector<double> cost(static_cast<std::size_t>(order) * static_cast<std::size_t>(order));
      for (double& value : cost) value = random.uniform();
      const double begun = stopwatch.seconds();
      const bool feasible = solver::solve_assignment(std::span<const double>(cost), order, order).feasible;
      return std::vector<double>{feasible ? 1000 * (stopwatch.seconds() - begun) : 1e9};
    });
    if (!times) return tl::unexpected(times.error());
    result.claims.push_back({"4.1", fmt::format("time of the solver, {} x {}", size, size),
                             fmt::format("{:g} ms", printed), 0, printed, *times, "ms"});
    ours.points.push_back({static_cast<double>(size), times->front().mean});
    paper.points.push_back({static_cast<double>(size), printed});
  }
  result.charts.push_back({"Time of the assignment solver", "One dense square matrix.", "n", "ms", {ours, paper}});
  result.notes = {"'agree' means not slower than printed; the machines are years apart"};
  return result;
}

// ---- 4.2

Result<ExperimentResult> guo_4_2a(const ExperimentRun& run) {
  const std::vector<double> sizes = guo_sizes(run);
  const Result<Sweep> figures = sweep_seeds(run, sizes, [](double nodes, std::uint32_t seed) {
    const Localities of = localities(half_idle(static_cast<std::uint32_t>(nodes)), seed);
    return std::vector<double>{of.dl, of.lsap, of.lsap - of.dl, of.dl_by_tasks, of.lsap - of.dl_by_tasks};
  });
  if (!figures) return tl::unexpected(figures.error());
  const Sweep& of = *figures;
  ExperimentResult result;
  result.setting = locality_setting();
  result.setting.fixed.emplace_back("100 to 500 nodes in steps of 50, 4 slots per node, half idle, replication 3");
  result.claims = {{"4.2a", "dl-sched, tasks local", "83 %", 81.5, 84.5, extremes(of[0])},
                   {"4.2a", "dl-sched task by task, tasks local", "83 %", 81.5, 84.5, extremes(of[3])},
                   {"4.2a", "lsap-sched, tasks local", "97 %", 95.5, 98.5, extremes(of[1])},
                   {"4.2a", "lsap-sched above dl-sched", "12-14", 11, 15, extremes(of[2]), "points"},
                   {"4.2a", "lsap-sched above dl-sched task by task", "12-14", 11, 15, extremes(of[4]), "points"}};
  for (const std::size_t by_tasks : {1u, 4u}) result.claims[by_tasks].other_reading = true;
  result.claims[0].id = "dl-local";
  result.claims[2].id = "lsap-local";
  result.charts.push_back({"Local tasks",
                           "Mean over seeds.",
                           "nodes",
                           "%",
                           {curve_of("lsap-sched", sizes, of[1]), curve_of("dl-sched", sizes, of[0]),
                            curve_of("dl-sched task by task", sizes, of[3])}});
  return result;
}

Result<ExperimentResult> guo_4_2b(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = locality_setting();
  result.setting.fixed.emplace_back("100 nodes, half of the slots idle, replication 1 to 19");
  result.setting.chosen.emplace_back("slots per node: 1 reproduces the printed figures, the 4 of 4.2a do not");
  const std::vector<double> replicas = run.quick ? std::vector<double>{3, 5} : guo_odd_numbers(19);
  Chart chart{"Local tasks against the replication", "Mean over seeds.", "replicas of a block", "%", {}};
  for (const std::uint32_t slots : {1u, 4u}) {
    const Result<Sweep> figures =
        sweep_seeds(part_of(run, slots == 1 ? 0 : 0.3, slots == 1 ? 0.3 : 1), replicas, [&](double copies, auto seed) {
          GuoShape shape = half_idle(100, slots);
          shape.replicas = static_cast<std::uint32_t>(copies);
          const Localities of = localities(shape, seed);
          return std::vector<double>{of.lsap, of.dl};
        });
    if (!figures) return tl::unexpected(figures.error());
    const std::string setting = fmt::format("{} slot{} a node", slots, slots > 1 ? "s" : "");
    for (const auto& [copies, printed] : {std::pair(3.0, 72.0), std::pair(5.0, 88.0)}) {
      const auto at = std::ranges::find(replicas, copies) - replicas.begin();
      result.claims.push_back({"4.2b",
                               fmt::format("lsap-sched, replication {:g}, {}", copies, setting),
                               fmt::format("{:g} %", printed),
                               printed - 3,
                               printed + 3,
                               {(*figures)[0][static_cast<std::size_t>(at)]}});
      result.claims.back().other_reading = slots != 1;
      result.claims.back().id = fmt::format("lsap/{:g}/{}", copies, slots);
    }
    chart.curves.push_back(curve_of("lsap-sched, " + setting, replicas, (*figures)[0]));
    chart.curves.push_back(curve_of("dl-sched, " + setting, replicas, (*figures)[1]));
  }
  result.charts.push_back(std::move(chart));
  return result;
}

namespace {

Result<void> add_4_2c(const ExperimentRun& run, std::uint32_t slots, ExperimentResult& result) {
  const std::vector<double> tasks =
      run.quick ? std::vector<double>{5, 100} : std::vector<double>{5, 20, 35, 50, 65, 80, 100};
  const Result<Sweep> levels = sweep_seeds(run, tasks, [&](double count, std::uint32_t seed) {
    GuoShape shape = half_idle(200 / slots, slots);
    shape.tasks = static_cast<std::uint32_t>(count);
    const Localities of = localities(shape, seed);
    shape.tasks = 5;
    const Localities few = localities(shape, seed);
    const double lsap = few.lsap - of.lsap, dl = few.dl - of.dl, by_tasks = few.dl_by_tasks - of.dl_by_tasks;
    return std::vector<double>{of.lsap, of.dl, of.dl_by_tasks, lsap, dl, dl - lsap, by_tasks, by_tasks - lsap};
  });
  if (!levels) return tl::unexpected(levels.error());
  const auto last = [&](std::size_t figure) { return std::vector<Spread>{(*levels)[figure].back()}; };
  const std::string setting = fmt::format("from 5 to 100 tasks on 100 idle slots, {} a node", slots);
  result.claims.push_back({"4.2c", fmt::format("lsap-sched falls, {}", setting), "falls", 0.1, 100, last(3), "points"});
  for (const bool by_tasks : {false, true}) {
    const std::string name = by_tasks ? "dl-sched task by task" : "dl-sched";
    const std::size_t at = by_tasks ? 6 : 4;
    result.claims.push_back({"4.2c", fmt::format("{} falls, {}", name, setting), "falls", 1, 100, last(at), "points"});
    result.claims.push_back({"4.2c", fmt::format("{} falls more than lsap-sched by, {} a node", name, slots), "much", 3,
                             100, last(at + 1), "points"});
  }
  result.charts.push_back({fmt::format("Local tasks against the waiting tasks, {} a node", slots),
                           "100 idle slots; mean over seeds.",
                           "tasks",
                           "%",
                           {curve_of("lsap-sched", tasks, (*levels)[0]), curve_of("dl-sched", tasks, (*levels)[1]),
                            curve_of("dl-sched task by task", tasks, (*levels)[2])}});
  return {};
}

}  // namespace

Result<ExperimentResult> guo_4_2c(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = locality_setting();
  result.setting.fixed.emplace_back("100 idle slots, 5 to 100 tasks");
  result.setting.chosen.emplace_back("100 more slots are busy; 1 and 4 slots per node; replication 3");
  if (auto added = add_4_2c(part_of(run, 0, 0.5), 1, result); !added) return tl::unexpected(added.error());
  if (auto added = add_4_2c(part_of(run, 0.5, 1), 4, result); !added) return tl::unexpected(added.error());
  result.notes = {"slot by slot, the first slots take any task at once, so few tasks are rarely local"};
  return result;
}

// ---- 4.4

namespace {

struct Fairness {
  double locality = 0, improvement = 0;  // per cent; d(0) - d(t)
};

std::vector<lsap::GroupUse> uses(const ClusterSnapshot& cluster) {
  std::vector<lsap::GroupUse> groups;
  for (const Pool& pool : cluster.pools) groups.push_back({pool.weight, 0, 0});
  for (const RunningTask& task : cluster.running) ++groups[cluster.jobs[task.job].pool.index()].running;
  return groups;
}

Fairness fairness_at(const ClusterSnapshot& cluster, const PolicySettings& settings) {
  std::vector<lsap::GroupUse> groups = uses(cluster);
  const double before = lsap::fairness_distance(groups);
  const std::vector<Assignment> assignments = decide("lsap-fair", cluster, 1, settings);
  for (const Assignment& assignment : assignments)
    ++groups[cluster.jobs[cluster.tasks[assignment.task].job].pool.index()].running;
  return {100 * local_share(cluster, assignments), before - lsap::fairness_distance(groups)};
}

constexpr int points = 40;
constexpr double most_cost = 8000;  // FC reaches 6200 with the default beta

double cost_at(int point) { return 1 + most_cost * point / points; }

// Locality and improvement at each point, and the number of points that differ from the previous one.
std::vector<double> fairness_curve(UnreachableCost unreachable, std::uint32_t seed) {
  GuoShape shape;
  shape.nodes = 60;
  shape.slots = 1;
  shape.idle = 30;
  shape.tasks = 90;
  shape.replicas = 1;
  shape.group_weights = {1, 2, 4, 8, 16};
  const ClusterState state = guo_setup(shape, guo_setup_seed(seed));
  PolicySettings settings;
  settings.lsap.alpha = 1;
  settings.lsap.unreachable = unreachable;
  std::vector<double> locality, improvement;
  int steps = 0;
  for (int i = 0; i <= points; ++i) {
    settings.lsap.rack_cost = settings.lsap.zone_cost = settings.lsap.remote_cost = cost_at(i);
    const Fairness at = fairness_at(state.snapshot(), settings);
    steps += i > 0 && (locality.back() != at.locality || improvement.back() != at.improvement);
    locality.push_back(at.locality);
    improvement.push_back(at.improvement);
  }
  std::vector<double> all = {locality.back() - locality.front(), improvement.back() - improvement.front(),
                             improvement.front(), static_cast<double>(steps)};
  all.insert(all.end(), locality.begin(), locality.end());
  all.insert(all.end(), improvement.begin(), improvement.end());
  return all;
}

Result<void> add_4_4(const ExperimentRun& run, UnreachableCost unreachable, ExperimentResult& result) {
  const auto figures = over_seeds(run, [&](std::uint32_t seed) { return fairness_curve(unreachable, seed); });
  if (!figures) return tl::unexpected(figures.error());
  const std::vector<Spread>& of = *figures;
  const std::string reading = unreachable == UnreachableCost::one ? " (line 29)" : "";
  const auto add = [&](std::string what, std::string printed, double low, double high, std::size_t at,
                       std::string unit) {
    result.claims.push_back(
        {"4.4", std::move(what) + reading, std::move(printed), low, high, {of[at]}, std::move(unit)});
    result.claims.back().other_reading = unreachable == UnreachableCost::one;
  };
  add("locality from DLC 1 to 8001", "rises", 1, 100, 0, "points");
  add("d(0) - d(t) from DLC 1 to 8001", "falls", -10, -0.05, 1, "");
  add("d(0) - d(t) at DLC 1", "improves fairness", 0.05, 10, 2, "");
  add("steps of the two curves at 40 raises of DLC", "staircase", 1, points / 2.0, 3, "steps");
  std::vector<double> costs;
  for (int i = 0; i <= points; ++i) costs.push_back(cost_at(i));
  const auto at = [&](std::size_t first) {
    return std::vector<Spread>(of.begin() + static_cast<std::ptrdiff_t>(first),
                               of.begin() + static_cast<std::ptrdiff_t>(first + points + 1));
  };
  result.charts.push_back({"Locality against the cost of a non-local read" + reading,
                           "Mean over seeds.",
                           "DLC",
                           "%",
                           {curve_of("local tasks", costs, at(4))}});
  result.charts.push_back({"Fairness against the cost of a non-local read" + reading,
                           "d(0) - d(t): by how much the groups come closer to their weights. Mean over seeds.",
                           "DLC",
                           "",
                           {curve_of("d(0) - d(t)", costs, at(4 + points + 1))}});
  return {};
}

}  // namespace

Result<ExperimentResult> guo_4_4(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = {{"60 nodes with 1 slot, half idle, replication 1, 30 running and 90 waiting tasks",
                     "5 groups of weights 1:2:4:8:16; the groups of running tasks are random"},
                    {"alpha 1, beta 100 / (least w x (1 - greatest w)); DLC of a non-local read from 1 to 8001",
                     "tasks without a replica beside an idle slot cost by formula (8), and by line 29"}};
  if (auto added = add_4_4(part_of(run, 0, 0.5), UnreachableCost::by_formula, result); !added)
    return tl::unexpected(added.error());
  if (auto added = add_4_4(part_of(run, 0.5, 1), UnreachableCost::one, result); !added)
    return tl::unexpected(added.error());
  result.notes = {
      "the paper prints curves without alpha, beta, DS and BW, so only directions and shape are comparable"};
  return result;
}

}  // namespace lips::experiments
