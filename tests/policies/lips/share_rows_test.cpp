// The program of a plan with rows of shares: each pool gets at least what the plan gives it of its entitlement in the
// first time slot. These rows need to know who takes which time slot, so every column is one of a portion, a class and
// a slot.
#include <algorithm>
#include <cstdio>
#include <map>
#include <span>

#include "policies/lips/prices/price_terms.h"
#include "policies/lips/program/class_form.h"
#include "policies/lips/program/paid_parts.h"
#include "policies/lips/stages/stages.h"
#include "solver/clp_backend.h"
#include "tests/policies/lips/mixed_world.h"

namespace lips {
namespace {

using solver::Entry;
using testing::Case;
using testing::MixedWorld;

// The part of the first time slot that the work takes of the class's nodes, in cores.
double cores_in_first_slot(const NodeClasses& classes, ClassId c, double time) {
  return time / (classes.classes[c].speed * classes.now_window[c]);
}

class ProgramBySlots {
 public:
  ProgramBySlots(const PolicyInput& input, const PlanDraft& draft)
      : cluster_(input.cluster),
        workload_(draft.workload),
        parts_(draft.classes, draft.workload),
        classes_(parts_.none() ? draft.classes : parts_.classes()),
        settings_(),
        form_({input.cluster, input.costs, classes_, draft.workload, settings_}, ClassColumns::none),
        rows_(side_rows(draft.workload, classes_)) {
    for (const Commodity& commodity : workload_.commodities)
      if (commodity.any_class) least_memory_ = std::min(least_memory_, commodity.least_memory_per_core);
    add_slots();
    for (const PortionId portion : workload_.portions.ids()) add_portion(portion);
  }

  // The pool takes at least so much of the resource in the first slot.
  struct Row {
    PoolId pool;
    std::size_t resource = 0;
    double least = 0, capacity = 1;
  };
  struct Answer {
    double usd = 0;
    double missed = 0;  // of all rows, parts of the capacity
  };
  Answer solve(const std::vector<Row>& rows) const {
    solver::LinearProgram program = rebuilt(rows);
    const solver::LpSolution solution = solver::solve(program);
    EXPECT_EQ(solution.status, solver::LpStatus::optimal);
    Answer answer{solution.objective, 0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double missed = solution.primal[solution.primal.size() - rows.size() + i];
      answer.missed += missed, answer.usd -= missed * dear;
    }
    return answer;
  }

 private:
  static constexpr double dear = 1e4;  // USD for all of a resource's capacity that a row lacks
  struct Column {
    double cost = 0, upper = 0;
    std::vector<Entry> entries;
    PortionId portion;  // none: of a slot, or unserved
    double cores = 0;   // in the first slot
  };

  void add_slots() {
    for (const ClassId c : classes_.classes.ids()) {
      const NodeClass& group = classes_.classes[c];
      slot_rows_.push_back({});
      for (const CapacityStep& step : classes_.steps[c]) {
        const std::int32_t row = row_count_;
        slot_rows_[c].push_back(row);
        row_count_ += 3;
        if (step.work <= 0) continue;
        std::vector<Entry> entries{{row, -step.work}};
        if (rows_.memory) entries.push_back({row + 1, -step.memory});
        if (rows_.slots) entries.push_back({row + 2, -step.slots});
        columns_.push_back({(step.waiting_price + group.price_of_room().value()) * step.work, 1, entries, {}, 0});
      }
    }
  }

  void add_portion(PortionId id) {
    const Portion& portion = workload_.portions[id];
    const Commodity& commodity = workload_.commodities[portion.commodity];
    const double work = portion.tasks * portion.work;
    const std::int32_t own = row_count_++;
    demand_.emplace_back(own, work);
    columns_.push_back({commodity.unserved_price, work, {{own, 1}}, {}, 0});
    for (const ClassId c : classes_.classes.ids()) {
      const NodeClass& group = classes_.classes[c];
      if (!commodity.any_class && !form_.eligible(commodity, c)) continue;
      const double time = commodity.any_class ? 1 : occupancy(cluster_, commodity, group);
      double cost = group.price_of_use().value() + commodity.non_cpu_cost[group.zone];
      if (!commodity.any_class) cost += class_charges(classes_, group, commodity);
      const double span = time / (cores_of(commodity.request) * group.speed);
      for (std::size_t s = 0; s < slot_rows_[c].size(); ++s) {
        const std::int32_t row = slot_rows_[c][s];
        Column column{cost, work, {{own, 1}, {row, time}}, id, 0};
        if (rows_.memory)
          column.entries.push_back(
              {row + 1, commodity.any_class ? least_memory_ / group.speed : commodity.request.memory.value() * span});
        if (rows_.slots && !commodity.any_class) column.entries.push_back({row + 2, commodity.request.slots * span});
        if (classes_.steps[c][s].from == 0) column.cores = cores_in_first_slot(classes_, c, time);
        columns_.push_back(std::move(column));
      }
    }
  }

  solver::LinearProgram rebuilt(const std::vector<Row>& rows) const {
    solver::LinearProgram program;
    std::map<std::int32_t, double> demand(demand_.begin(), demand_.end());
    for (std::int32_t row = 0; row < row_count_; ++row) {
      const auto known = demand.find(row);
      program.add_row(known == demand.end() ? -solver::infinity : known->second,
                      known == demand.end() ? 0 : known->second);
    }
    for (const Row& row : rows) program.add_row(row.least / row.capacity, solver::infinity);
    for (const Column& column : columns_) {
      std::vector<Entry> entries = column.entries;
      if (column.portion.valid() && column.cores > 0) {
        const Job& job = cluster_.jobs[workload_.portions[column.portion].job];
        ResourceAmounts request(2 + cluster_.extended_names.size(), 0.0);
        add_amounts(request, job.request, 1 / cores_of(job.request));
        for (std::size_t i = 0; i < rows.size(); ++i)
          if (rows[i].pool == job.pool && request[rows[i].resource] > 0)
            entries.push_back({row_count_ + static_cast<std::int32_t>(i),
                               column.cores * request[rows[i].resource] / rows[i].capacity});
      }
      program.add_column(column.cost, 0, column.upper, entries);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Entry missed{row_count_ + static_cast<std::int32_t>(i), 1};
      program.add_column(dear, 0, solver::infinity, {&missed, 1});
    }
    return program;
  }

  const ClusterSnapshot& cluster_;
  const Workload& workload_;
  PaidParts parts_;
  const NodeClasses& classes_;
  ClassFormSettings settings_;
  ClassFormProgram form_;
  SideRows rows_;
  double least_memory_ = solver::infinity;
  std::int32_t row_count_ = 0;
  IdVector<ClassId, std::vector<std::int32_t>> slot_rows_;
  std::vector<std::pair<std::int32_t, double>> demand_;
  std::vector<Column> columns_;
};

// Plans of a mixed world with pools, each beside its program with rows and without.
class PlansBesideRows {
 public:
  PlansBesideRows(std::uint64_t seed, Billing billing)
      : world_(seed, 3), with_("lips", world_.builder(), settings_of(billing)), settings_(settings_of(billing)) {}

  void run() {
    std::size_t next = 0;
    for (int step = 0; step < 60; ++step) {
      const ClusterSnapshot& cluster = with_.state.snapshot();
      while (next < world_.jobs().size() && world_.jobs()[next].arrival <= to_seconds(cluster.now - TimePoint{}))
        with_.state.apply(MixedWorld::arrival_of(cluster, world_.jobs()[next++]));
      look();
      for (const Assignment& assignment : with_.plan().assignments) with_.state.assume(assignment);
      if (next == world_.jobs().size() && cluster.running.empty()) return;
      MixedWorld::pass_time(with_.state, next < world_.jobs().size() ? world_.jobs()[next].arrival : 1e12);
    }
  }

  int plans = 0, dearer = 0, short_of_a_row = 0;
  double without = 0, with = 0, worst = 1;

 private:
  static PolicySettings settings_of(Billing billing) {
    PolicySettings settings;
    settings.lips.billing = billing;
    return settings;
  }

  void look() {
    const PolicyInput input{with_.state.snapshot(), with_.costs, 1, {}, nullptr};
    if (input.cluster.pending_tasks == 0 || !share_out(input.cluster).contended()) return;
    PlanDraft draft = make_plan_draft(input, settings_);
    for (const Stage& stage : stages())
      if (stage.phase != Phase::tasks || stage.name == "tasks") stage.run(draft);
    if (draft.workload.commodities.empty()) return;
    const ProgramBySlots program(input, draft);
    const double plain = program.solve({}).usd;
    EXPECT_GE(plain, draft.amounts.objective * (1 - 1e-3)) << "a slot's memory is for its own cores";
    const ProgramBySlots::Answer shared = program.solve(rows_of(input.cluster, draft));
    EXPECT_GE(shared.usd, plain * (1 - 1e-6));
    ++plans, dearer += shared.usd > plain * 1.0001;
    short_of_a_row += shared.missed > 1e-3;
    without += plain, with += shared.usd;
    worst = std::max(worst, shared.usd / plain);
  }

  // The use of the first slot that the plan gives the pool of its entitlement.
  static std::vector<ProgramBySlots::Row> rows_of(const ClusterSnapshot& cluster, const PlanDraft& draft) {
    IdVector<PoolId, ResourceAmounts> in_slot(cluster.pools.size(), ResourceAmounts(draft.shares.capacity.size(), 0.0));
    for (const Placement& placement : draft.whole.placements) {
      if (placement.start > 0) continue;
      const Portion& portion = draft.workload.portions[placement.portion];
      const Job& job = cluster.jobs[portion.job];
      const ClassId c = draft.classes.class_of[placement.node];
      const double time = occupancy(cluster, draft.workload.commodities[portion.commodity], draft.classes.classes[c]);
      const double cores = cores_in_first_slot(draft.classes, c, placement.tasks * portion.work * time);
      const double tasks = std::min<double>(placement.tasks, cores / cores_of(job.request));
      add_amounts(in_slot[job.pool], job.request, tasks);
    }
    std::vector<ProgramBySlots::Row> rows;
    for (const PoolId pool : cluster.pools.ids()) {
      const Entitlement& share = draft.shares.of[pool];
      for (std::size_t r = 0; r < draft.shares.capacity.size(); ++r) {
        const double left = share.amounts[r] - draft.shares.claims[pool].used[r];
        if (const double least = std::min(in_slot[pool][r], left); least > 1e-9)
          rows.push_back({pool, r, least, draft.shares.capacity[r]});
      }
    }
    return rows;
  }

  MixedWorld world_;
  Case with_;
  PolicySettings settings_;
};

// A time slot costs everybody the same, so it costs the program next to nothing who takes the first one.
TEST(ShareRows, AddNextToNothingToTheProgram) {
  for (const Billing billing : {Billing::use, Billing::invoice}) {
    int plans = 0, dearer = 0, short_of_a_row = 0;
    double without = 0, with = 0, worst = 1;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      PlansBesideRows run(seed, billing);
      run.run();
      plans += run.plans, dearer += run.dearer, short_of_a_row += run.short_of_a_row;
      without += run.without, with += run.with;
      worst = std::max(worst, run.worst);
    }
    std::printf("%d plans: the rows make %d dearer, by %.4f %% in the mean and %.1f %% at most; %d cannot meet them\n",
                plans, dearer, 100 * (with / without - 1), 100 * (worst - 1), short_of_a_row);
    EXPECT_GT(plans, 2000);
    EXPECT_GT(dearer, 0) << "the rows are there";
    EXPECT_LT(dearer, plans / 50);
    EXPECT_LT(with / without, 1.0005);
    EXPECT_LT(short_of_a_row, plans / 50) << "whole tasks find room that the program does not count";
  }
}

}  // namespace
}  // namespace lips
