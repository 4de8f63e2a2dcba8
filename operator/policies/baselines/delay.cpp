// Delay scheduling (Zaharia et al., EuroSys 2010, Algorithm 3) on fair pools: a job that could only read remotely lets
// others go first for a while.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "policies/baselines/baselines.h"
#include "policies/drafting/draft.h"
#include "policies/drafting/locality_level.h"

namespace lips {

namespace {

constexpr double least_weight = 1e-9;

struct PoolQueue {
  Cores used;
  // Jobs with fewest running tasks first, then by arrival: (running, place in the order of arrival).
  std::vector<std::pair<std::uint32_t, std::uint32_t>> jobs;  // a heap
};

class Heartbeats {
 public:
  Heartbeats(Draft& draft, const PolicySettings& settings)
      : draft_(draft), cluster_(draft.cluster), node_delay_(settings.delay.node), rack_delay_(settings.delay.rack) {}

  void answer(NodeId node) {
    if (!draft_.free.has_room(node)) return;
    if (pools_.empty()) fill_pools();
    std::vector<std::pair<PoolId, std::pair<std::uint32_t, std::uint32_t>>> passed;
    while (draft_.free.has_room(node)) {
      const PoolId id = next_pool();
      if (!id.valid()) break;
      PoolQueue& pool = pools_[id];
      std::pop_heap(pool.jobs.begin(), pool.jobs.end(), std::greater<>());
      auto [running, place] = pool.jobs.back();
      pool.jobs.pop_back();
      const JobId job = cluster_.pending[place];
      if (!offer(job, node)) {
        passed.push_back({id, {running, place}});
        continue;
      }
      pool.used += cluster_.jobs[job].request.cpu;
      if (draft_.tasks.left(job) > 0) push(pool, {running + 1, place});
    }
    for (const auto& [id, entry] : passed) push(pools_[id], entry);
  }

  bool passed_over() const { return passed_over_; }

 private:
  static void push(PoolQueue& pool, std::pair<std::uint32_t, std::uint32_t> entry) {
    pool.jobs.push_back(entry);
    std::push_heap(pool.jobs.begin(), pool.jobs.end(), std::greater<>());
  }

  void fill_pools() {
    pools_.resize(cluster_.pools.size());
    for (PoolId pool : pools_.ids()) pools_[pool].used = cluster_.pool_cores[pool];
    for (std::uint32_t place = 0; place < cluster_.pending.size(); ++place) {
      const Job& job = cluster_.jobs[cluster_.pending[place]];
      pools_[job.pool].jobs.emplace_back(job.running, place);
    }
    for (PoolQueue& pool : pools_) std::make_heap(pool.jobs.begin(), pool.jobs.end(), std::greater<>());
  }

  // Pools below their minimum first, neediest first; then by use over weight.
  PoolId next_pool() const {
    PoolId best;
    std::pair<int, double> least;
    for (PoolId id : pools_.ids()) {
      if (pools_[id].jobs.empty()) continue;
      const Pool& pool = cluster_.pools[id];
      const bool needy = pools_[id].used < pool.minimum;
      const std::pair<int, double> key(
          needy ? 0 : 1,
          pools_[id].used.value() / (needy ? pool.minimum.value() : std::max(pool.weight, least_weight)));
      if (best.valid() && !(key < least)) continue;
      best = id;
      least = key;
    }
    return best;
  }

  // Launches a task of the job on the node, or notes that the job was passed over.
  bool offer(JobId id, NodeId node) {
    const Job& job = cluster_.jobs[id];
    const Pool& pool = cluster_.pools[job.pool];
    if (!draft_.free.can_take(draft_.free.kind_of(job), node)) return false;
    if (pool.maximum.value() > 0 && pools_[job.pool].used + job.request.cpu > pool.maximum + Cores(1e-6)) return false;
    if (const TaskId task = draft_.tasks.on_node(id, node); task.valid()) return launch(task, node, Locality::node);
    for (const TaskId task : {draft_.tasks.without_input(id), draft_.tasks.reduce(id)})
      if (task.valid()) {
        draft_.assign(task, node);
        return true;
      }
    const Level level = allowed(draft_.memory(id), cluster_.nodes[node]);
    if (level >= Level::rack)
      if (const TaskId task = draft_.tasks.near(id, node); task.valid())
        return launch(task, node, cluster_.nodes[node].rack.valid() ? Locality::rack : Locality::zone);
    const TaskId task = draft_.tasks.anywhere(id);
    if (!task.valid()) return false;
    if (level == Level::none)
      return launch(task, node, nearest_replica(cluster_, draft_.costs, cluster_.tasks[task].block, node).locality);
    JobMemory memory = draft_.memory(id);
    if (!memory.passed_over_since) memory.passed_over_since = cluster_.now;
    passed_over_ = true;
    draft_.remember(id, memory);
    return false;
  }

  Level allowed(const JobMemory& memory, const Node& node) const {
    const Duration waited = memory.passed_over_since ? cluster_.now - *memory.passed_over_since : Duration(0);
    return allowed_level(level_of(memory.last_locality, node), waited, node_delay_, rack_delay_);
  }

  bool launch(TaskId task, NodeId node, Locality locality) {
    const JobId job = cluster_.tasks[task].job;
    JobMemory memory = draft_.memory(job);
    memory.passed_over_since.reset();
    memory.last_locality = locality;
    draft_.remember(job, memory);
    draft_.assign(task, node);
    return true;
  }

  Draft& draft_;
  const ClusterSnapshot& cluster_;
  Duration node_delay_, rack_delay_;
  bool passed_over_ = false;
  IdVector<PoolId, PoolQueue> pools_;
};

class Delay : public Policy {
 public:
  explicit Delay(const PolicySettings& settings) : settings_(settings) {}
  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, settings_.heartbeat, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    Heartbeats heartbeats(draft, settings_);
    if (input.cluster.pending_tasks > 0)
      for (NodeId node : input.reporting) heartbeats.answer(node);
    return draft.finish(heartbeats.passed_over() ? DeferralReason::waits_for_locality : DeferralReason::no_capacity);
  }

 private:
  PolicySettings settings_;
};

}  // namespace

std::unique_ptr<Policy> make_delay(const PolicySettings& settings) { return std::make_unique<Delay>(settings); }

}  // namespace lips
