#include "kubernetes/adapter/expected_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/cron_schedule.h"
#include "config/quantities.h"
#include "kubernetes/adapter/job_clocks.h"
#include "kubernetes/adapter/later_levels.h"
#include "kubernetes/api/time_text.h"
#include "kubernetes/api/turns.h"

namespace lips::kubernetes {
namespace {

// A plan weighs every run. Those further away matter less, and come nearer.
constexpr std::size_t most_runs_of_a_cron_job = 50, most_runs_of_cron_jobs = 5000;

class Collector {
 public:
  Collector(const ExpectationContext& context, TimePoint now, Duration reach)
      : context_(context), now_(now), from_(now - longest_delay_of_expected), to_(now + reach) {}

  // `waits`: somebody has to resume it, or to take gates from its pods.
  void add(const BatchJob& job, bool waits) {
    const std::string* text = find_text(job.annotations, annotation::expected_at);
    if (!text || !waits || job.deleting || job.ended) return;
    const Result<TimePoint> at = parse_time(std::string_view(*text).substr(0, 100));
    if (!at) return complain("Job", job.meta, fmt::format("{}: {}", annotation::expected_at, at.error().message));
    if (*at >= from_ && *at < to_) add({"Job", job.meta, job.annotations}, job.meta.name, job.spec, *at);
  }

  // Runs that come: those after the last one that was started, or after the CronJob was made. Of those that were missed
  // Kubernetes starts the last one alone, and none whose time to start has passed.
  void add(const CronJob& cron, const std::set<std::pair<std::string, std::string>>& here) {
    if (cron.suspended) return;
    const Result<TimeZone> zone = TimeZone::named(cron.time_zone);
    if (!zone) return complain("CronJob", cron.meta, "spec.timeZone: " + zone.error().message);
    const Result<CronSchedule> schedule = CronSchedule::parse(cron.schedule);
    if (!schedule) return complain("CronJob", cron.meta, "spec.schedule: " + schedule.error().message);
    std::vector<TimePoint> times =
        schedule->within(std::max(from_, cron.last_start + Duration(1)), to_, *zone, cron.last_start);
    const auto next = std::upper_bound(times.begin(), times.end(), now_);
    if (next != times.begin()) times.erase(times.begin(), next - 1);
    std::size_t runs = 0;
    for (const TimePoint at : times) {
      if (const std::optional<TimePoint> last = last_start_of_run(cron, at); last && *last < now_) continue;
      std::string name = name_of_run(cron, at);
      if (here.contains({cron.meta.name_space, name})) continue;
      if (++runs > most_runs_of_a_cron_job) return;
      runs_.push_back({&cron, std::move(name), at});
    }
  }

  // The next runs of all CronJobs, of which namespaces take turns.
  void add_runs() {
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.at < b.at; });
    Turns<const Run*> turns(most_runs_of_cron_jobs);
    for (const Run& run : runs_) turns.add(run.cron->meta.name_space, &run);
    turns.grant_most([&](const Run* run) {
      add({"CronJob", run->cron->meta, run->cron->annotations}, run->job, run->cron->job, run->at);
    });
  }

  void add(const Announcement& announced, std::optional<TimePoint> arrived) {
    for (const TimePoint at : announced.within(from_, to_)) {
      if (arrived && *arrived + longest_delay_of_expected >= at && at + longest_delay_of_expected >= *arrived) continue;
      const std::string name_space = announced.name_space();
      ExpectedWork work{announced.job,     at,
                        announced.chance,  announced.work,
                        DataSetId::none(), announced.fraction,
                        announced.shuffle, context_.pool ? context_.pool(name_space, "") : PoolId::none()};
      if (const ModelIndex::KnownDataSet* data_set =
              readable_data_set(context_.index, announced.data_set, name_space, context_.may_read))
        work.input = data_set->id;
      result_.work.push_back(std::move(work));
    }
  }

  // Steps of workflows that wait for others.
  void add(const Announcers& announcers, TimePoint now) {
    ExpectedJobs later = later_levels(announcers.workflows, announcers.jobs, context_, now);
    for (ExpectedWork& work : later.work)
      if (work.at < to_) result_.work.push_back(std::move(work));
    for (ExpectedJobs::Problem& problem : later.problems) result_.problems.push_back(std::move(problem));
  }

  ExpectedJobs take() { return std::move(result_); }

 private:
  void complain(const char* kind, const ObjectMeta& meta, const std::string& what) {
    result_.problems.push_back({kind, fmt::format("{} {}: {}", kind, full_name(meta), what)});
  }

  struct Source {
    const char* kind;
    const ObjectMeta& meta;
    const TextMap& annotations;
  };

  void add(const Source& source, const std::string& job, const JobSpec& spec, TimePoint at) {
    const auto& [kind, meta, annotations] = source;
    const std::string* chance_text = find_text(annotations, annotation::expected_chance);
    const std::optional<double> chance = chance_text ? parse_number(*chance_text) : 1;
    if (!chance || !(*chance >= 0 && *chance <= 1))
      return complain(kind, meta,
                      fmt::format("{}: found '{}'; allowed: a number, 0 to 1", annotation::expected_chance,
                                  std::string_view(*chance_text).substr(0, 100)));
    Result<ExpectedPods> pods = expected_pods({meta.name_space, Owner{"Job", job, ""}, spec}, context_);
    if (!pods) return complain(kind, meta, pods.error().message);
    if (!pods->planned || pods->tasks == 0) return;
    if (pods->work.job.empty()) pods->work.job = meta.name_space + '/' + job;
    pods->work.at = at, pods->work.chance = *chance;
    result_.work.push_back(std::move(pods->work));
  }

  struct Run {
    const CronJob* cron;
    std::string job;
    TimePoint at;
  };

  const ExpectationContext& context_;
  const TimePoint now_, from_, to_;
  std::vector<Run> runs_;
  ExpectedJobs result_;
};

}  // namespace

ExpectedJobs expected_jobs(const Announcers& announcers, const ExpectationContext& context, TimePoint now,
                           Duration reach) {
  Collector collector(context, now, reach);
  std::set<std::pair<std::string, std::string>> here;
  for (const auto& [uid, job] : announcers.jobs) {
    here.emplace(job.meta.name_space, job.meta.name);
    const bool gated = job.spec.gated && !(announcers.released && announcers.released(uid));
    collector.add(job, job.spec.suspended || gated);
  }
  for (const auto& [uid, cron] : announcers.cron_jobs) collector.add(cron, here);
  collector.add_runs();
  collector.add(announcers, now);
  for (const Announcement& announced : announcers.announced) {
    const auto arrived = announcers.arrivals.find(announced.job);
    collector.add(announced, arrived == announcers.arrivals.end() ? std::nullopt : std::optional(arrived->second));
  }
  return collector.take();
}

}  // namespace lips::kubernetes
