// The cost to a running operator of serving its state (/state): the copy, which the thread that plans makes, and the
// text, which another one writes. docs/operator.md quotes it.
//   bench_state [TASKS [NODES]]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "config/gzip.h"
#include "records/epoch_record.h"
#include "simulation/random_snapshot.h"

int main(int count, char** words) {
  using namespace lips;
  const auto number = [&](int at, unsigned fallback) {
    return at < count ? static_cast<unsigned>(std::atoi(words[at])) : fallback;
  };
  simulation::SnapshotShape shape;
  shape.tasks = number(1, 100'000), shape.nodes = number(2, 2'000);
  shape.busy = 0.9;
  const ClusterState state = simulation::random_cluster(shape);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto milliseconds = [&](auto since) {
    return std::chrono::duration<double, std::milli>(now() - since).count();
  };
  auto began = now();
  EpochRecord record;
  record.snapshot.cluster = state.snapshot();
  const double copied = milliseconds(began);
  began = now();
  LiveFacts& live = record.live.emplace();
  for (const TaskId task : state.snapshot().tasks.ids())
    live.pods.push_back({fmt::format("batch/nightly-report-{}-{}", task.index() / 100, task.index() % 100), task});
  const double named = milliseconds(began);
  record.snapshot.costs = simulation::random_costs(shape);
  began = now();
  const std::string text = write_epoch(record);
  const double written = milliseconds(began);
  began = now();
  const std::string packed = gzipped(text);
  fmt::print("{} tasks, {} nodes: copy {:.1f} ms, names {:.1f} ms; text {:.0f} ms, gzip {:.0f} ms, {:.1f} MiB\n",
             shape.tasks, shape.nodes, copied, named, written, milliseconds(began),
             static_cast<double>(packed.size()) / (1 << 20));
}
