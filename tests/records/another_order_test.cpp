// Files with the same content in another order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "records/snapshot_file.h"
#include "records/snapshot_reader_json.h"
#include "records/snapshot_tables.h"
#include "simulation/random_snapshot.h"
#include "tests/model/difference.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

SnapshotTables tables_of(const std::string& text) {
  Problems problems("s.json");
  const auto json = json_tables::parse_json("s.json", text, "a snapshot");
  EXPECT_TRUE(json);
  return read_tables(*json, problems);
}

// Gives each row a name of its own by which it lands anywhere, and knows the old ones.
class Names {
 public:
  explicit Names(std::uint64_t seed) : random_(seed) {}
  template <class Table>
  void draw(Table& table) {
    std::vector<std::size_t> places(table.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    random_.shuffle(std::span(places));
    std::size_t i = 0;
    for (auto& row : table) {
      const std::string drawn = "row-" + std::to_string(places[i++]);
      old_[drawn] = row.name, row.name = drawn;
    }
  }
  template <class Table>
  void restore(Table& table) {
    for (auto& row : table) row.name = old_.at(row.name);
  }
  Random& random() { return random_; }

 private:
  Random random_;
  std::map<std::string, std::string> old_;
};

// Table by table, because each draws the same names.
template <class Table>
void shuffle_by_name(SnapshotTables& tables, Table ClusterSnapshot::*table, Names names) {
  names.draw(tables.start.*table);
  sort_by_name(tables);
  names.restore(tables.start.*table);
}

void shuffle_jobs(SnapshotTables& tables, Names names) {
  std::vector<Job> rows;
  for (const JobArrived& job : tables.jobs) rows.push_back(job.job);
  names.draw(rows);
  std::map<std::string, TimePoint> arrival;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    arrival[rows[i].name] = rows[i].arrival;
    tables.jobs[i].job.name = rows[i].name, tables.jobs[i].job.arrival = TimePoint{};
  }
  sort_by_name(tables);
  for (JobArrived& job : tables.jobs) {
    job.job.arrival = arrival.at(job.job.name);
    std::vector<Job> one{job.job};
    names.restore(one);
    job.job.name = one[0].name;
  }
}

// The numbers of whole jobs say only which parts belong together.
void shuffle_wholes(SnapshotTables& tables, Random& random) {
  std::map<WholeJobId, WholeJobId> other;
  std::vector<std::uint32_t> ids(tables.jobs.size());
  std::iota(ids.begin(), ids.end(), 0u);
  random.shuffle(std::span(ids));
  for (JobArrived& job : tables.jobs)
    if (WholeJobId& id = job.job.whole.id; id.valid())
      id = other.try_emplace(id, WholeJobId(ids[other.size()])).first->second;
}

SnapshotTables shuffled(SnapshotTables tables, std::uint64_t seed) {
  shuffle_by_name(tables, &ClusterSnapshot::zones, Names(derive_seed(seed, 1)));
  shuffle_by_name(tables, &ClusterSnapshot::racks, Names(derive_seed(seed, 2)));
  shuffle_by_name(tables, &ClusterSnapshot::nodes, Names(derive_seed(seed, 3)));
  shuffle_by_name(tables, &ClusterSnapshot::stores, Names(derive_seed(seed, 4)));
  shuffle_by_name(tables, &ClusterSnapshot::data_sets, Names(derive_seed(seed, 5)));
  shuffle_by_name(tables, &ClusterSnapshot::pools, Names(derive_seed(seed, 6)));
  shuffle_jobs(tables, Names(derive_seed(seed, 7)));
  Random random(derive_seed(seed, 8));
  shuffle_wholes(tables, random);
  return tables;
}

SnapshotFile built(SnapshotTables tables) {
  Problems problems("s.json");
  sort_by_name(tables);
  SnapshotFile file = build_snapshot(std::move(tables), problems);
  EXPECT_TRUE(problems.empty());
  return file;
}

struct Pair {
  SnapshotFile one, other;
  explicit Pair(std::uint64_t seed) {
    const testing::RandomWorld world(seed, {60});
    const SnapshotTables tables = tables_of(write_snapshot(world.cluster, world.costs));
    one = built(tables), other = built(shuffled(tables, seed));
  }
};

TEST(SnapshotFile, GivesTheSameSnapshotForTheSameContentInAnotherOrder) {
  std::size_t wholes = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Pair files(seed);
    EXPECT_EQ(testing::difference(files.one.cluster, files.other.cluster), "");
    EXPECT_EQ(write_snapshot(files.one.cluster, files.one.costs),
              write_snapshot(files.other.cluster, files.other.costs));
    for (const Job& job : files.one.cluster.jobs) wholes += job.whole.id.valid();
    if (HasFailure()) return;
  }
  EXPECT_GT(wholes, 100u);
}

class EveryPolicysPlan : public ::testing::TestWithParam<PolicyEntry> {};

TEST_P(EveryPolicysPlan, IsTheSameForTheSameContentInAnotherOrder) {
  const std::unique_ptr<Policy> policy = GetParam().make(PolicySettings{});
  const auto decide = [&](const SnapshotFile& file) {
    std::vector<NodeId> reporting;
    for (const NodeId node : file.cluster.nodes.ids())
      if (file.cluster.nodes[node].schedulable) reporting.push_back(node);
    const Result<Plan> plan = policy->decide({file.cluster, file.costs, 1, reporting, nullptr});
    EXPECT_TRUE(plan.has_value());
    return plan.value_or(Plan{});
  };
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Pair files(seed);
    EXPECT_EQ(testing::difference(decide(files.one), decide(files.other)), "") << "seed " << seed;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicysPlan, ::testing::ValuesIn(policy_registry().begin(), policy_registry().end()),
                         [](const auto& entry) {
                           std::string name(entry.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lips
