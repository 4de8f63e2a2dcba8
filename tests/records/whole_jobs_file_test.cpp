#include <gtest/gtest.h>

#include "base/random.h"
#include "model/cluster_state.h"
#include "records/snapshot_file.h"
#include "simulation/random_snapshot.h"

namespace lips {
namespace {

JobArrived part(Random& random, WholeJobId whole, std::uint32_t number) {
  JobArrived arrived;
  arrived.job.name = "part-" + std::to_string(whole.index()) + '-' + std::to_string(number);
  arrived.job.pool = PoolId(0);
  arrived.job.arrival = TimePoint(Duration(number));
  arrived.job.request = {Cores(0.01 * (1 + number)), Mebibytes(1), 1};
  arrived.job.shuffle = Mebibytes(1000);
  arrived.job.map_tasks = static_cast<std::uint32_t>(random.below(4));
  arrived.job.reduce_tasks = static_cast<std::uint32_t>(random.below(3)) + (arrived.job.map_tasks == 0);
  arrived.job.whole = {whole, 12, 9, 0, {}};
  if (whole.index() == 1) {
    arrived.job.whole.peers = true;
    arrived.job.whole.expected = 7;
    arrived.job.whole.gang = 5;
    arrived.job.whole.guessed = true;
    arrived.job.coordinates = number == 1;
    arrived.job.whole.each = {Cores(0.5), Mebibytes(2), 1};
    arrived.job.whole.arrived = TimePoint(Duration(100 + number));
  }
  for (std::uint32_t i = 0; i < arrived.job.tasks(); ++i) {
    Task task;
    task.kind = i < arrived.job.map_tasks ? TaskKind::map : TaskKind::reduce;
    task.cpu = CpuSeconds(1 + i);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

// Two whole jobs in parts that come in turn, while some of their tasks run and end.
ClusterState parts_of_jobs(std::uint64_t seed) {
  Random random(seed);
  ClusterState state = simulation::random_cluster(simulation::random_small_shape(seed));
  for (std::uint32_t number = 0; number < 6; ++number) {
    state.apply(part(random, WholeJobId(number % 2), number));
    const Job& job = state.snapshot().jobs.items().back();
    for (std::uint32_t i = 0; i < job.tasks(); ++i) {
      const TaskId task(job.first_task.index() + i);
      const NodeId node(static_cast<std::uint32_t>(random.below(state.snapshot().nodes.size())));
      if (random.below(2) == 0 || !state.assume({task, node, {}, {}})) continue;
      if (random.below(2) == 0) state.apply(TaskFinished{task, node});
    }
  }
  return state;
}

TEST(SnapshotFile, KeepsWhatThePartsOfAJobHaveInCommon) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const ClusterState state = parts_of_jobs(seed);
    const ClusterSnapshot& before = state.snapshot();
    const std::string text = write_snapshot(before, {});
    const Result<SnapshotFile> read = read_snapshot("s.json", text, SnapshotOrder::as_written);
    ASSERT_TRUE(read) << read.error().message;
    const ClusterSnapshot& after = read->cluster;
    ASSERT_EQ(after.jobs.size(), before.jobs.size());
    EXPECT_EQ(after.pending, before.pending);
    for (const JobId id : before.jobs.ids()) {
      EXPECT_EQ(after.jobs[id].whole, before.jobs[id].whole) << before.jobs[id].name;
      EXPECT_EQ(after.jobs[id].coordinates, before.jobs[id].coordinates) << before.jobs[id].name;
      EXPECT_EQ(after.jobs[id].map_output, before.jobs[id].map_output) << before.jobs[id].name;
    }
    for (const TaskId id : before.tasks.ids()) EXPECT_EQ(after.tasks[id].state, before.tasks[id].state);
    EXPECT_EQ(write_snapshot(after, {}), text);
    EXPECT_TRUE(read_snapshot("s.json", text)) << "sorted";
  }
}

// Rows of earlier versions end before what parts have in common beside their maps and reduces.
TEST(SnapshotFile, OfAnEarlierVersionHasTheSumsOfThePartsThatItNames) {
  ClusterState state = parts_of_jobs(3);
  std::string text = write_snapshot(state.snapshot(), {});
  const std::size_t from = text.find("\"wholes\":[") + 10, end = text.find("]]", from);
  std::string rows;
  for (std::size_t row = text.find('[', from); row < end; row = text.find('[', row + 1)) {
    std::size_t cell = row;
    for (int i = 0; i < 6; ++i) cell = text.find_first_of(",]", cell + 1);
    rows += (rows.empty() ? "" : ",") + text.substr(row, cell - row) + ']';
  }
  text.replace(from, end + 1 - from, rows);
  const Result<SnapshotFile> read = read_snapshot("s.json", text, SnapshotOrder::as_written);
  ASSERT_TRUE(read) << read.error().message;
  for (const JobId id : state.snapshot().jobs.ids()) {
    const Job &before = state.snapshot().jobs[id], &after = read->cluster.jobs[id];
    if (before.finished()) continue;
    EXPECT_EQ(after.whole, before.whole) << before.name;
  }
}

}  // namespace
}  // namespace lips
