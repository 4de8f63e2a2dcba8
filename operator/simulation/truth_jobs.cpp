#include "simulation/truth_jobs.h"

#include <algorithm>
#include <utility>

#include "simulation/truth_data.h"

namespace lips::simulation {

TruthJobs::TruthJobs(World& world, const Peers& peers) : world_(world), peers_(peers) {
  const Scenario& scenario = world.scenario;
  if (!scenario.jobs.empty())
    world.queue.add(std::max(world.now, scenario.jobs[0].job.arrival), {SimEvent::Kind::arrival, 0, 0});
  if (scenario.after.empty()) return;
  waits_for_.resize(scenario.jobs.size(), 0);
  waiting_for_me_.resize(scenario.jobs.size());
  doomed_.resize(scenario.jobs.size(), false);
  for (std::uint32_t i = 0; i < scenario.after.size(); ++i) {
    waits_for_[i] = static_cast<std::uint32_t>(scenario.after[i].size());
    for (const JobId earlier : scenario.after[i]) waiting_for_me_[earlier.index()].emplace_back(i);
  }
}

void TruthJobs::arrive() {
  const JobId id(static_cast<std::uint32_t>(next_arrival_));
  const JobArrived& arrival = world_.scenario.jobs[next_arrival_++];
  JobRecord record;
  record.first_task = TaskId(static_cast<std::uint32_t>(world_.tasks.size()));
  record.maps_left = arrival.job.map_tasks;
  record.reduces_left = arrival.job.reduce_tasks;
  if (arrival.job.shuffle.value() > 0 && arrival.job.reduce_tasks > 0)
    record.map_output.assign(world_.scenario.cluster.zones.size(), Mebibytes(0));
  record.held = !waits_for_.empty() && (waits_for_[id.index()] > 0 || doomed_[id.index()]);
  const bool held = record.held;
  world_.jobs.push_back(std::move(record));
  for (std::size_t i = 0; i < arrival.tasks.size(); ++i) world_.tasks.push_back({id, 0, SimTaskState::blocked});
  world_.listener.on_job(id, world_.now);
  if (held) {
    JobArrived waits = arrival;
    waits.job.held = true;
    world_.emit(std::move(waits));
  } else {
    world_.emit(arrival);
  }
  if (next_arrival_ < world_.scenario.jobs.size())
    world_.queue.add(std::max(world_.now, world_.scenario.jobs[next_arrival_].job.arrival),
                     {SimEvent::Kind::arrival, 0, 0});
  if (!doomed_.empty() && doomed_[id.index()]) return end_job(id, false);
  if (!held) release_level(id);
}

void TruthJobs::release_level(JobId id) {
  JobRecord& record = world_.jobs[id.index()];
  if (record.held) world_.emit(JobReleased{id});
  record.held = false;
  release(id, TaskKind::map);
  if (world_.job(id).map_tasks == 0) release(id, TaskKind::reduce);
  if (world_.job(id).tasks() == 0) return end_job(id, true);
  if (needs_lost_data(id)) end_job(id, false);
}

void TruthJobs::end_if_done(JobId id) {
  const JobRecord& record = world_.jobs[id.index()];
  if (record.maps_left + record.reduces_left + record.writes_left == 0) end_job(id, true);
}

void TruthJobs::release(JobId id, TaskKind kind) {
  const bool map = kind == TaskKind::map;
  const std::uint32_t first = world_.jobs[id.index()].first_task.index() + (map ? 0 : world_.job(id).map_tasks);
  const std::uint32_t count = map ? world_.job(id).map_tasks : world_.job(id).reduce_tasks;
  if (count == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) world_.tasks[TaskId(first + i)].state = SimTaskState::waiting;
  world_.change_waiting(id, count);
  world_.listener.on_released(id, kind, world_.now);
}

void TruthJobs::end_job(JobId id, bool finished) {
  JobRecord& record = world_.jobs[id.index()];
  if (record.ended) return;
  record.ended = true;
  if (!finished) {
    world_.waiting -= record.waiting;
    record.failed = true;
  }
  ++(finished ? world_.jobs_finished : world_.jobs_failed);
  world_.listener.on_job_end(id, finished, world_.now);
  notify_waiting_jobs(id, finished);
}

bool TruthJobs::needs_lost_data(JobId id) const {
  const JobRecord& record = world_.jobs[id.index()];
  const std::vector<Task>& tasks = world_.scenario.jobs[id.index()].tasks;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const TaskRecord& task = world_.tasks[TaskId(record.first_task.index() + i)];
    const bool to_run = task.state == SimTaskState::waiting || task.state == SimTaskState::blocked ||
                        (task.state == SimTaskState::attempted && world_.attempts[task.attempt].refused);
    if (to_run && tasks[i].block.valid() && peers_.data.lost_for_good(tasks[i].block)) return true;
  }
  return false;
}

void TruthJobs::fail_jobs_without_data() {
  for (std::uint32_t i = 0; i < world_.jobs.size(); ++i)
    if (!world_.jobs[i].ended && !world_.jobs[i].held && needs_lost_data(JobId(i))) end_job(JobId(i), false);
}

void TruthJobs::notify_waiting_jobs(JobId ended, bool finished) {
  if (waiting_for_me_.empty()) return;
  for (const JobId id : waiting_for_me_[ended.index()]) {
    --waits_for_[id.index()];
    if (!finished) doomed_[id.index()] = true;
    const bool here = id.index() < world_.jobs.size();  // has arrived
    if (!here || world_.jobs[id.index()].ended) continue;
    if (doomed_[id.index()])
      end_job(id, false);
    else if (waits_for_[id.index()] == 0)
      release_level(id);
  }
}

}  // namespace lips::simulation
