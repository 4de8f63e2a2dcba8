#include "model/jobs_in_parts.h"

#include <algorithm>

namespace lips {

namespace {

struct Counts {
  std::uint32_t arrived, all, ended;
};

// After a resync those that had ended before are known by number alone.
Counts counts_of(const Job& part) {
  const std::uint32_t arrived = std::max(part.tasks(), part.whole.arrivals);
  const std::uint32_t ended = std::max(part.finished_maps + part.finished_reduces, part.whole.ended);
  const std::uint32_t all = std::max(arrived, part.all_maps() + part.all_reduces());
  return {arrived, all, std::min(all, std::max(ended, part.whole.finished_maps))};
}

CpuSeconds arrived_work(const Job& part) { return std::max(part.work, part.whole.work); }

CpuSeconds work_of(const Job& part, const Counts& counts, std::uint32_t tasks) {
  if (tasks == counts.arrived) return arrived_work(part);
  return CpuSeconds(arrived_work(part).value() * tasks / std::max(1U, counts.arrived));
}

}  // namespace

TimePoint began(const Job& part) { return part.whole.began.value_or(part.arrival); }

CpuSeconds all_work(const Job& part) {
  const Counts counts = counts_of(part);
  return work_of(part, counts, counts.all);
}

CpuSeconds all_work_left(const Job& part) {
  const Counts counts = counts_of(part);
  return work_of(part, counts, counts.all - counts.ended);
}

PendingParts::PendingParts(const ClusterSnapshot& cluster) : cluster_(cluster) {
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    if (!job.whole.id.valid()) continue;
    const auto [known, added] = parts_.try_emplace(job.whole.id, Parts{id, {}, {}});
    if (!added) known->second.others.push_back(id);
    known->second.pending_work += job.pending_work;
  }
}

const PendingParts::Parts* PendingParts::find(JobId part) const {
  const auto found = parts_.find(cluster_.jobs[part].whole.id);
  return found == parts_.end() ? nullptr : &found->second;
}

CpuSeconds PendingParts::pending_work(JobId part) const {
  const Parts* parts = find(part);
  return parts ? parts->pending_work : cluster_.jobs[part].pending_work;
}

JobId PendingParts::first(JobId part) const {
  const Parts* parts = find(part);
  return parts ? parts->first : part;
}

}  // namespace lips
