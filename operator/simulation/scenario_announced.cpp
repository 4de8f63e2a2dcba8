#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

struct Announced {
  double share = 0;   // of the jobs
  Duration timing{};  // a job comes at most so much earlier or later than announced
  double size = 0;    // sigma of the log-normal factor between its work and what was announced
  double never = 0;   // share of the announcements of which nothing comes
};

ExpectedWork announcement_of(const JobArrived& arrived, const ClusterSnapshot& cluster) {
  ExpectedWork result;
  result.job = arrived.job.name;
  result.at = arrived.job.arrival;
  result.pool = arrived.job.pool;
  if (arrived.job.reduce_tasks > 0) result.shuffle = arrived.job.shuffle;
  Mebibytes read, held;
  for (const Task& task : arrived.tasks) {
    result.work += task.cpu;
    if (task.block.valid()) read += task.input;
  }
  if (arrived.job.inputs.empty()) return result;
  result.input = arrived.job.inputs.front().data_set;
  const DataSet& data_set = cluster.data_sets[result.input];
  for (std::uint32_t i = 0; i < data_set.blocks; ++i)
    held += cluster.blocks[BlockId(data_set.first_block.index() + i)].size;
  result.fraction = held.value() > 0 ? std::min(1.0, read / held) : 1;
  return result;
}

std::vector<ExpectedWork> announce(const Announced& announced, const ScenarioDraft& draft) {
  const std::vector<JobArrived>& jobs = draft.scenario.jobs;
  Random random(seed_for(draft, Draw::announcements));
  TimePoint last{};
  for (const JobArrived& job : jobs) last = std::max(last, job.job.arrival);
  std::vector<ExpectedWork> result;
  for (const JobArrived& job : jobs) {
    if (random.uniform() >= announced.share) continue;
    ExpectedWork work = announcement_of(job, draft.scenario.cluster);
    work.at += seconds(random.uniform(-1, 1) * to_seconds(announced.timing));
    // In the mean the announced work is the true one.
    work.work *= std::exp(random.normal(0, announced.size) - announced.size * announced.size / 2);
    if (random.uniform() < announced.never / (1 - announced.never)) {
      ExpectedWork other = work;
      other.job += " (never comes)";
      other.at = TimePoint(seconds(random.uniform() * to_seconds(last.time_since_epoch())));
      result.push_back(std::move(other));
    }
    result.push_back(std::move(work));
  }
  return result;
}

}  // namespace

void read_announced(YamlMap& root, ScenarioDraft& draft) {
  std::optional<YamlMap> fields = root.map("announced");
  if (!fields) return;
  Announced announced;
  announced.share = fields->number("share", 0.5, {0, 1});
  announced.timing = fields->duration("timing", Duration(0));
  announced.size = fields->number("size", 0, {0, 5});
  announced.never = fields->number("never", 0, {0, 0.5});
  fields->finish();
  if (!draft.errors.messages.empty()) return;
  draft.cluster().expected = announce(announced, draft);
  draft.assume("announced", fmt::format("{} announcements", draft.cluster().expected.size()),
               fmt::format("of {} of the jobs, +-{:g} s, sigma of the work {}, {} of them in vain", announced.share,
                           to_seconds(announced.timing), announced.size, announced.never));
}

}  // namespace lips::simulation
