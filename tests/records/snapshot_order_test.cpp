// The same content in another order is the same snapshot, once it is read: no plan depends on who wrote the file.
#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "records/snapshot_file.h"
#include "tests/policies/snapshot_builder.h"

namespace lips {
namespace {

struct Content {
  struct Part {
    JobArrived arrived;  // without ids of pools and whole jobs
    std::size_t pool = 0;
    std::optional<std::size_t> whole;
    std::optional<std::size_t> runs_on;  // its first task
  };
  std::vector<Node> nodes;
  std::vector<Pool> pools;
  std::vector<Part> parts;
};

Content random_content(std::uint64_t seed) {
  Random random(seed);
  Content content;
  for (std::uint64_t n = 0, nodes = 2 + random.below(4); n < nodes; ++n) {
    Node node;
    node.name = "node-" + std::to_string(n);
    node.zone = ZoneId(0);
    node.profile = ProfileId(0);
    node.capacity = {Cores(8), Mebibytes(1e5), 100};
    node.price = UsdPerHour(0.1 * static_cast<double>(1 + n));
    node.cpu_price = UsdPerCpuSecond(1e-5);
    content.nodes.push_back(node);
  }
  for (std::uint64_t p = 0, pools = 1 + random.below(3); p < pools; ++p)
    content.pools.push_back({"pool-" + std::to_string(p), static_cast<double>(1 + p), {}, {}, {}});
  for (std::uint64_t job = 0, jobs = 2 + random.below(5); job < jobs; ++job)
    for (std::uint64_t part = 0, parts = 1 + random.below(4); part < parts; ++part) {
      Content::Part made;
      Job& as = made.arrived.job;
      as.name = "job-" + std::to_string(job);
      as.arrival = TimePoint(seconds(1));                                      // all together
      as.request = {Cores(static_cast<double>(1 + part)), Mebibytes(100), 1};  // parts differ in what they ask for
      as.map_tasks = static_cast<std::uint32_t>(1 + random.below(3));
      for (std::uint32_t i = 0; i < as.map_tasks; ++i) made.arrived.tasks.emplace_back().cpu = CpuSeconds(10.0 + i);
      made.pool = job % content.pools.size();
      made.whole = job;
      if (job % 2 == 0) as.whole.peers = true, as.whole.expected = 9, as.whole.gang = 2;
      if (parts == 1 && job % 2 == 1) made.whole.reset();
      if (random.below(4) == 0) made.runs_on = random.below(content.nodes.size());
      content.parts.push_back(made);
    }
  return content;
}

std::vector<std::uint32_t> numbers(std::size_t count, Random* random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (random) random->shuffle(std::span(order));
  return order;
}

// The place of each in its table.
std::string file_of(const Content& content, Random* random) {
  ClusterSnapshot start;
  start.zones.push_back({"zone"});
  start.profiles.push_back({});
  const auto nodes = numbers(content.nodes.size(), random), pools = numbers(content.pools.size(), random);
  std::vector<std::uint32_t> node_at(nodes.size()), pool_at(pools.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    start.nodes.push_back(content.nodes[nodes[i]]), node_at[nodes[i]] = i;
  for (std::uint32_t i = 0; i < pools.size(); ++i)
    start.pools.push_back(content.pools[pools[i]]), pool_at[pools[i]] = i;
  const auto parts = numbers(content.parts.size(), random), wholes = numbers(content.parts.size(), random);
  ClusterState state(start);
  state.advance(TimePoint(seconds(100)));
  std::vector<std::pair<TaskId, std::size_t>> running;
  for (const std::uint32_t i : parts) {
    const Content::Part& part = content.parts[i];
    JobArrived arrived = part.arrived;
    arrived.job.pool = PoolId(pool_at[part.pool]);
    if (part.whole) arrived.job.whole.id = WholeJobId(wholes[*part.whole]);
    state.apply(arrived);
    if (part.runs_on) running.emplace_back(state.snapshot().jobs.items().back().first_task, *part.runs_on);
  }
  for (const auto& [task, node] : running) state.apply(TaskFound{task, NodeId(node_at[node]), TimePoint(seconds(90))});
  return write_snapshot(state.snapshot(), {});
}

std::string read_and_written(const std::string& text) {
  const Result<SnapshotFile> read = read_snapshot("s.json", text);
  EXPECT_TRUE(read) << read.error().message;
  return read ? write_snapshot(read->cluster, read->costs) : "";
}

TEST(SnapshotFile, HasNoOrderOfItsTablesButThatOfTheirContent) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Content content = random_content(seed);
    const std::string as_written = read_and_written(file_of(content, nullptr));
    Random random(seed);
    for (int time = 0; time < 3; ++time) ASSERT_EQ(read_and_written(file_of(content, &random)), as_written);
  }
}

}  // namespace
}  // namespace lips
