#include "advice/expected.h"

#include <algorithm>

#include "advice/forecast.h"
#include "advice/place.h"

namespace lips::advice {

namespace {

IdVector<ZoneId, bool> zones_for(const ClusterSnapshot& cluster, TaskId task) {
  IdVector<ZoneId, bool> zones(cluster.zones.size(), false);
  for (const NodeId node : cluster.nodes.ids())
    if (takes(cluster, task, node)) zones[cluster.nodes[node].zone] = true;
  return zones;
}

CpuSeconds all_room(const ExpectedJob& job) {
  CpuSeconds sum;
  for (const auto& [zone, work] : job.room) sum += work;
  return sum;
}

// Those with most room first.
std::vector<ExpectedJob> jobs_with_room_in(const IdVector<ZoneId, bool>& zones, std::vector<ExpectedJob> jobs) {
  for (ExpectedJob& job : jobs) std::erase_if(job.room, [&](const auto& room) { return !zones[room.first]; });
  std::erase_if(jobs, [](const ExpectedJob& job) { return job.room.empty(); });
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const ExpectedJob& a, const ExpectedJob& b) { return all_room(a) > all_room(b); });
  return jobs;
}

}  // namespace

std::vector<ExpectedJob> expected_jobs(const ClusterSnapshot& cluster, const Plan& plan) {
  std::vector<ExpectedJob> jobs;
  std::vector<std::size_t> job_of;
  for (const ExpectedWork& work : cluster.expected) {  // sorted by time, then job
    if (jobs.empty() || jobs.back().name != work.job || jobs.back().in != work.at - cluster.now)
      jobs.push_back({work.job, work.at - cluster.now, work.chance, CpuSeconds(0), {}, {}});
    jobs.back().work += work.work;
    if (work.input.valid()) jobs.back().inputs.push_back(work.input);
    job_of.push_back(jobs.size() - 1);
  }
  for (const KeptRoom& kept : plan.account.kept_room) {
    std::vector<std::pair<ZoneId, CpuSeconds>>& room = jobs[job_of[kept.expected]].room;
    const auto known = std::find_if(room.begin(), room.end(), [&](const auto& at) { return at.first == kept.zone; });
    if (known == room.end())
      room.emplace_back(kept.zone, kept.work);
    else
      known->second += kept.work;
  }
  return jobs;
}

Result<std::optional<MadeRoom>> room_made(const Question& question, const Outcome& outcome, TaskId task,
                                          std::optional<Duration> starts_in) {
  if (outcome.plan.account.kept_room.empty()) return std::nullopt;
  MadeRoom made;
  made.jobs = jobs_with_room_in(zones_for(question.cluster, task), expected_jobs(question.cluster, outcome.plan));
  if (made.jobs.empty()) return std::nullopt;
  Question without = question;
  without.cluster.expected.clear();
  const Result<Outcome> otherwise = ask(without);
  if (!otherwise) return tl::unexpected(otherwise.error());
  const Assignment *now = outcome.start_of(task), *then = otherwise->start_of(task);
  if (then) {
    const auto zone = [&](const Assignment& start) { return question.cluster.nodes[start.node].zone; };
    if (now && zone(*now) == zone(*then)) return std::nullopt;
    made.starts_on = then->node;
    return made;
  }
  const Result<Forecast> ahead = forecast(std::move(without), task);
  if (!ahead) return tl::unexpected(ahead.error());
  made.starts_in = ahead->start_of(task);
  if (!now && made.starts_in == starts_in) return std::nullopt;
  return made;
}

}  // namespace lips::advice
