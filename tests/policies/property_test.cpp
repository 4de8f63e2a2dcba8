// Properties of the default planner on thousands of random clusters.
#include <map>
#include <set>

#include "model/validate_plan.h"
#include "policies/lips/account/account.h"
#include "policies/papers/lips_paper/paper_model_snapshot.h"
#include "simulation/random_snapshot.h"
#include "solver/clp_backend.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

using simulation::random_small_shape;
using simulation::SnapshotShape;
using ::testing::IsEmpty;
using testing::Model;

constexpr double horizon = 600;

using World = testing::RandomWorld;
using testing::bind_more;
using testing::settings_for;

Plan decide(const World& world, const PolicySettings& settings, std::string_view policy = "lips") {
  Result<Plan> plan = world.decide(policy, settings);
  EXPECT_TRUE(plan.has_value());
  return plan ? std::move(*plan) : Plan{};
}

void expect_links_hold(const World& world, const Plan& plan) {
  const double most = world.cluster.network.zone_link.value() * horizon;
  if (most <= 0) return;
  std::map<std::pair<ZoneId, ZoneId>, double> crossed;
  for (const Assignment& assignment : plan.assignments)
    if (assignment.read_from.valid())
      crossed[{world.cluster.stores[assignment.read_from].zone, world.cluster.nodes[assignment.node].zone}] +=
          world.cluster.tasks[assignment.task].input.value();
  for (const DataMove& move : plan.moves)
    crossed[{world.cluster.stores[move.from].zone, world.cluster.stores[move.to].zone}] +=
        world.cluster.blocks[move.block].size.value();
  for (const auto& [link, size] : crossed) {
    if (link.first != link.second) {
      EXPECT_LE(size, most + 1e-6);
    }
  }
}

void expect_stores_hold(const World& world, const Plan& plan) {
  IdVector<StoreId, double> added(world.cluster.stores.size(), 0.0);
  for (const Assignment& assignment : plan.assignments)
    if (assignment.keep_in.valid())
      added[assignment.keep_in] += world.cluster.blocks[world.cluster.tasks[assignment.task].block].size.value();
  for (const DataMove& move : plan.moves) added[move.to] += world.cluster.blocks[move.block].size.value();
  for (StoreId store : world.cluster.stores.ids()) {
    const DataStore& place = world.cluster.stores[store];
    if (place.capacity.value() > 0) {
      EXPECT_LE(place.used.value() + added[store], place.capacity.value() + 1e-6);
    }
  }
}

TEST(LipsProperty, PlansAreValidAndCostNoLessThanTheirBound) {
  std::size_t assigned = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(simulation::random_full_shape(seed));
    bind_more(seed, world.cluster);
    const Plan plan = decide(world, settings_for(seed));
    EXPECT_THAT(validate_plan(world.cluster, plan), IsEmpty());
    expect_links_hold(world, plan);
    expect_stores_hold(world, plan);
    if (plan.account.lower_bound) {
      EXPECT_GE(plan.account.objective->value(), plan.account.lower_bound->value() * (1 - 1e-7) - 1e-12);
    }
    EXPECT_FALSE(plan.account.fell_back);
    assigned += plan.assignments.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(assigned, 20000u);
}

// No pool gets more than its maximum leaves: not in tasks that are longer than the plan looks ahead, and not in
// core-seconds until the last of all has ended. Returns how many pools could not get one more of their largest task.
std::size_t expect_maxima_hold(const World& world, const Plan& plan, Duration plan_ahead) {
  const ClusterSnapshot& cluster = world.cluster;
  const double ahead = to_seconds(plan_ahead);
  struct Use {
    double now = 0, at_the_end = 0, core_seconds = 0, until = 0, largest = 0;
    void add(double cores, double span, double window) {
      now += cores;
      if (span >= window) at_the_end += cores;
      core_seconds += cores * span;
      until = std::max(until, window + span);
    }
  };
  IdVector<PoolId, Use> use(cluster.pools.size());
  std::set<TaskId> ending;
  for (const Reclaim& reclaim : plan.reclaims) ending.insert(reclaim.task);
  for (const RunningTask& run : cluster.running) {
    if (ending.contains(run.task)) continue;
    const Job& job = cluster.jobs[cluster.tasks[run.task].job];
    use[job.pool].add(job.request.cpu.value(), std::max(0.0, to_seconds(run.expected_end - cluster.now)), ahead);
  }
  for (const Assignment& assignment : plan.assignments) {
    const Task& task = cluster.tasks[assignment.task];
    const Job& job = cluster.jobs[task.job];
    const double cores = job.request.cpu.value();
    if (cores > 0) use[job.pool].add(cores, task.cpu.value() / (cores * cluster.nodes[assignment.node].speed), ahead);
  }
  for (JobId id : cluster.pending)
    use[cluster.jobs[id].pool].largest =
        std::max(use[cluster.jobs[id].pool].largest, cluster.jobs[id].request.cpu.value());
  std::size_t full = 0;
  for (PoolId pool : cluster.pools.ids()) {
    const double most = cluster.pools[pool].maximum.value(), held = std::max(most, cluster.pool_cores[pool].value());
    if (most <= 0) continue;
    EXPECT_LE(use[pool].at_the_end, held + 1e-6) << "pool " << pool.index();
    EXPECT_LE(use[pool].core_seconds, held * use[pool].until + 1e-6) << "pool " << pool.index();
    full += use[pool].now + use[pool].largest > most;
  }
  return full;
}

TEST(LipsProperty, TimeSlotPlansAreValidAndCostNoLessThanTheirBound) {
  std::size_t limited = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(simulation::random_full_shape(seed));
    bind_more(seed, world.cluster);
    PolicySettings settings = settings_for(seed);
    settings.lips.horizon = Duration(0);
    settings.lips.fast_path_limit = Usd(seed % 2 == 0 ? 0.01 : 0);
    const Plan plan = decide(world, settings);
    EXPECT_THAT(validate_plan(world.cluster, plan), IsEmpty());
    expect_stores_hold(world, plan);
    if (plan.account.lower_bound) {
      EXPECT_GE(plan.account.objective->value(), plan.account.lower_bound->value() * (1 - 1e-7) - 1e-12);
    }
    limited += expect_maxima_hold(world, plan, settings.lips.plan_ahead);
    EXPECT_FALSE(plan.account.fell_back);
    if (HasFailure()) return;
  }
  EXPECT_GT(limited, 100u) << "hardly any pool came to its maximum";
}

TEST(LipsProperty, PackingNeverOvercommitsANodeInTime) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(simulation::random_full_shape(seed));
    bind_more(seed, world.cluster);
    const Model model(world.cluster, world.costs);
    if (model.workload.commodities.empty()) continue;
    const Amounts amounts = model.by_class();
    const std::vector<Placement> placements = model.pack_all(amounts, model.packing());
    EXPECT_EQ(testing::overcommitted(model, placements), "");
    IdVector<ClassId, double> work(model.classes.classes.size(), 0.0);
    IdVector<PortionId, std::uint32_t> placed(model.workload.portions.size(), 0);
    for (const Placement& placement : placements) {
      const Portion& portion = model.workload.portions[placement.portion];
      const ClassId c = model.classes.class_of[placement.node];
      work[c] += placement.tasks * portion.work *
                 occupancy(world.cluster, model.workload.commodities[portion.commodity], model.classes.classes[c]);
      placed[placement.portion] += placement.tasks;
      EXPECT_LT(placement.start, horizon);
    }
    for (ClassId c : work.ids()) EXPECT_LE(work[c], model.classes.steps[c].front().work * (1 + 1e-6) + 1e-6);
    for (PortionId p : placed.ids()) EXPECT_LE(placed[p], model.workload.portions[p].tasks);
    if (HasFailure()) return;
  }
}

// Dollars of the plan's assignments, and the price of unserved work of what it does not assign.
double in_model_terms(const World& world, const Model& model, const Plan& plan) {
  double usd = plan.account.dollars().value();
  std::map<std::pair<JobId, std::uint32_t>, std::uint32_t> assigned;
  for (const Assignment& assignment : plan.assignments) {
    const Task& task = world.cluster.tasks[assignment.task];
    ++assigned[{task.job, task.group}];
  }
  for (const Portion& portion : model.workload.portions)
    usd += (portion.tasks - assigned[{portion.job, portion.group}]) * portion.work *
           model.workload.commodities[portion.commodity].unserved_price;
  return usd;
}

TEST(LipsProperty, BoundIsNoMoreThanWhatOtherPoliciesPlansCost) {
  PolicySettings settings;
  settings.lips.horizon = seconds(horizon);
  settings.lips.keep_copies = settings.lips.home_zones = false;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const World world(random_small_shape(seed));
    const bool fits = std::all_of(world.cluster.tasks.begin(), world.cluster.tasks.end(), [&](const Task& task) {
      return task.state != TaskState::pending ||
             std::all_of(world.cluster.nodes.begin(), world.cluster.nodes.end(),
                         [&](const Node& node) { return task.cpu.value() <= horizon * node.speed; });
    });
    if (!fits) continue;  // a task would run past the horizon, which the model does not count
    const Plan own = decide(world, settings);
    if (!own.account.lower_bound) continue;
    const Model model(world.cluster, world.costs);
    for (const char* policy : {"fifo", "spread", "greedy-cheapest", "delay", "own-zone-cheapest", "lsap", "fair"}) {
      const Plan other = decide(world, settings, policy);
      EXPECT_LE(own.account.lower_bound->value(), in_model_terms(world, model, other) * (1 + 1e-7) + 1e-12) << policy;
      ++compared;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 1000);
}

TEST(LipsProperty, ZoneFormIsTheClassFormWhereItHolds) {
  int compared = 0, tight = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const World world(random_small_shape(seed));
    TimeSlotSettings time_slots;
    time_slots.edges = PolicySettings{}.lips.time_slot_edges;
    const Model model(world.cluster, world.costs, {}, seed % 2 == 0 ? testing::one_time_slot() : time_slots);
    if (model.workload.commodities.empty() || !zone_form_holds(model.workload)) continue;
    const Amounts zone = model.by_zone(), classes = model.by_class();
    EXPECT_NEAR(zone.objective, classes.objective, 1e-6 * std::abs(zone.objective) + 1e-12);
    if (model.workload.costs_are_least) {
      EXPECT_NEAR(zone.lower_bound, zone.objective, 1e-6 * std::abs(zone.objective) + 1e-12);
      EXPECT_NEAR(classes.lower_bound, classes.objective, 1e-6 * std::abs(zone.objective) + 1e-12);
      ++tight;
    }
    const solver::LpSolution program = solver::solve(zone_form_program(world.cluster, model.classes, model.workload));
    EXPECT_NEAR(program.objective, zone.objective, 1e-6 * std::abs(zone.objective) + 1e-12);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(tight, 250);
}

TEST(LipsProperty, ColumnGenerationReachesTheFullProgramsOptimum) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(simulation::random_full_shape(seed));
    bind_more(seed, world.cluster);
    CommoditySettings commodities;
    commodities.copies = seed % 2 ? CopyPricing::columns : CopyPricing::none;
    commodities.links = world.cluster.network.zone_link.value() > 0;
    Model model(world.cluster, world.costs, commodities);
    if (commodities.links) model.settings.link_capacity = Mebibytes(world.cluster.network.zone_link.value() * horizon);
    if (model.workload.commodities.empty()) continue;
    const Amounts amounts = model.by_class();
    const solver::LpSolution full = solver::solve(class_form_program(model.input()));
    ASSERT_EQ(full.status, solver::LpStatus::optimal);
    EXPECT_NEAR(amounts.objective, full.objective, 1e-6 * std::abs(full.objective) + 1e-12);
    EXPECT_LE(amounts.lower_bound, full.objective * (1 + 1e-7) + 1e-12);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 300);
}

TEST(LipsProperty, ClassFormIsThePapersNodeByNodeModelWhereBothHold) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SnapshotShape shape = random_small_shape(seed);
    shape.memory = false;
    shape.share_of_jobs_with_shuffle = 0;
    shape.load = std::min(shape.load, 0.6);
    const World world(shape);
    const Model model(world.cluster, world.costs);
    if (model.workload.commodities.empty()) continue;
    const Amounts amounts = model.by_class();
    if (std::any_of(amounts.unserved.begin(), amounts.unserved.end(), [](double work) { return work > 1e-6; }))
      continue;
    paper::Options options;
    options.moves = false;
    options.transfer = paper::TransferLimit::none;
    options.access = paper::PartialAccess::any_blocks;
    const paper::SnapshotInstance instance = paper::paper_instance(world.cluster, world.costs, seconds(horizon));
    const Result<paper::Solution> nodes = paper::solve(instance.instance, options);
    ASSERT_TRUE(nodes.has_value());
    EXPECT_NEAR(amounts.objective, nodes->objective.value(), 1e-6 * nodes->objective.value() + 1e-12);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 200);
}

TEST(LipsProperty, LagrangianBoundHoldsForArbitraryDuals) {
  Random random(7);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(simulation::random_full_shape(seed));
    bind_more(seed, world.cluster);
    const Model model(world.cluster, world.costs);
    if (model.workload.commodities.empty()) continue;
    const solver::LinearProgram program = class_form_program(model.input());
    const solver::LpSolution exact = solver::solve(program);
    ASSERT_EQ(exact.status, solver::LpStatus::optimal);
    for (int draw = 0; draw < 5; ++draw) {
      std::vector<double> duals = exact.row_dual;
      for (double& dual : duals)
        dual = draw == 0 ? dual : dual * random.uniform(0, 2) + random.uniform(-1e-4, 1e-4) * (draw - 1);
      const double bound = class_form_bound(model.input(), duals);
      EXPECT_LE(bound, exact.objective * (1 + 1e-7) + 1e-12) << "draw " << draw;
      if (draw == 0) {
        EXPECT_NEAR(bound, exact.objective, 1e-3 * std::abs(exact.objective) + 1e-9);
      }
    }
    if (HasFailure()) return;
  }
}

// Every fourth of more nodes, classes and zones than the others have.
simulation::SnapshotShape shape_to_merge(std::uint64_t seed) {
  simulation::SnapshotShape shape = simulation::random_full_shape(seed);
  if (seed % 4 != 0) return shape;
  Random random(seed);
  shape.nodes = static_cast<std::uint32_t>(30 + random.below(31));
  shape.zones = static_cast<std::uint32_t>(1 + random.below(30));
  shape.classes = static_cast<std::uint32_t>(10 + random.below(51));
  return shape;
}

TEST(LipsProperty, MergedCommoditiesAndClassesGiveAValidBoundAndAPossiblePlan) {
  int coarse = 0, merged = 0;
  double bounds = 0, optima = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(shape_to_merge(seed));
    bind_more(seed, world.cluster);
    Model model(world.cluster, world.costs);
    if (model.workload.commodities.empty()) continue;
    const solver::LpSolution exact = solver::solve(class_form_program(model.input()));
    ASSERT_EQ(exact.status, solver::LpStatus::optimal);
    coarse += model.workload.commodities.size() > 2;
    merged += model.classes.classes.size() > 2;
    model.settings.most_commodities = seed % 3 == 0 ? 1500 : 2;
    model.settings.most_gathered = 4;
    model.settings.most_classes = seed % 3 == 1 ? 400 : 2;
    const Amounts amounts = model.by_class();
    EXPECT_LE(amounts.lower_bound, exact.objective * (1 + 1e-7) + 1e-12);
    bounds += amounts.lower_bound, optima += exact.objective;
    for (CommodityId u : model.workload.commodities.ids()) {
      double dealt = amounts.unserved[u];
      for (double work : amounts.in_zone[u]) dealt += work;
      for (const auto& [c, work] : amounts.in_class[u]) {
        EXPECT_TRUE(world.cluster.eligible(model.workload.commodities[u].constraint, model.classes.classes[c].like));
        dealt += work;
      }
      EXPECT_NEAR(dealt, model.workload.commodities[u].work, 1e-6 * model.workload.commodities[u].work);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(coarse, 100);
  EXPECT_GT(merged, 100);
  EXPECT_GT(bounds, 0.5 * optima);
}

TEST(LipsProperty, ManyClassesLeaveNoWorkOutThatHasRoom) {
  SnapshotShape shape;
  shape.nodes = 3000;
  shape.tasks = 30'000;
  shape.classes = 1500;
  shape.memory = true;
  const World world(shape);
  Model model(world.cluster, world.costs);
  model.settings.good_enough = ClassFormSettings{}.good_enough;
  const Amounts amounts = model.by_class();
  double unserved = 0, work = 0;
  for (CommodityId u : model.workload.commodities.ids()) {
    unserved += amounts.unserved[u];
    work += model.workload.commodities[u].work;
  }
  EXPECT_LT(unserved, 1e-6 * work);
  EXPECT_GT(amounts.lower_bound, 0.9 * amounts.objective);
}

TEST(LipsProperty, RoundingKeepsEachPlacesTotalWithinATaskAndEveryTaskOnce) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const World world(simulation::random_full_shape(seed));
    const Model model(world.cluster, world.costs);
    if (model.workload.commodities.empty()) continue;
    const Amounts amounts = model.by_class();
    const WholeQuotas quotas = round_amounts(world.cluster, model.workload, amounts, model.classes);
    double largest = 0;
    for (const Portion& portion : model.workload.portions) largest = std::max(largest, portion.work);
    IdVector<PortionId, std::uint32_t> dealt(model.workload.portions.size(), 0);
    const auto total = [&](const std::vector<Quota>& list) {
      double work = 0;
      for (const Quota& quota : list) {
        work += quota.tasks * model.workload.portions[quota.portion].work;
        dealt[quota.portion] += quota.tasks;
      }
      return work;
    };
    IdVector<ZoneId, double> zone(world.cluster.zones.size());
    IdVector<ClassId, double> in_class(model.classes.classes.size());
    for (CommodityId u : model.workload.commodities.ids()) {
      for (ZoneId z : zone.ids()) zone[z] += amounts.in_zone[u][z];
      for (const auto& [c, work] : amounts.in_class[u]) in_class[c] += work;
    }
    for (ZoneId z : zone.ids()) EXPECT_NEAR(total(quotas.zone[z]), zone[z], largest * 1.001) << "zone " << z.index();
    for (ClassId c : in_class.ids())
      EXPECT_NEAR(total(quotas.in_class[c]), in_class[c], largest * 1.001) << "class " << c.index();
    for (PortionId p : dealt.ids()) EXPECT_LE(dealt[p], model.workload.portions[p].tasks);
    if (HasFailure()) return;
  }
}

TEST(LipsProperty, EqualInputsGiveEqualPlans) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World first(simulation::random_full_shape(seed)), second(simulation::random_full_shape(seed));
    bind_more(seed, first.cluster);
    bind_more(seed, second.cluster);
    const Plan a = decide(first, settings_for(seed)), b = decide(second, settings_for(seed));
    EXPECT_EQ(a.assignments, b.assignments);
    EXPECT_EQ(a.moves, b.moves);
    EXPECT_EQ(a.account.objective, b.account.objective);
    EXPECT_EQ(a.account.lower_bound, b.account.lower_bound);
    if (HasFailure()) return;
  }
}

// The same cluster with other numbers: nodes and their stores turned round, the maps of each job too.
World renumbered(const ClusterSnapshot& cluster, const SnapshotShape& shape) {
  ClusterSnapshot start;
  start.zones = cluster.zones, start.racks = cluster.racks, start.profiles = cluster.profiles;
  start.constraints = cluster.constraints, start.network = cluster.network, start.pools = cluster.pools;
  start.data_sets = cluster.data_sets, start.blocks = cluster.blocks;
  const auto other = [](auto id, std::size_t size) {
    return decltype(id)(static_cast<std::uint32_t>(size - 1 - id.index()));
  };
  for (NodeId node : cluster.nodes.ids()) start.nodes.push_back(cluster.nodes[other(node, cluster.nodes.size())]);
  for (StoreId id : cluster.stores.ids()) {
    DataStore store = cluster.stores[other(id, cluster.stores.size())];
    if (store.node.valid()) store.node = other(store.node, cluster.nodes.size());
    start.stores.push_back(store);
  }
  for (Block& block : start.blocks) {
    for (Replica& replica : block.replicas) replica.store = other(replica.store, cluster.stores.size());
    std::sort(block.replicas.begin(), block.replicas.end(),
              [](const Replica& a, const Replica& b) { return a.store < b.store; });
  }
  ClusterState state(start);
  state.advance(cluster.now);
  for (JobId id : cluster.jobs.ids()) {
    JobArrived arrived;
    const Job& job = arrived.job = cluster.jobs[id];
    for (std::uint32_t i = 0; i < job.tasks(); ++i) {
      const std::uint32_t from = i < job.map_tasks ? job.map_tasks - 1 - i : i;
      arrived.tasks.push_back(cluster.tasks[TaskId(job.first_task.index() + from)]);
    }
    state.apply(arrived);
  }
  World world(shape);
  world.cluster = state.snapshot();
  return world;
}

TEST(LipsProperty, NumbersOfNodesAndTasksChangeNoBoundAndHardlyACost) {
  double cost = 0, other_cost = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SnapshotShape shape = random_small_shape(seed);
    shape.busy = 0;
    const World world(shape), other = renumbered(world.cluster, shape);
    PolicySettings settings;
    settings.lips.horizon = seconds(horizon);
    settings.lips.home_zones = false;  // a home is chosen by one of several optimal prices
    const Plan a = decide(world, settings), b = decide(other, settings);
    ASSERT_EQ(a.account.lower_bound.has_value(), b.account.lower_bound.has_value());
    if (!a.account.lower_bound) continue;
    EXPECT_NEAR(a.account.lower_bound->value(), b.account.lower_bound->value(),
                2e-4 * a.account.lower_bound->value() + 1e-9);
    cost += a.account.objective->value();
    other_cost += b.account.objective->value();
    if (HasFailure()) return;
  }
  EXPECT_NEAR(cost, other_cost, 0.01 * cost);
}

}  // namespace
}  // namespace lips
