#include "experiments/experiment.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace lips::experiments {

Result<void> each_piece(const ExperimentRun& run, std::size_t count, const std::function<void(std::size_t)>& piece) {
  std::atomic<std::size_t> next = 0, finished = 0;
  const auto work = [&] {
    for (std::size_t index = next++; index < count && !run.stopped(); index = next++) {
      piece(index);
      run.report(static_cast<double>(++finished) / static_cast<double>(count));
    }
  };
  const std::size_t threads = std::min<std::size_t>(std::max(1u, run.threads), count);
  if (threads <= 1) {
    work();
  } else {
    std::vector<std::jthread> pool;
    for (std::size_t i = 0; i < threads; ++i) pool.emplace_back(work);
  }
  if (finished < count) return fail(ErrorCode::cancelled, "interrupted");
  return {};
}

ExperimentRun part_of(const ExperimentRun& run, double from, double to) {
  ExperimentRun part = run;
  if (run.progress)
    part.progress = [report = run.progress, from, to](double share) { report(from + (to - from) * share); };
  return part;
}

std::vector<const Experiment*> find_experiments(std::string_view name) {
  std::vector<const Experiment*> found;
  for (const Experiment& experiment : experiment_registry())
    if (experiment.name == name) return {&experiment};
  for (const Experiment& experiment : experiment_registry()) {
    const bool begins = experiment.name.size() > name.size() && experiment.name.starts_with(name) && !name.empty();
    const char after = begins ? experiment.name[name.size()] : ' ';
    const bool whole = after == '-' || (after >= 'a' && after <= 'z' && name.back() >= '0' && name.back() <= '9');
    if (name == "all" || (begins && whole)) found.push_back(&experiment);
  }
  return found;
}

void add_bar(Chart& chart, std::size_t curve, std::string_view name, double value) {
  if (chart.curves.size() <= curve) chart.curves.push_back({std::string(name), {}});
  chart.curves[curve].points.push_back({static_cast<double>(chart.categories.size() - 1), value});
}

}  // namespace lips::experiments
