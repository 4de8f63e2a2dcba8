#include "policies/drafting/draft.h"

#include <algorithm>

#include "model/task_bill.h"

namespace lips {

Draft::Draft(const PolicyInput& input)
    : cluster(input.cluster),
      costs(input.costs),
      free(input.cluster),
      tasks(input.cluster),
      source_rule{SourceChoice::random, input.seed},
      stopwatch_(input.stopwatch),
      room_(input.cluster) {
  if (stopwatch_) begun_ = stopwatch_->seconds();
}

void Draft::assign(TaskId id, NodeId node) {
  const Task& task = cluster.tasks[id];
  Assignment assignment;
  assignment.task = id;
  assignment.node = node;
  if (task.block.valid()) assignment.read_from = nearest_replica(cluster, costs, task.block, node).store;
  if (task.block.valid() && !assignment.read_from.valid())
    assignment.sources = degraded_sources(cluster, costs, task.block, node, source_rule);
  const Bill bill = task_bill(cluster, costs, task, assignment);
  plan_.account.cpu += bill.cpu;
  plan_.account.transfer += bill.transfer;
  plan_.account.shuffle += bill.shuffle;
  plan_.assignments.push_back(assignment);
  free.take(free.kind_of(cluster.jobs[task.job]), node);
  tasks.take(id);
}

void Draft::request_nodes(JobId job, std::uint32_t group, OfferId offer) {
  for (const TaskId task : cluster.tasks_of(cluster.groups[job][group])) {
    if (tasks.taken(task)) continue;
    if (!request(task, offer)) return;
  }
}

void Draft::request_node(TaskId task, OfferId offer) {
  request(task, offer);
  tasks.take(task);
}

bool Draft::request(TaskId task, OfferId offer) {
  if (!room_.take_for(offer, cluster.jobs[cluster.tasks[task].job].request)) return false;
  plan_.node_requests->push_back({task, offer});
  plan_.deferrals.push_back({task, DeferralReason::waits_for_node});
  return true;
}

const JobMemory& Draft::memory(JobId job) const {
  const auto found = memories_.find(job);
  return found == memories_.end() ? cluster.jobs[job].memory : found->second;
}

Plan Draft::finish(DeferralReason rest) {
  for (const auto& [job, memory] : memories_)
    if (!(memory == cluster.jobs[job].memory)) plan_.remember.push_back({job, memory});
  plan_.rest = rest;
  if (stopwatch_) plan_.account.seconds.total = stopwatch_->seconds() - begun_;
  return std::move(plan_);
}

std::vector<JobId> jobs_by_priority(const ClusterSnapshot& cluster) {
  std::vector<JobId> jobs = cluster.pending;
  const auto higher = [&](JobId a, JobId b) { return cluster.jobs[a].priority > cluster.jobs[b].priority; };
  if (!std::is_sorted(jobs.begin(), jobs.end(), higher)) std::stable_sort(jobs.begin(), jobs.end(), higher);
  return jobs;
}

}  // namespace lips
