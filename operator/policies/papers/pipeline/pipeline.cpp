#include "policies/papers/pipeline/pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "policies/lips_horizon/lips_horizon.h"
#include "policies/papers/degraded/degraded_tail.h"
#include "policies/papers/fair/fair_round.h"
#include "policies/papers/lsap/wave.h"
#include "policies/papers/pipeline/degraded_order.h"
#include "policies/papers/pipeline/place_tasks.h"
#include "policies/papers/pipeline/pool_limits.h"
#include "policies/papers/pipeline/task_order.h"

namespace lips {

namespace {

using pipeline::TaskOrder;

// Some node, when it were empty, and the pool's maximum could take its tasks.
bool could_run(Draft& draft, const Job& job) {
  const double most = draft.cluster.pools[job.pool].maximum.value();
  return !draft.free.zones_that_could_take(draft.free.kind_of(job)).empty() &&
         (most <= 0 || job.request.cpu.value() <= most + 1e-6);
}

// Tasks that nothing can run are not counted, or they would hold turns and shares for ever.
std::vector<std::uint32_t> runnable_by_job(Draft& draft) {
  std::vector<std::uint32_t> tasks(draft.cluster.jobs.size(), 0);
  for (const JobId job : draft.cluster.pending)
    if (could_run(draft, draft.cluster.jobs[job]))
      for (const TaskGroup& group : draft.cluster.groups[job])
        if (can_run(group)) tasks[job.index()] += group.count;
  return tasks;
}

class Pipeline : public Policy {
 public:
  explicit Pipeline(const PolicySettings& settings) : settings_(settings), lips_(make_lips_as_set(settings)) {}

  Cadence cadence() const override {
    return settings_.pipeline.amounts == PipelineAmounts::lips ? lips_->cadence() : Cadence{};
  }

  Result<Plan> decide(const PolicyInput& input) const override {
    return settings_.pipeline.amounts == PipelineAmounts::lips ? decide_by_program(input) : decide_by_order(input);
  }

 private:
  // Everything that fits may start: jobs take turns, and each task gets its place at once or all together.
  Result<Plan> decide_by_order(const PolicyInput& input) const {
    Draft draft(input);
    if (input.cluster.pending_tasks == 0) return draft.finish(DeferralReason::no_capacity);
    const std::vector<double> most = limits(draft);
    if (settings_.pipeline.order == PipelineOrder::degraded_first) pipeline::start_due_degraded(draft, settings_);
    TaskOrder order = make_order(draft, runnable_by_job(draft), most);
    if (settings_.pipeline.places == PipelinePlaces::lsap) {
      while (assign_wave(draft, order)) {
      }
    } else {
      for (JobId job = order.next(); job.valid() && draft.free.open_left() > 0; job = order.next()) {
        const Assignment place = pipeline::nearest_place(draft, job);
        if (!place.task.valid()) {
          order.close(job);
          continue;
        }
        draft.assign(place.task, place.node);
        order.served(job);
      }
    }
    return draft.finish(order.at_limit() ? DeferralReason::pool_maximum : DeferralReason::no_capacity);
  }

  // As many tasks as there are slots, in order, then their places; jobs that found none leave the order.
  bool assign_wave(Draft& draft, TaskOrder& order) const {
    const lsap::Wave idle = lsap::gather_wave(draft, false, 1);
    std::vector<TaskId> chosen;
    std::map<std::pair<JobId, std::uint32_t>, TaskId> next;  // of each group of the jobs that were chosen from
    while (chosen.size() < idle.slots) {
      const JobId job = order.next();
      if (!job.valid()) break;
      const TaskId task = take_next(draft, job, next);
      if (!task.valid()) {
        order.close(job);
        continue;
      }
      chosen.push_back(task);
      order.served(job);
    }
    const std::vector<TaskId> left = pipeline::assign_by_lsap(draft, chosen, settings_);
    for (const TaskId task : left) order.give_back(draft.cluster.tasks[task].job);
    return !left.empty();
  }

  static TaskId take_next(Draft& draft, JobId job, std::map<std::pair<JobId, std::uint32_t>, TaskId>& next) {
    const std::vector<TaskGroup>& groups = draft.cluster.groups[job];
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      if (!can_run(groups[group])) continue;
      const auto [at, added] = next.try_emplace({job, group}, TaskId::none());
      if (added) at->second = draft.tasks.first(job, group);
      while (at->second.valid() && draft.tasks.taken(at->second))
        at->second = draft.cluster.tasks[at->second].next_pending;
      if (!at->second.valid()) continue;
      const TaskId task = at->second;
      at->second = draft.cluster.tasks[task].next_pending;
      return task;
    }
    return TaskId::none();
  }

  // The linear program decides what starts where; shares bound its pools, then places and order are worked over.
  Result<Plan> decide_by_program(const PolicyInput& input) const {
    Result<Plan> plan = Plan{};
    if (settings_.pipeline.shares == PipelineShares::none) {
      plan = lips_->decide(input);
    } else {
      Draft draft(input);
      const ClusterSnapshot bounded = bounded_pools(input.cluster, limits(draft));
      PolicyInput within{bounded, input.costs, input.seed, input.reporting, input.stopwatch};
      plan = lips_->decide(within);
    }
    if (!plan) return plan;
    if (settings_.pipeline.places == PipelinePlaces::lsap) pipeline::exchange_by_lsap(input, settings_, *plan);
    if (settings_.pipeline.order == PipelineOrder::degraded_first)
      pipeline::put_degraded_first(input, settings_, *plan);
    else if (settings_.pipeline.order != PipelineOrder::planned)
      reorder(input, *plan);
    return plan;
  }

  // The snapshot with each pool's maximum lowered to its limit: whole slots, and room for one task if it has any.
  static ClusterSnapshot bounded_pools(ClusterSnapshot cluster, const std::vector<double>& limits) {
    IdVector<PoolId, double> largest(cluster.pools.size(), 0.0);
    for (const JobId id : cluster.pending) {
      const Job& job = cluster.jobs[id];
      largest[job.pool] = std::max(largest[job.pool], job.request.cpu.value());
    }
    for (const PoolId id : cluster.pools.ids()) {
      Pool& pool = cluster.pools[id];
      double most = std::ceil(limits[id.index()] - 1e-6);
      if (limits[id.index()] > 0) most = std::max(most, largest[id]);
      // 0 would mean no maximum.
      most = std::max(most, std::max(1e-3, cluster.pool_cores[id].value()));
      if (pool.maximum.value() <= 0 || most < pool.maximum.value()) pool.maximum = Cores(most);
    }
    return cluster;
  }

  void reorder(const PolicyInput& input, Plan& plan) const {
    Draft draft(input);
    std::vector<std::uint32_t> tasks(input.cluster.jobs.size(), 0);
    std::map<JobId, std::vector<std::size_t>> planned;
    for (std::size_t i = 0; i < plan.assignments.size(); ++i) {
      const JobId job = input.cluster.tasks[plan.assignments[i].task].job;
      ++tasks[job.index()];
      planned[job].push_back(i);
    }
    const std::vector<double> unlimited(input.cluster.pools.size(), std::numeric_limits<double>::infinity());
    TaskOrder order = make_order(draft, std::move(tasks), unlimited);
    std::map<JobId, std::size_t> given;
    std::vector<std::size_t> sequence;
    std::vector<bool> listed(plan.assignments.size(), false);
    for (JobId job = order.next(); job.valid(); job = order.next()) {
      sequence.push_back(planned[job][given[job]++]);
      listed[sequence.back()] = true;
      order.served(job);
    }
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (!listed[i]) sequence.push_back(i);
    std::vector<Assignment> ordered;
    ordered.reserve(sequence.size());
    for (const std::size_t i : sequence) ordered.push_back(std::move(plan.assignments[i]));
    plan.assignments = std::move(ordered);
  }

  std::vector<fair::PoolLoad> loads(Draft& draft, const fair::StageSlots& slots) const {
    return fair::pool_loads(draft, slots, TaskKind::map, nullptr);
  }
  std::vector<double> limits(Draft& draft) const {
    const fair::StageSlots slots(draft, 0);
    std::vector<fair::PoolLoad> of = loads(draft, slots);
    for (std::size_t pool = 0; pool < draft.cluster.pools.size(); ++pool) of[pool].demand = 0;
    const std::vector<std::uint32_t> tasks = runnable_by_job(draft);
    for (const JobId id : draft.cluster.pending) {
      const Job& job = draft.cluster.jobs[id];
      of[job.pool.index()].demand += tasks[id.index()] * job.request.cpu.value();
    }
    return pipeline::pool_limits(draft, slots, settings_, of);
  }
  TaskOrder make_order(Draft& draft, std::vector<std::uint32_t> tasks, std::vector<double> limits) const {
    const fair::StageSlots slots(draft, 0);
    return TaskOrder(draft, settings_, loads(draft, slots), std::move(limits), std::move(tasks));
  }

  const PolicySettings settings_;
  const std::unique_ptr<Policy> lips_;
};

Result<void> refuse(const char* why) { return fail(ErrorCode::invalid_input, why); }

}  // namespace

Result<void> check_pipeline(const PolicySettings& settings) {
  const PipelineSettings& parts = settings.pipeline;
  if (parts.amounts == PipelineAmounts::all) {
    if (parts.places == PipelinePlaces::planned)
      return refuse(
          "pipeline: places 'planned' are the linear program's, which amounts 'all' leaves out; take nearest or lsap");
    if (parts.order == PipelineOrder::planned)
      return refuse(
          "pipeline: order 'planned' is the linear program's, which amounts 'all' leaves out; take arrival, fair or "
          "modifiedFair");
    return {};
  }
  if (parts.places == PipelinePlaces::nearest)
    return refuse(
        "pipeline: places 'nearest' would undo the zones and classes of nodes that amounts 'lips' pays for; take "
        "planned or lsap");
  if (settings.lips.horizon <= Duration(0)) return {};
  if (parts.shares != PipelineShares::none)
    return refuse(
        "pipeline: shares of this moment do not hold for a plan of a whole horizon; there lips prices shares itself "
        "(pools' shortfallPrice)");
  if (parts.places != PipelinePlaces::planned)
    return refuse(
        "pipeline: places 'lsap' fill one wave of slots, and a horizon's plan has several; take planned, or horizon 0");
  if (parts.order != PipelineOrder::planned)
    return refuse("pipeline: a horizon's plan says when each task starts; take order 'planned', or horizon 0");
  return {};
}

std::unique_ptr<Policy> make_pipeline(const PolicySettings& settings) {
  auto plain = std::make_unique<Pipeline>(settings);
  if (settings.pipeline.order == PipelineOrder::degraded_first) return plain;
  return with_degraded_tail(std::move(plain), settings);
}

}  // namespace lips
