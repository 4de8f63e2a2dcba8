// Hadoop 1.2.1's CapacityTaskScheduler: queues with a capacity and a maximum, each FIFO by priority. A pool is a queue;
// its capacity is its minimum, or without one its part of all slots by weight.
#include <algorithm>
#include <vector>

#include "policies/drafting/draft.h"
#include "policies/papers/fair/fair.h"
#include "policies/papers/fair/fair_round.h"
#include "policies/papers/fair/order.h"

namespace lips {

namespace {

constexpr double queue_slack = 1e-6;  // of sums of cores

class CapacityRound {
 public:
  CapacityRound(Draft& draft, fair::StageSlots& slots, TaskKind stage)
      : draft_(draft), cluster_(draft.cluster), slots_(slots), stage_(stage) {
    fill();
  }

  // As many tasks with locality as fit, at most one without: then the heartbeat ends.
  void answer(NodeId node) {
    bool reduce_given = false;
    std::vector<bool> counted(cluster_.jobs.size(), false);
    while (draft_.free.has_room(node)) {
      const Given given = give(node, reduce_given, counted);
      if (given == Given::nothing || given == Given::off_switch) return;
    }
  }
  bool reached_limit() const { return reached_limit_; }

 private:
  enum class Given : std::uint8_t { nothing, with_locality, off_switch };
  struct Queue {
    double used = 0, capacity = 0, maximum = 0;
    std::vector<JobId> jobs;  // by priority, then arrival
  };

  void fill() {
    const std::vector<fair::PoolLoad> loads = fair::pool_loads(draft_, slots_, stage_, nullptr);
    queues_.resize(cluster_.pools.size());
    double weights = 0;
    for (const Pool& pool : cluster_.pools) weights += pool.weight;
    const double all = slots_.cores(stage_);
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const Pool& pool = cluster_.pools[PoolId(static_cast<std::uint32_t>(i))];
      queues_[i].used = loads[i].workload;
      queues_[i].maximum = pool.maximum.value();
      queues_[i].capacity = pool.minimum.value() > 0 ? pool.minimum.value()
                            : weights > 0            ? all * pool.weight / weights
                                                     : 0;
    }
    for (const JobId id : jobs_by_priority(cluster_)) {
      const Job& job = cluster_.jobs[id];
      if (!slots_.separate() || fair::stage_of(job) == stage_) queues_[job.pool.index()].jobs.push_back(id);
    }
  }

  Given give(NodeId node, bool& reduce_given, std::vector<bool>& counted) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (!queues_[i].jobs.empty()) order.emplace_back(queues_[i].used / std::max(queues_[i].capacity, queue_slack), i);
    std::ranges::sort(order);
    for (const auto& [ratio, i] : order)
      for (const JobId id : queues_[i].jobs)
        if (const Given given = offer(queues_[i], id, node, reduce_given, counted); given != Given::nothing)
          return given;
    return Given::nothing;
  }

  Given offer(Queue& queue, JobId id, NodeId node, bool& reduce_given, std::vector<bool>& counted) {
    const Job& job = cluster_.jobs[id];
    if (draft_.tasks.left(id) == 0) return Given::nothing;
    if (queue.maximum > 0 && queue.used + job.request.cpu.value() > queue.maximum + queue_slack) {
      reached_limit_ = true;
      return Given::nothing;
    }
    if (!slots_.has_slot(fair::stage_of(job), draft_.free.kind_of(job), node)) return Given::nothing;
    if (const TaskId task = reduce_given ? TaskId::none() : draft_.tasks.reduce(id); task.valid()) {
      reduce_given = true;
      return start(queue, task, node, Given::with_locality);
    }
    TaskId task = draft_.tasks.on_node(id, node);
    if (!task.valid()) task = draft_.tasks.near(id, node);
    JobMemory memory = draft_.memory(id);
    if (task.valid()) {
      memory.opportunities = 0;
      draft_.remember(id, memory);
      return start(queue, task, node, Given::with_locality);
    }
    if (const TaskId without = draft_.tasks.without_input(id); without.valid())
      return start(queue, without, node, Given::off_switch);
    task = draft_.tasks.anywhere(id);
    if (!task.valid()) return Given::nothing;
    if (!counted[id.index()]) {
      counted[id.index()] = true;
      ++memory.opportunities;
      draft_.remember(id, memory);
    }
    return memory.opportunities > patience(id) ? start(queue, task, node, Given::off_switch) : Given::nothing;
  }

  // JobInProgress.scheduleOffSwitch: slots still needed, at most one a node, times the share of nodes with its input.
  double patience(JobId id) const {
    const Job& job = cluster_.jobs[id];
    const auto nodes = static_cast<double>(std::max<std::size_t>(1, cluster_.nodes.size()));
    std::size_t holders = 0;
    NodeId last;
    for (const auto& [node, task] : cluster_.locality[id].at_arrival)
      if (node != last) {
        ++holders;
        last = node;
      }
    const double required = std::min(static_cast<double>(job.map_tasks - job.finished_maps), nodes);
    return required * std::min(1.0, static_cast<double>(holders) / nodes);
  }

  Given start(Queue& queue, TaskId task, NodeId node, Given given) {
    queue.used += cluster_.jobs[cluster_.tasks[task].job].request.cpu.value();
    slots_.take(cluster_.tasks[task].kind, node);
    draft_.assign(task, node);
    return given;
  }

  Draft& draft_;
  const ClusterSnapshot& cluster_;
  fair::StageSlots& slots_;
  TaskKind stage_;
  std::vector<Queue> queues_;
  bool reached_limit_ = false;
};

class Capacity : public Policy {
 public:
  explicit Capacity(const PolicySettings& settings) : settings_(settings) {}
  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, settings_.heartbeat, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    if (input.cluster.pending_tasks == 0) return draft.finish(DeferralReason::no_capacity);
    fair::StageSlots slots(draft, settings_.reduce_slots);
    CapacityRound maps(draft, slots, TaskKind::map), reduces(draft, slots, TaskKind::reduce);
    for (const NodeId node : input.reporting) {
      maps.answer(node);
      if (slots.separate()) reduces.answer(node);
    }
    return draft.finish(maps.reached_limit() ? DeferralReason::pool_maximum : DeferralReason::no_capacity);
  }

 private:
  const PolicySettings settings_;
};

}  // namespace

std::unique_ptr<Policy> make_capacity(const PolicySettings& settings) { return std::make_unique<Capacity>(settings); }

}  // namespace lips
