#include "records/snapshot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "config/text_file.h"
#include "model/cluster_state.h"
#include "simulation/random_snapshot.h"
#include "tests/model/difference.h"
#include "tests/model/variations.h"
#include "tests/records/rich_snapshot.h"

namespace lips {
namespace {

using simulation::random_cluster;
using simulation::random_costs;
using simulation::random_small_shape;
using simulation::SnapshotShape;
using ::testing::HasSubstr;

// As the first job, which writes what the data set holds; held back where `held`.
void add_writer(ClusterState& state, bool held) {
  const ClusterSnapshot& cluster = state.snapshot();
  if (cluster.data_sets.empty()) return;
  JobArrived writer{cluster.jobs[JobId(0)], {}};
  for (std::uint32_t i = 0; i < writer.job.tasks(); ++i) {
    const Task& task = cluster.tasks[TaskId(writer.job.first_task.index() + i)];
    Task copy;
    copy.block = task.block;
    copy.cpu = task.cpu;
    copy.input = task.input;
    copy.kind = task.kind;
    writer.tasks.push_back(copy);
  }
  writer.job.name = held ? "writer-held" : "writer";
  writer.job.output = DataSetId(static_cast<std::uint32_t>(cluster.data_sets.size() - 1));
  writer.job.held = held;
  writer.job.pending = writer.job.running = writer.job.finished_maps = writer.job.finished_reduces = 0;
  writer.job.pending_work = CpuSeconds(0);
  writer.job.map_output.clear();
  writer.job.memory = {};
  state.apply(std::move(writer));
}

// Some maps run, some are finished, a copy is on its way, a job remembers its home, one waits for its inputs.
ClusterState busy_state(std::uint64_t seed) {
  SnapshotShape shape = random_small_shape(seed);
  shape.share_of_jobs_with_shuffle = 0.5;
  ClusterState state = random_cluster(shape);
  add_writer(state, true);
  add_writer(state, false);
  std::vector<Assignment> started;
  for (TaskId task : state.snapshot().tasks.ids()) {
    if (state.snapshot().tasks[task].state != TaskState::pending) continue;
    const Block* block = state.snapshot().tasks[task].block.valid()
                             ? &state.snapshot().blocks[state.snapshot().tasks[task].block]
                             : nullptr;
    for (NodeId node : state.snapshot().nodes.ids()) {
      const Assignment assignment{task, node, block ? block->replicas[0].store : StoreId(), {}};
      if (!state.assume(assignment)) continue;
      started.push_back(assignment);
      break;
    }
  }
  for (std::size_t i = 0; i < started.size(); ++i) {
    if (i % 3 != 0) state.apply(TaskStarted{started[i].task, started[i].node});
    if (i % 3 == 2) state.apply(TaskFinished{started[i].task, started[i].node});
  }
  state.advance(state.snapshot().now + std::chrono::milliseconds(1500));
  JobMemory memory;
  memory.home = ZoneId(0);
  memory.passed_over_since = TimePoint(std::chrono::seconds(7));
  memory.last_locality = Locality::remote;
  memory.home_decided = memory.launched = true;
  memory.refused_for = std::chrono::milliseconds(1234);
  memory.refused_at = TimePoint(std::chrono::seconds(8));
  memory.node_waits = {std::chrono::seconds(3), 5};
  memory.rack_waits = {std::chrono::seconds(4), 6};
  memory.priority = std::int8_t{-2};
  memory.opportunities = 9;
  state.remember({JobId(0), memory});
  ShareMemory shares{TimePoint(std::chrono::seconds(1)), 4, true, {}};
  for (std::uint32_t pool = 0; pool <= state.snapshot().pools.size(); ++pool) shares.slots.push_back(0.1 + pool);
  if (seed % 2 == 0) state.remember(shares);
  if (!state.snapshot().blocks.empty())
    state.begin_move({MoveId(3), BlockId(0), state.snapshot().blocks[BlockId(0)].replicas[0].store, StoreId(0)});
  return state;
}

TEST(SnapshotFile, ReadsBackWhatWasWritten) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const ClusterState state = busy_state(seed);
    const CostModel costs = random_costs(random_small_shape(seed));
    const std::string exact = write_snapshot(state.snapshot(), costs, SnapshotDetail::exact);
    const Result<SnapshotFile> same = read_snapshot("s.json", exact, SnapshotOrder::as_written);
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(testing::difference(state.snapshot(), same->cluster), "");
    const std::string text = write_snapshot(state.snapshot(), costs);
    const Result<SnapshotFile> read = read_snapshot("s.json", text, SnapshotOrder::as_written);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(write_snapshot(read->cluster, read->costs), text);
    const Result<SnapshotFile> canonical = read_snapshot("s.json", text);
    ASSERT_TRUE(canonical);
    const std::string sorted = write_snapshot(canonical->cluster, canonical->costs);
    const Result<SnapshotFile> again = read_snapshot("s.json", sorted, SnapshotOrder::as_written);
    ASSERT_TRUE(again);
    EXPECT_EQ(write_snapshot(again->cluster, again->costs), sorted);
  }
}

// "-0" is a whole number to a reader of JSON, and has no sign.
TEST(SnapshotFile, ReadsBackTheSignOfZero) {
  const ClusterSnapshot cluster = random_cluster({}).snapshot();
  const std::string text = write_snapshot(cluster, uniform_costs(3, UsdPerMebibyte(-0.0)));
  const Result<SnapshotFile> read = read_snapshot("x.json", text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(std::signbit(read->costs.transfer(ZoneId(0), ZoneId(1)).value()));
}

TEST(SnapshotFile, ReadsBackSomethingOfEverything) {
  const ClusterState state = testing::rich_state();
  const ClusterSnapshot& cluster = state.snapshot();
  ASSERT_FALSE(cluster.running.empty());
  ASSERT_FALSE(cluster.rack_degraded.empty());
  ASSERT_FALSE(cluster.zone_degraded.empty());
  const std::string text = write_snapshot(cluster, {}, SnapshotDetail::exact);
  const Result<SnapshotFile> read = read_snapshot("s.json", text, SnapshotOrder::as_written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(testing::difference(cluster, read->cluster), "");
  EXPECT_EQ(write_snapshot(read->cluster, {}, SnapshotDetail::exact), text);
}

// Says whether reading works the field out from others, or puts it where it was.
bool worked_out(const std::string& path, const ClusterSnapshot& cluster) {
  const auto ends = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return path.ends_with(word); });
  };
  const auto begins = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return path.starts_with(word); });
  };
  // A table is as long as those beside it; its rows are tried one by one.
  if (ends({" longer"}) &&
      (path.find('[') == std::string::npos || path.find("mapOutput") != std::string::npos || ends({"replicas longer"})))
    return true;
  if (begins({"nodeStore", "pending", "held", "pendingTasks"})) return true;
  if (begins({"blocks["}) && ends({".zones", ".coming"})) return true;
  if (begins({"groups["}) && ends({".first", ".last", ".count"})) return true;
  if (begins({"running["}) && ends({".node", ".job"})) return true;
  // A job that is no part of another has nothing in common with any.
  if (path.find(".whole.") != std::string::npos) {
    const Job& job = cluster.jobs[JobId(static_cast<std::uint32_t>(std::stoul(path.substr(5))))];
    return !job.whole.id.valid();
  }
  if (begins({"jobs["}))
    return ends(
        {".firstTask", ".work", ".pending", ".running", ".finishedMaps", ".finishedReduces", ".degradedLaunched"});
  if (begins({"locality["}))
    return cluster.jobs[JobId(static_cast<std::uint32_t>(std::stoul(path.substr(9))))].finished();
  if (!begins({"tasks["})) return false;
  const Task& task = cluster.tasks[TaskId(static_cast<std::uint32_t>(std::stoul(path.substr(6))))];
  if (ends({".node"}) && task.state < TaskState::bound) return true;
  if (ends({".state"}) && (task.state < TaskState::bound || task.state == TaskState::finished)) return true;
  return ends({".job", ".nextPending", ".previousPending", ".group"});
}

TEST(SnapshotFile, SaysEveryFieldThatReadingDoesNotWorkOut) {
  ClusterSnapshot cluster = testing::rich_state().snapshot();
  const std::string text = write_snapshot(cluster, {}, SnapshotDetail::exact), plain = write_snapshot(cluster, {});
  std::size_t tried = 0;
  testing::each_variation(cluster, "", [&](const std::string& path) {
    if (worked_out(path, cluster)) return;
    // A job of more tasks than there are has no localities to write.
    const bool counts = path.ends_with(".mapTasks") || path.ends_with(".reduceTasks");
    const bool seen =
        counts ? write_snapshot(cluster, {}) != plain : write_snapshot(cluster, {}, SnapshotDetail::exact) != text;
    EXPECT_TRUE(seen) << path << " is not in the file";
    ++tried;
  });
  EXPECT_GT(tried, 400u);
  EXPECT_EQ(write_snapshot(cluster, {}, SnapshotDetail::exact), text);
}

TEST(SnapshotFile, KeepsTheExpectedEndsAndMovesInFlight) {
  const ClusterState state = busy_state(4);
  const Result<SnapshotFile> read =
      read_snapshot("s.json", write_snapshot(state.snapshot(), {}), SnapshotOrder::as_written);
  ASSERT_TRUE(read);
  ASSERT_FALSE(state.snapshot().running.empty());
  std::map<std::uint32_t, TimePoint> ends;
  for (const RunningTask& run : state.snapshot().running) ends[run.task.index()] = run.expected_end;
  for (const RunningTask& run : read->cluster.running) EXPECT_EQ(run.expected_end, ends.at(run.task.index()));
  ASSERT_EQ(read->cluster.moves.size(), state.snapshot().moves.size());
  EXPECT_EQ(read->costs.zones(), 0u);
}

TEST(SnapshotFile, KeepsJobsHeldBackAndWhatJobsWrite) {
  const ClusterState state = busy_state(4);
  ASSERT_EQ(state.snapshot().held.size(), 1u);
  const Result<SnapshotFile> read =
      read_snapshot("s.json", write_snapshot(state.snapshot(), {}), SnapshotOrder::as_written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cluster.held, state.snapshot().held);
  const Job& held = read->cluster.jobs[read->cluster.held.front()];
  EXPECT_EQ(held.name, "writer-held");
  EXPECT_TRUE(held.output.valid());
  EXPECT_EQ(read->cluster.tasks[held.first_task].state, TaskState::blocked);
  EXPECT_EQ(read->cluster.pending, state.snapshot().pending);
}

// As when the pods of a job arrive one by one: parts that are equal in everything, their name included.
TEST(SnapshotFile, KeepsJobsApartThatAreAlikeInEverything) {
  for (const std::size_t parts : {1u, 2u, 3u, 50u}) {
    SnapshotShape shape;
    shape.tasks = 0;
    ClusterState state = random_cluster(shape);
    const std::size_t before = state.snapshot().jobs.size();
    ASSERT_EQ(before, 0u);
    for (std::size_t part = 0; part < parts; ++part) {
      JobArrived arrived;
      arrived.job.name = "default/job-0";
      arrived.job.pool = PoolId(0);
      arrived.job.map_tasks = 1;
      arrived.tasks.resize(1);
      arrived.tasks[0].cpu = CpuSeconds(5);
      state.apply(std::move(arrived));
    }
    const Result<SnapshotFile> read =
        read_snapshot("s.json", write_snapshot(state.snapshot(), {}), SnapshotOrder::as_written);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(testing::difference(state.snapshot(), read->cluster), "");
    EXPECT_EQ(read->cluster.pending_tasks, parts);
  }
}

TEST(SnapshotFile, GoesThroughCompressedFiles) {
  const ClusterState state = busy_state(9);
  for (const char* name : {"snapshot_file_test.json", "snapshot_file_test.json.gz"}) {
    const std::string path = ::testing::TempDir() + name;
    ASSERT_TRUE(save_snapshot(path, state.snapshot(), {}));
    const Result<SnapshotFile> read = load_snapshot(path, SnapshotOrder::as_written);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(write_snapshot(read->cluster, {}), write_snapshot(state.snapshot(), {}));
    std::filesystem::remove(path);
  }
}

constexpr const char* small_file = R"({"format":"lips-snapshot","version":1,"now":0,
"zones":["a","b"],"racks":{"name":[],"zone":[]},
"profiles":[{"labels":{},"taints":[]}],"constraints":[],
"nodeKinds":[["m5.large",0,2,8192,2,1,0.096,0,0]],
"nodes":{"name":["n10","n9"],"kind":0,"zone":[1,0],"rack":-1,"schedulable":1},
"stores":{"name":["n10","n9"],"kind":0,"zone":[1,0],"node":[0,1],"capacity":0,"price":0},
"dataSets":{"name":["d"],"firstBlock":0,"blocks":2,"codeN":0,"codeK":0},
"blocks":{"count":2,"dataSet":0,"size":64,"copies":1,"replicas":[0,1],"notes":[]},
"network":{"localRead":0,"nodeLink":0,"rackLink":0,"zoneLink":0,"zoneStream":0,"remoteStream":0},
"pools":{"name":"default","weight":1,"minimum":0,"maximum":0,"shortfallPrice":0},
"jobs":{"name":"j","pool":0,"arrival":0,"priority":0,"constraint":-1,"cpu":1,"memory":0,"slots":1,"shuffle":0,"maps":2,"reduces":1,
"completed":0,"home":-1,"lastLocality":0,"passedOver":[],"inputs":[[0,0,1]],"mapOutput":[]},
"tasks":[[2,10,64,0,0],[1,5,0,1,-1]],"placed":[[0,1,1,5000000]],"moves":[],"transfer":[[0,0.5],[0.25,0]]})";

TEST(SnapshotFile, SortsTablesByNameWithNumbersByValue) {
  const Result<SnapshotFile> read = read_snapshot("s.json", small_file);
  ASSERT_TRUE(read) << read.error().message;
  const ClusterSnapshot& cluster = read->cluster;
  EXPECT_EQ(cluster.nodes[NodeId(0)].name, "n9");
  EXPECT_EQ(cluster.nodes[NodeId(1)].name, "n10");
  EXPECT_EQ(cluster.nodes[NodeId(0)].zone, ZoneId(0));
  EXPECT_EQ(cluster.tasks[TaskId(0)].node, NodeId(0));
  EXPECT_EQ(cluster.blocks[BlockId(0)].replicas[0].store, StoreId(1));
  EXPECT_EQ(cluster.free[NodeId(0)].slots, 1);
  EXPECT_EQ(cluster.tasks[TaskId(2)].state, TaskState::blocked);
  EXPECT_EQ(read->costs.transfer(ZoneId(0), ZoneId(1)).value(), 0.5);
}

TEST(SnapshotFile, WorksOutACpuPriceThatIsNotGiven) {
  const Result<SnapshotFile> read = read_snapshot("s.json", small_file);
  ASSERT_TRUE(read);
  EXPECT_DOUBLE_EQ(read->cluster.nodes[NodeId(0)].cpu_price.value(), 0.096 / 3600 / 2);
}

TEST(SnapshotFile, KeepsTheFilesOrderWhenAskedTo) {
  const Result<SnapshotFile> read = read_snapshot("s.json", small_file, SnapshotOrder::as_written);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cluster.nodes[NodeId(0)].name, "n10");
  EXPECT_EQ(read->cluster.tasks[TaskId(0)].node, NodeId(1));
}

TEST(SnapshotFile, ShuffledFilesGiveEqualSnapshots) {
  std::string shuffled = small_file;
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(shuffled.find(from), std::string::npos) << from;
    shuffled.replace(shuffled.find(from), from.size(), to);
  };
  replace(R"(["a","b"])", R"(["b","a"])");
  replace(R"("name":["n10","n9"],"kind":0,"zone":[1,0],"rack")", R"("name":["n9","n10"],"kind":0,"zone":[1,0],"rack")");
  replace(R"("name":["n10","n9"],"kind":0,"zone":[1,0],"node":[0,1])",
          R"("name":["n9","n10"],"kind":0,"zone":[1,0],"node":[0,1])");
  replace(R"("replicas":[0,1])", R"("replicas":[1,0])");
  replace(R"("placed":[[0,1,1,5000000]])", R"("placed":[[0,0,1,5000000]])");
  replace(R"([[0,0.5],[0.25,0]])", R"([[0,0.25],[0.5,0]])");
  const Result<SnapshotFile> one = read_snapshot("s.json", small_file), other = read_snapshot("s.json", shuffled);
  ASSERT_TRUE(one);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(write_snapshot(one->cluster, one->costs), write_snapshot(other->cluster, other->costs));
}

struct BadFile {
  const char *from, *to, *message;
};

class BadSnapshotFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadSnapshotFile, IsRefusedWithThePlaceTheFindingAndWhatIsAllowed) {
  std::string text = small_file;
  const std::string from = GetParam().from;
  ASSERT_NE(text.find(from), std::string::npos);
  text.replace(text.find(from), from.size(), GetParam().to);
  const Result<SnapshotFile> read = read_snapshot("s.json", text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::invalid_input);
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSnapshotFile,
    ::testing::Values(
        BadFile{"\"now\":0,", "\"now\":0,,", "s.json:1: found text that is not JSON"},
        BadFile{"lips-snapshot", "other", "/format: found \"other\"; allowed: \"lips-snapshot\""},
        BadFile{"\"version\":1", "\"version\":2", "/version: found 2; allowed: a whole number from 1 to 1"},
        BadFile{"\"zones\":[", "\"zoness\":[", "/zoness: found an unknown field (did you mean 'zones'?)"},
        BadFile{"\"moves\":[],", "", "/moves: found nothing; allowed: a value: the field is required"},
        BadFile{"[\"a\",\"b\"]", "[\"a\",\"a\"]", "found 'a' twice; allowed: every name once"},
        BadFile{"[\"a\",\"b\"]", "[\"a\",7]", "/zones/1: found 7; allowed: text"},
        BadFile{"\"name\":[\"n10\",\"n9\"]", "\"name\":[\"n9\",\"n9\"]", "/nodes/name: found 'n9' twice"},
        BadFile{"\"kind\":0,\"zone\":[1,0],\"rack\"", "\"kind\":1,\"zone\":[1,0],\"rack\"",
                "/nodes/kind: found 1; allowed: a whole number from 0 to 0"},
        BadFile{"\"zone\":[1,0],\"rack\"", "\"zone\":[1,2],\"rack\"",
                "/nodes/zone/1: found 2; allowed: a whole number from 0 to 1"},
        BadFile{"\"zone\":[1,0],\"rack\"", "\"zone\":[1],\"rack\"", "/nodes/zone: found 1 rows; allowed: 2 rows"},
        BadFile{"\"zone\":[1,0],\"node\"", "\"zone\":[0,0],\"node\"",
                "/stores/zone/0: found zone 0; allowed: the zone of the store's node"},
        BadFile{"2,8192,2,1,0.096", "-2,8192,2,1,0.096", "/nodeKinds/0/2: found -2; allowed: a number from 0 to 1e+18"},
        BadFile{"2,8192,2,1,0.096", "2,8192,2,0,0.096", "/nodeKinds/0/5: found 0; allowed: a speed above 0"},
        BadFile{"0.096,0,0]", "0.096,0]", "/nodeKinds/0: found 8 cells; allowed: a list of 9 to 10 cells"},
        BadFile{"\"replicas\":[0,1]", "\"replicas\":[0,2]",
                "/blocks/replicas/1: found 2; allowed: a whole number from 0 to 1"},
        BadFile{"\"replicas\":[0,1]", "\"replicas\":[0]",
                "/blocks/replicas: found 1 replicas; allowed: 2, the sum of copies"},
        BadFile{"\"firstBlock\":0", "\"firstBlock\":1", "/dataSets/blocks/0: found 2 blocks from 1"},
        BadFile{"\"blocks\":2", "\"blocks\":1", "/dataSets/blocks/0: found 1 blocks from 0; allowed: all blocks whose"},
        BadFile{"\"localRead\":0", "\"localRead\":\"fast\"",
                "/network/localRead: found \"fast\"; allowed: a number from 0 to 1e+18"},
        BadFile{"\"pool\":0", "\"pool\":1.5", "/jobs/pool: found 1.5; allowed: a whole number from 0 to 0"},
        BadFile{"\"maps\":2", "\"maps\":3",
                "/tasks/1/3: found a reduce task; allowed: the 3 maps, then the reduces of job 'j'"},
        BadFile{"\"reduces\":1", "\"reduces\":2", "/tasks: found 3 tasks; allowed: 4, the jobs' maps and reduces"},
        BadFile{"[2,10,64,0,0]", "[2,10,64,0,1]", "/tasks/0/0: found 2 tasks from block 1; allowed: blocks below 2"},
        BadFile{"[[0,1,1,5000000]]", "[[7,1,1,5000000]]", "/placed/0/0: found 7; allowed: a whole number from 0 to 2"},
        BadFile{"[[0,1,1,5000000]]", "[[0,1,1,5],[0,0,1,5]]", "/placed: found task 0 twice"},
        BadFile{"[[0,1,1,5000000]]", "[[2,1,1,5]]",
                "found the reduce task 2 of job 'j' on a node before all its maps are finished"},
        BadFile{"\"inputs\":[[0,0,1]]", "\"inputs\":[[0,0,1]],\"levels\":[[0,-1,1]]",
                "/placed: found task 0 of job 'j', whose inputs do not exist yet"},
        BadFile{"\"inputs\":[[0,0,1]]", "\"inputs\":[[0,0,1]],\"peers\":[[0,1,2,0,1,100,1,0]]",
                "/jobs/wholes: found no row for job 'j', which /jobs/peers names; allowed: a row for each job of "
                "/jobs/peers and /jobs/gangs"},
        BadFile{"\"inputs\":[[0,0,1]]", "\"inputs\":[[0,0,1]],\"gangs\":[[0,2,0]]",
                "/jobs/wholes: found no row for job 'j', which /jobs/gangs names"},
        BadFile{"\"inputs\":[[0,0,1]]", "\"inputs\":[[0,0,1]],\"wholes\":[[0,0,2,1,0,0,1,0,10,2,3]]",
                "/jobs/wholes/0/10: found 3; allowed: a whole number from 0 to 2"},
        BadFile{"\"inputs\":[[0,0,1]]", "\"inputs\":[[0,0,1]],\"wholes\":[[0,0,2,1,0,0,1]]",
                "/jobs/wholes/0: found 7 cells"},
        BadFile{"\"inputs\":[[0,0,1]]", "\"inputs\":[[0,0,1]],\"levels\":[[0,1,0]]",
                "/jobs/levels/0/1: found 1; allowed: a whole number from -1 to 0"},
        BadFile{"\"stores\":{", "\"offers\":[[0,1,0,0,0,-1,4]],\"stores\":{",
                "/offers/0: found cores of a machine without its memory; allowed: both or neither"},
        BadFile{"[[0,0.5],[0.25,0]]", "[[0,0.5]]", "/transfer: found 1 rows; allowed: 2 rows of 2, or none"}));

TEST(SnapshotFile, AMissingFileIsAnErrorWithItsName) {
  const Result<SnapshotFile> read = load_snapshot("/nowhere/s.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::not_found);
  EXPECT_THAT(read.error().message, HasSubstr("/nowhere/s.json"));
}

TEST(SnapshotFile, CutOffTextIsRefusedNotCrashedOn) {
  const std::string text = small_file;
  for (std::size_t length = 0; length < text.size() - 1; length += 7) {
    SCOPED_TRACE(length);
    EXPECT_FALSE(read_snapshot("s.json", text.substr(0, length)));
  }
}

}  // namespace
}  // namespace lips
