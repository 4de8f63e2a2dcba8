#include "kubernetes/adapter/job_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "config/cron_schedule.h"

namespace lips::kubernetes {

namespace {

// Runs that are further apart than a week and a day bound no wait that anybody plans.
constexpr Duration furthest_run = std::chrono::hours(8 * 24);

// The time for which the run was planned. None: it is no run of the schedule, such as one that a person made of it.
std::optional<TimePoint> planned_at(const BatchJob& job, const CronJob& cron) {
  const std::string& name = job.meta.name;
  std::int64_t minute = 0;
  if (name.size() <= cron.meta.name.size()) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [read, error] = std::from_chars(name.data() + cron.meta.name.size() + 1, end, minute);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 60'000'000;
  if (error != std::errc() || read != end || minute < 0 || minute > most) return std::nullopt;
  const TimePoint at{std::chrono::minutes(minute)};
  return name == name_of_run(cron, at) ? std::optional(at) : std::nullopt;
}

// A schedule or zone that cannot be read is reported with the work to come.
std::optional<TimePoint> next_run(const CronJob& cron, TimePoint after) {
  const Result<TimeZone> zone = TimeZone::named(cron.time_zone);
  const Result<CronSchedule> schedule = CronSchedule::parse(cron.schedule);
  if (!zone || !schedule) return std::nullopt;
  const TimePoint from = after + Duration(1);
  for (const Duration reach : {Duration(std::chrono::hours(1)), Duration(std::chrono::hours(24)), furthest_run})
    if (const std::vector<TimePoint> runs =
            schedule->within(from, after + reach + Duration(1), *zone, cron.last_start);
        !runs.empty())
      return runs.front();
  return std::nullopt;
}

}  // namespace

std::string name_of_run(const CronJob& cron, TimePoint at) {
  const auto minute = std::chrono::duration_cast<std::chrono::minutes>(at.time_since_epoch()).count();
  return fmt::format("{}-{}", cron.meta.name, minute);
}

std::optional<TimePoint> last_start_of_run(const CronJob& cron, TimePoint at) {
  return cron.starting_deadline ? std::optional(at + *cron.starting_deadline) : std::nullopt;
}

std::optional<TimePoint> ends_by_clock(const BatchJob& job, TimePoint began,
                                       const std::map<std::string, CronJob>* cron_jobs) {
  std::optional<TimePoint> end;
  if (job.spec.active_deadline) end = began + *job.spec.active_deadline;
  if (!cron_jobs || job.cron_job.empty()) return end;
  const auto cron = cron_jobs->find(job.cron_job);
  if (cron == cron_jobs->end() || !cron->second.one_at_a_time || cron->second.suspended) return end;
  const std::optional<TimePoint> planned = planned_at(job, cron->second);
  if (!planned) return end;
  // A run that started late, after the next one was due, has until the one after.
  if (const std::optional<TimePoint> next = next_run(cron->second, std::max(*planned, began)))
    end = std::min(end.value_or(*next), *next);
  return end;
}

}  // namespace lips::kubernetes
