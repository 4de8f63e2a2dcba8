#include "model/starts_in_time.h"

#include <algorithm>

namespace lips {

namespace {

constexpr std::size_t most_looks = 16;  // at parts of a job with a time of their own

}  // namespace

const StartsInTime::Earlier& StartsInTime::earlier(JobId id) {
  const auto [known, added] = earlier_.try_emplace(parts_.first(id));
  Earlier& result = known->second;
  if (!added) return result;
  std::vector<std::pair<TimePoint, LastStarts::Waiting>> due;
  parts_.each(id, [&](JobId part) {
    const Job& job = cluster_.jobs[part];
    if (job.due.start_by) due.push_back({*job.due.start_by, {part, job.pending}});
  });
  if (due.size() < 2) return result;
  std::stable_sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<LastStarts::Waiting> waiting;
  const std::size_t stride = (due.size() + most_looks - 1) / most_looks;
  for (std::size_t i = 0; i < due.size(); ++i) {
    waiting.push_back(due[i].second);
    const bool last = i + 1 == due.size() || (i % stride == 0 && due[i + 1].first > due[i].first);
    if (last) result.emplace_back(due[i].first, last_starts_.of(waiting).start);
  }
  return result;
}

double StartsInTime::of(JobId part, std::size_t tasks) {
  double seconds = last_starts_.of(part, tasks).start;
  const Job& job = cluster_.jobs[part];
  if (tasks == 0 || !job.due.start_by) return seconds;
  for (const auto& [by, needed] : earlier(part))
    if (by <= *job.due.start_by) seconds = std::max(seconds, needed);
  return seconds;
}

LastStarts::Last StartsInTime::of_all(JobId id) {
  std::vector<LastStarts::Waiting> waiting;
  parts_.each(id, [&](JobId part) { waiting.push_back({part, cluster_.jobs[part].pending}); });
  return last_starts_.of(waiting);
}

}  // namespace lips
