#include "model/whole_jobs.h"

#include <algorithm>
#include <numeric>

namespace lips {

void WholeJobs::join(ClusterSnapshot& cluster, JobId part, const std::vector<std::uint32_t>& maps_before) {
  const Job& job = cluster.jobs[part];
  const WholeJob& said = job.whole;
  if (!said.id.valid()) return;
  if (!entries_.contains(said.id)) entries_.resize(said.id.index() + 1);
  Entry& entry = entries_[said.id];
  if (!entry.whole.id.valid()) {
    entry.whole.id = said.id;
    entry.maps_in = maps_before;
    entry.maps_in.resize(cluster.zones.size());
    entry.whole.finished_maps =
        std::max(said.finished_maps, std::accumulate(entry.maps_in.begin(), entry.maps_in.end(), std::uint32_t{0}));
  }
  if (!job.held) entry.whole.began = std::min(entry.whole.began.value_or(job.arrival), job.arrival);
  if (said.began) entry.whole.began = std::min(entry.whole.began.value_or(*said.began), *said.began);
  entry.whole.work += job.work;
  entry.whole.arrivals += job.tasks();
  entry.whole.maps = std::max({entry.whole.maps, said.maps, job.map_tasks});
  entry.whole.reduces = std::max({entry.whole.reduces, said.reduces, job.reduce_tasks});
  for (std::uint32_t i = job.map_tasks; i < job.tasks(); ++i)
    entry.whole.reduce_work += cluster.tasks[TaskId(job.first_task.index() + i)].cpu;
  if (said.peers) {
    entry.whole.peers = true;
    entry.whole.expected = std::max(entry.whole.expected, said.expected);
    entry.whole.guessed = said.guessed;
    entry.whole.each = said.each;
    entry.whole.arrived = std::max(entry.whole.arrived, said.arrived);
    entry.whole.gang = std::max(entry.whole.gang, said.gang);
    entry.whole.lacks_driver = said.lacks_driver;
  }
  entry.shuffle = std::max(entry.shuffle, job.shuffle);
  entry.maps_under_way += job.map_tasks;
  entry.parts.push_back(part);
  tell(cluster, entry);
}

void WholeJobs::map_ended(ClusterSnapshot& cluster, JobId part, ZoneId where) {
  const WholeJobId id = cluster.jobs[part].whole.id;
  if (!id.valid()) return;
  Entry& entry = entries_[id];
  --entry.maps_under_way;
  if (where.valid()) {
    ++entry.maps_in[where.index()];
    ++entry.whole.finished_maps;
  }
  tell(cluster, entry);
}

void WholeJobs::task_ended(ClusterSnapshot& cluster, JobId part) {
  const WholeJobId id = cluster.jobs[part].whole.id;
  if (!id.valid()) return;
  Entry& entry = entries_[id];
  ++entry.whole.ended;
  for (const JobId other : entry.parts) cluster.jobs[other].whole.ended = entry.whole.ended;
}

void WholeJobs::learn(ClusterSnapshot& cluster, TaskId id, CpuSeconds work) {
  const Task& task = cluster.tasks[id];
  const WholeJobId whole = cluster.jobs[task.job].whole.id;
  if (!whole.valid()) return;
  Entry& entry = entries_[whole];
  entry.whole.work += work - task.cpu;
  if (task.kind == TaskKind::reduce) entry.whole.reduce_work += work - task.cpu;
  for (const JobId part : entry.parts) {
    cluster.jobs[part].whole.work = entry.whole.work;
    cluster.jobs[part].whole.reduce_work = entry.whole.reduce_work;
  }
}

void WholeJobs::released(ClusterSnapshot& cluster, JobId part) {
  const Job& job = cluster.jobs[part];
  if (!job.whole.id.valid()) return;
  Entry& entry = entries_[job.whole.id];
  if (entry.whole.began && *entry.whole.began <= job.arrival) return;
  entry.whole.began = job.arrival;
  tell(cluster, entry);
}

void WholeJobs::driver_started(ClusterSnapshot& cluster, JobId part, TimePoint when) {
  const WholeJobId id = cluster.jobs[part].whole.id;
  if (!id.valid() || entries_[id].whole.arrived >= when) return;
  entries_[id].whole.arrived = when;
  tell(cluster, entries_[id]);
}

void WholeJobs::await_nobody(ClusterSnapshot& cluster, WholeJobId job) {
  if (!entries_.contains(job) || !entries_[job].whole.id.valid()) return;
  entries_[job].whole.expected = 0;
  entries_[job].whole.lacks_driver = false;
  entries_[job].whole.guessed = false;
  tell(cluster, entries_[job]);
}

std::vector<JobId> WholeJobs::miss_maps(WholeJobId job, std::uint32_t maps) {
  if (!entries_.contains(job) || !entries_[job].whole.id.valid()) return {};
  entries_[job].maps_missing = maps;
  return entries_[job].parts;
}

void WholeJobs::part_ended(const Job& job, JobId part) {
  if (job.whole.id.valid()) std::erase(entries_[job.whole.id].parts, part);
}

bool WholeJobs::maps_under_way(const Job& job) const {
  if (!job.whole.id.valid()) return job.finished_maps < job.map_tasks;
  const Entry& entry = entries_[job.whole.id];
  return entry.maps_under_way + entry.maps_missing > 0;
}

std::vector<JobId> WholeJobs::parts(const ClusterSnapshot& cluster, JobId part) const {
  const WholeJobId id = cluster.jobs[part].whole.id;
  return id.valid() ? entries_[id].parts : std::vector{part};
}

// Maps whose zone is no longer known count as if they had run where the others did.
void WholeJobs::tell(ClusterSnapshot& cluster, const Entry& entry) const {
  const std::uint32_t known = std::accumulate(entry.maps_in.begin(), entry.maps_in.end(), std::uint32_t{0});
  const double left = entry.whole.maps > 0 ? std::min(1.0, double{1} * entry.whole.finished_maps / entry.whole.maps)
                                           : (known > 0 ? 1.0 : 0.0);
  std::vector<Mebibytes> output;
  if (entry.shuffle.value() > 0)
    for (const std::uint32_t maps : entry.maps_in)
      output.push_back(known > 0 ? entry.shuffle * (left * maps / known) : Mebibytes(0));
  for (const JobId id : entry.parts) {
    Job& job = cluster.jobs[id];
    job.whole = entry.whole;
    job.shuffle = entry.shuffle;
    job.map_output = output;
  }
}

}  // namespace lips
