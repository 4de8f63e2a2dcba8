#include "cmd/service/twin_keeper.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cmd/cli/simulation_runs.h"
#include "cmd/cli/wall_stopwatch.h"
#include "cmd/service/epoch_recorder.h"
#include "records/journal_files.h"
#include "telemetry/page/numbers.h"
#include "twin/live_twin.h"

namespace lips::cmd {

namespace {

constexpr double rest = 50;              // times the CPU time of a comparison
constexpr int low_priority = 10;         // of a thread, as nice(1) has it
constexpr std::chrono::seconds look{5};  // for a changed configuration

double cpu_of_this_thread() {  // seconds
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

bool is_on(const OperatorConfig& config) {
  return !config.journal.directory.empty() && config.twin.every.count() > 0 && !config.twin.policies.empty();
}

std::string why_off(const OperatorConfig& config) {
  if (config.journal.directory.empty()) return "there is no journal; set journal.directory";
  return config.twin.every.count() > 0 ? "twin.policies names none" : "twin.every is 0";
}

// In mode watch that of other schedulers, once they have done anything.
std::string journal_of(const OperatorConfig& config) {
  const std::string watched = watched_folder(config).string();
  if (config.mode != PodMode::watch) return config.journal.directory;
  const Result<std::vector<JournalFile>> files = list_journal(watched);
  return files && !files->empty() ? watched : config.journal.directory;
}

}  // namespace

TwinKeeper::TwinKeeper(const LiveConfig& live, Parts parts)
    : live_(live), parts_(std::move(parts)), last_(WallStopwatch().seconds()) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

double TwinKeeper::due(const OperatorConfig& config) const {
  return last_ + std::max(complete_ ? 0 : to_seconds(config.twin.every), rest * took_);
}

TwinState TwinKeeper::latest() const {
  const std::shared_ptr<const OperatorConfig> config = live_.config();
  const bool leads = parts_.leads();
  const std::lock_guard lock(mutex_);
  const double now = WallStopwatch().seconds();
  TwinState state{report_, seconds(now - made_), ""};
  if (!is_on(*config))
    state.missing = why_off(*config);
  else if (!leads && !complete_)
    state.missing = "this replica of the operator stands by";
  else if (!failed_.empty())
    state.missing = failed_;
  else if (!report_)
    state.missing = running_ ? "the first one is being made"
                             : fmt::format("the first one comes {}", page::when(std::max(0.0, due(*config) - now)));
  return state;
}

void TwinKeeper::journal_is_complete() {
  const std::lock_guard lock(mutex_);
  complete_ = true;
  changed_.notify_all();
}

void TwinKeeper::work(const std::stop_token& stop) {
  setpriority(PRIO_PROCESS, 0, low_priority);  // of this thread: Linux gives each its own
  bool last_one = false;                       // of a complete journal
  while (!stop.stop_requested() && !last_one) {
    const std::shared_ptr<const OperatorConfig> config = live_.config();
    {
      std::unique_lock lock(mutex_);
      const std::chrono::duration<double> left(due(*config) - WallStopwatch().seconds());
      if (!is_on(*config) || left.count() > 0) {
        const bool complete = complete_;
        changed_.wait_for(lock, stop, is_on(*config) ? std::min<std::chrono::duration<double>>(left, look) : look,
                          [&] { return complete_ != complete; });
        continue;
      }
      last_one = complete_;
      running_ = true;
    }
    if (parts_.leads() || last_one) compare(*config, stop);
    const std::lock_guard lock(mutex_);
    running_ = false;
    last_ = WallStopwatch().seconds();
  }
}

void TwinKeeper::compare(const OperatorConfig& config, const std::stop_token& stop) {
  const double began = cpu_of_this_thread();
  twin::TwinQuestion question{journal_of(config), config.twin.window, config.twin.policies};
  if (question.journal != config.journal.directory)
    question.policies.insert(question.policies.begin(), config.policy.name);
  question.stop = [&stop] { return stop.stop_requested(); };
  question.alone = virtual_runs().alone;
  Result<TwinReport> report = twin::twin_report(question);
  if (stop.stop_requested()) return;
  TwinState state;
  {
    const std::lock_guard lock(mutex_);
    took_ = cpu_of_this_thread() - began;
    failed_ = report ? "" : report.error().message;
    if (report) report_ = *std::move(report), made_ = WallStopwatch().seconds();
    state = {report_, Duration(0), failed_};
  }
  parts_.told(state, took_);
}

}  // namespace lips::cmd
