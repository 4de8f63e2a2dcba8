// Every policy decides the same when what is remembered was kept as text in the cluster and read from there.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kubernetes/adapter/memory_text.h"
#include "tests/model/difference.h"
#include "tests/records/rough_day.h"

namespace lips::kubernetes {
namespace {

using lips::testing::difference;

JobMemory through_text(const JobMemory& memory, const ClusterSnapshot& cluster) {
  const StoredMemory read =
      read_memory(memory_text(memory, memory.home.valid() ? cluster.zones[memory.home].name : ""));
  JobMemory result = read.memory;
  for (const ZoneId zone : cluster.zones.ids())
    if (cluster.zones[zone].name == read.home) result.home = zone;
  return result;
}

class RememberingPolicy : public ::testing::TestWithParam<std::string> {};

TEST_P(RememberingPolicy, DecidesTheSameFromWhatIsKeptInTheCluster) {
  bool jobs = false, shares = false;
  int decisions = 0;
  for (const std::string& text : {std::string(lips::testing::rough_day), lips::testing::coded_day()}) {
    const simulation::Scenario day = lips::testing::scenario(text);
    const std::unique_ptr<Policy> fresh = *make_policy(GetParam(), day.settings);
    lips::testing::run(day, GetParam(), [&](const PolicyInput& input, const Plan& plan) {
      for (const Job& job : input.cluster.jobs) jobs |= !(job.memory == JobMemory{});
      shares |= input.cluster.shares.has_value();
      if (HasFailure() || ++decisions % 3 != 1) return;
      ClusterSnapshot kept = input.cluster;
      for (Job& job : kept.jobs) job.memory = through_text(job.memory, kept);
      if (kept.shares)
        kept.shares = read_shares(shares_text({*kept.shares, std::vector<std::string>(kept.pools.size())}))->shares;
      ASSERT_EQ(difference(kept, input.cluster), "");
      const Result<Plan> again = fresh->decide({kept, input.costs, input.seed, input.reporting, nullptr});
      ASSERT_TRUE(again);
      EXPECT_EQ(difference(*again, plan), "") << "at " << to_seconds(input.cluster.now) << " s";
    });
  }
  EXPECT_GT(decisions, 1);
  const std::set<std::string> by_job{"delay", "fair", "capacity", "modified-fair", "lips"};
  EXPECT_TRUE(jobs || !by_job.contains(GetParam())) << "the day shows nothing of what this policy remembers";
  EXPECT_TRUE(shares || GetParam() != "modified-fair");
}

std::vector<std::string> online_policies() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_registry())
    if (!entry.name.starts_with("lips-offline")) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, RememberingPolicy, ::testing::ValuesIn(online_policies()),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lips::kubernetes
