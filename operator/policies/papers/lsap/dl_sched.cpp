// dl-sched (Guo, Fox, Zhou, section 3.1): slot by slot, a task whose input is on the node, else on its rack, else any.
#include <vector>

#include "base/random.h"
#include "policies/drafting/draft.h"
#include "policies/papers/lsap/lsap_policy.h"

namespace lips {

namespace {

class SlotBySlot {
 public:
  SlotBySlot(Draft& draft, std::uint64_t seed) : draft_(draft), random_(seed) {
    for (const JobId job : draft.cluster.pending) kinds_.push_back(draft.free.kind_of(draft.cluster.jobs[job]));
  }

  // More than one round only where tasks ask for different amounts: one may leave room of another kind beside it.
  void run() {
    for (bool again = true; again;) again = fill_slots();
  }

 private:
  // Says whether anything was assigned.
  bool fill_slots() {
    std::vector<NodeId> slots = idle_slots();
    random_.shuffle(std::span(slots));
    bool some = false;
    for (const NodeId node : slots)
      if (const TaskId task = task_for(node); task.valid()) {
        draft_.assign(task, node);
        some = true;
      }
    return some;
  }

  // A node as often as the smallest request that waits fits it.
  std::vector<NodeId> idle_slots() {
    std::vector<NodeId> slots;
    for (const NodeId node : draft_.free.open()) {
      std::int64_t count = 0;
      for (FreeCapacity::Kind kind = 0; kind < draft_.free.kinds(); ++kind)
        if (draft_.free.can_take(kind, node))
          count = std::max(count, fit_count(draft_.free.request(kind), draft_.free.left(node)));
      count = std::min(count, static_cast<std::int64_t>(draft_.cluster.pending_tasks));
      slots.insert(slots.end(), static_cast<std::size_t>(count), node);
    }
    return slots;
  }

  TaskId task_for(NodeId node) {
    const std::vector<JobId>& jobs = draft_.cluster.pending;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (serves(i, node))
        if (const TaskId task = draft_.tasks.on_node(jobs[i], node); task.valid()) return task;
    if (draft_.cluster.nodes[node].rack.valid())
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (serves(i, node))
          if (const TaskId task = draft_.tasks.near(jobs[i], node); task.valid()) return task;
    return any_task(node);
  }

  bool serves(std::size_t i, NodeId node) {
    return draft_.tasks.left(draft_.cluster.pending[i]) > 0 && draft_.free.can_take(kinds_[i], node);
  }

  // A group drawn in proportion to its tasks, and the first of them: which one of a group is as random as where its
  // input lies.
  TaskId any_task(NodeId node) {
    struct Choice {
      JobId job;
      std::uint32_t group;
    };
    std::vector<Choice> choices;
    std::vector<double> weights;
    for (std::size_t i = 0; i < draft_.cluster.pending.size(); ++i) {
      const JobId job = draft_.cluster.pending[i];
      if (!serves(i, node)) continue;
      const std::vector<TaskGroup>& groups = draft_.cluster.groups[job];
      for (std::uint32_t group = 0; group < groups.size(); ++group)
        if (const std::uint32_t left = can_run(groups[group]) ? draft_.tasks.left(job, group) : 0; left > 0) {
          choices.push_back({job, group});
          weights.push_back(left);
        }
    }
    if (choices.empty()) return TaskId::none();
    const Choice& choice = choices[random_.weighted(weights)];
    return draft_.tasks.first(choice.job, choice.group);
  }

  Draft& draft_;
  Random random_;
  std::vector<FreeCapacity::Kind> kinds_;  // of the pending jobs
};

// Another order of slots for each state of the cluster.
std::uint64_t seed_of(const PolicyInput& input) {
  const ClusterSnapshot& cluster = input.cluster;
  const std::uint64_t at = derive_seed(input.seed, static_cast<std::uint64_t>(cluster.now.time_since_epoch().count()));
  return derive_seed(derive_seed(at, cluster.pending_tasks), cluster.running.size());
}

class DlSched : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    SlotBySlot(draft, seed_of(input)).run();
    return draft.finish(DeferralReason::no_capacity);
  }
};

}  // namespace

std::unique_ptr<Policy> make_dl_sched(const PolicySettings&) { return std::make_unique<DlSched>(); }

}  // namespace lips
