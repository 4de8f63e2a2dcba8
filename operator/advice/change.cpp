#include "advice/change.h"

#include <algorithm>
#include <utility>

#include "model/group_index.h"
#include "model/pending_tasks.h"

namespace lips::advice {

namespace {

// Nodes say their host's name only if a pod asks for one: each that this constraint names gets a profile of its own.
void name_hosts(ClusterSnapshot& cluster, const PlacementConstraint& constraint) {
  for (const LabelRequirement& requirement : constraint.required) {
    if (requirement.key != host_label || requirement.op != LabelRequirement::Operator::in) continue;
    for (Node& node : cluster.nodes) {
      if (std::find(requirement.values.begin(), requirement.values.end(), node.name) == requirement.values.end())
        continue;
      NodeProfile profile = cluster.profiles[node.profile];
      const auto known = std::find_if(profile.labels.begin(), profile.labels.end(),
                                      [](const auto& label) { return label.first == host_label; });
      if (known != profile.labels.end()) continue;
      profile.labels.emplace_back(host_label, node.name);
      std::sort(profile.labels.begin(), profile.labels.end());
      node.profile = cluster.profiles.push_back(std::move(profile));
    }
  }
}

ConstraintId constraint_id(ClusterSnapshot& cluster, const PlacementConstraint& constraint) {
  if (constraint == PlacementConstraint{}) return ConstraintId::none();
  name_hosts(cluster, constraint);
  for (const ConstraintId id : cluster.constraints.ids())
    if (cluster.constraints[id] == constraint) return id;
  return cluster.constraints.push_back(constraint);
}

// A job that has just arrived, with its maps pending; its reduces wait for them, or are pending if it has no maps.
TaskId add_job(ClusterSnapshot& cluster, Job job, const std::vector<Task>& tasks) {
  const JobId id(static_cast<std::uint32_t>(cluster.jobs.size()));
  const TaskId first(static_cast<std::uint32_t>(cluster.tasks.size()));
  job.first_task = first;
  job.pending = job.running = job.finished_maps = job.finished_reduces = job.degraded_launched = 0;
  job.pending_work = job.work = CpuSeconds(0);
  job.arrival = cluster.now;
  if (job.shuffle.value() > 0 && job.reduce_tasks > 0 && job.map_output.empty())
    job.map_output.assign(cluster.zones.size(), Mebibytes(0));
  for (const Task& task : tasks) job.work += task.cpu;
  cluster.arrivals.count(job.work, job.arrival);
  const bool reduces_wait = job.map_tasks > 0;
  cluster.jobs.push_back(std::move(job));
  cluster.groups.push_back({});
  JobLocality locality;
  GroupIndex index;
  for (const Task& given : tasks) {
    Task task;
    task.job = id, task.block = given.block, task.cpu = given.cpu, task.input = given.input, task.kind = given.kind;
    const TaskId added = cluster.tasks.push_back(task);
    if (task.block.valid())
      for (const Replica& replica : cluster.blocks[task.block].replicas)
        if (const NodeId node = cluster.stores[replica.store].node; node.valid())
          locality.at_arrival.emplace_back(node, added);
    if (task.kind == TaskKind::reduce && reduces_wait) continue;
    link_pending(cluster, added, index.find_or_add(id, cluster.groups[id], group_for(cluster, task)));
  }
  std::sort(locality.at_arrival.begin(), locality.at_arrival.end());
  cluster.locality.push_back(std::move(locality));
  if (cluster.jobs[id].pending > 0) {
    const auto later = [&](JobId a, JobId b) { return cluster.jobs[a].arrival < cluster.jobs[b].arrival; };
    cluster.pending.insert(std::upper_bound(cluster.pending.begin(), cluster.pending.end(), id, later), id);
  }
  return first;
}

// The pod stays a part of its job, with the job's other tasks.
Job job_of_one(ClusterSnapshot& cluster, const Task& task) {
  Job& all = cluster.jobs[task.job];
  if (!all.whole.id.valid() && all.tasks() > 1) {
    std::uint32_t next = 0;
    for (const Job& job : cluster.jobs)
      if (job.whole.id.valid()) next = std::max(next, job.whole.id.index() + 1);
    all.whole = {WholeJobId(next), all.map_tasks, all.reduce_tasks, all.finished_maps, CpuSeconds(0)};
    for (std::uint32_t i = all.map_tasks; i < all.tasks(); ++i)
      all.whole.reduce_work += cluster.tasks[TaskId(all.first_task.index() + i)].cpu;
    all.whole.began = all.arrival, all.whole.work = all.work;
    all.whole.arrivals = all.tasks(), all.whole.ended = all.finished_maps + all.finished_reduces;
  }
  Job one = all;
  one.map_tasks = task.kind == TaskKind::map ? 1 : 0;
  one.reduce_tasks = 1 - one.map_tasks;
  return one;
}

// One of the job's tasks has ended, and one like it has arrived in its stead.
void count_again(ClusterSnapshot& cluster, WholeJobId whole, CpuSeconds work) {
  if (!whole.valid()) return;
  for (Job& job : cluster.jobs)
    if (job.whole.id == whole) ++job.whole.ended, ++job.whole.arrivals, job.whole.work += work;
}

void withdraw(ClusterSnapshot& cluster, TaskId id) {
  unlink_pending(cluster, id);
  Task& task = cluster.tasks[id];
  task.state = TaskState::finished;
  Job& job = cluster.jobs[task.job];
  ++(task.kind == TaskKind::reduce ? job.finished_reduces : job.finished_maps);
  if (job.pending == 0) std::erase(cluster.pending, task.job);
  if (!job.finished()) return;
  job.completed = cluster.now;
  cluster.locality[task.job] = {};
  cluster.groups[task.job] = {};
}

struct Applied {
  Question& question;
  ClusterSnapshot& cluster = question.cluster;

  TaskId operator()(const NodesAdded& change) const {
    for (std::uint32_t i = 0; i < change.count; ++i) {
      Node node = cluster.nodes[change.like];
      node.name += "-more-" + std::to_string(i + 1);
      node.others = {Cores(0), Mebibytes(0), 0};
      node.schedulable = true;
      cluster.free.push_back(node.capacity);
      cluster.node_store.push_back(StoreId::none());
      cluster.nodes.push_back(std::move(node));
    }
    return TaskId::none();
  }
  TaskId operator()(const ZoneClosed& change) const {
    for (Node& node : cluster.nodes)
      if (node.zone == change.zone) node.schedulable = false;
    for (Offer& offer : cluster.offers)
      if (cluster.nodes[offer.like].zone == change.zone) offer.left = 0;
    return TaskId::none();
  }
  TaskId operator()(const WaitingPriced& change) const {
    question.settings.lips.waiting_price = change.waiting_price;
    return TaskId::none();
  }
  TaskId operator()(const PricesScaled& change) const {
    for (const NodeId id : change.nodes) {
      cluster.nodes[id].price *= change.factor;
      cluster.nodes[id].cpu_price *= change.factor;
    }
    return TaskId::none();
  }
  TaskId operator()(const MaximumRaised& change) const {
    cluster.pools[change.pool].maximum = change.maximum;
    return TaskId::none();
  }
  TaskId operator()(const PodRecreated& change) const {
    const Task task = cluster.tasks[change.task];
    Job job = job_of_one(cluster, task);
    job.constraint = constraint_id(cluster, change.constraint);
    job.priority = change.priority;
    const WholeJobId whole = job.whole.id;
    withdraw(cluster, change.task);
    const TaskId added = add_job(cluster, std::move(job), {task});
    count_again(cluster, whole, task.cpu);
    return added;
  }
  TaskId operator()(const JobAdded& change) const {
    Job job = change.job;
    job.constraint = constraint_id(cluster, change.constraint);
    return add_job(cluster, std::move(job), change.tasks);
  }
};

}  // namespace

PlacementConstraint on_node(PlacementConstraint constraint, const Node& node) {
  constraint.required.push_back({host_label, LabelRequirement::Operator::in, {node.name}});
  return constraint;
}

TaskId apply_change(const Change& change, Question& question) { return std::visit(Applied{question}, change); }

}  // namespace lips::advice
