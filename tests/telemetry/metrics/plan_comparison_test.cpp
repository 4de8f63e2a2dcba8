#include "telemetry/metrics/plan_comparison.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

// Two zones of one node each, and a job of two peers that exchange 1000 MiB.
ClusterSnapshot two_peers() {
  ClusterSnapshot cluster;
  Pool pool;
  pool.name = "etl";
  Job job;
  job.name = "spark", job.pool = cluster.pools.push_back(pool);
  job.request = {Cores(1), Mebibytes(1)};
  job.first_task = TaskId(0), job.map_tasks = 2;
  job.shuffle = Mebibytes(1000);
  job.whole.id = WholeJobId(0), job.whole.peers = true;
  const JobId id = cluster.jobs.push_back(job);
  for (const char* name : {"a", "b"}) {
    Node node;
    node.zone = cluster.zones.push_back({name});
    node.cpu_price = UsdPerCpuSecond(1);
    cluster.nodes.push_back(node);
    Task task;
    task.job = id, task.cpu = CpuSeconds(3), task.state = TaskState::pending;
    cluster.tasks.push_back(task);
  }
  return cluster;
}

Plan on(NodeId first, NodeId second) {
  Plan plan;
  plan.assignments = {{TaskId(0), first, StoreId::none(), StoreId::none()},
                      {TaskId(1), second, StoreId::none(), StoreId::none()}};
  return plan;
}

TEST(ComparePlans, ChargesPeersForTheirExchange) {
  const ClusterSnapshot cluster = two_peers();
  const CostModel costs = uniform_costs(2, UsdPerMebibyte(0.01));
  const NodeId here(0), there(1);
  const auto apart = compare_plans(cluster, costs, on(here, here), on(here, there));
  ASSERT_EQ(apart.size(), 2u);
  for (const ComparedTask& task : apart) {
    EXPECT_EQ(task.our_exchange, Usd(0));
    EXPECT_NEAR(task.theirs.shuffle.value(), 1000 * 0.01 / 2 / 2, 1e-12) << "half crosses zones, each has half of that";
    EXPECT_EQ(task.theirs.cpu, Usd(3));
  }
  const auto the_other_way = compare_plans(cluster, costs, on(here, there), on(there, there));
  for (const ComparedTask& task : the_other_way) {
    EXPECT_NEAR(task.our_exchange.value(), 2.5, 1e-12);
    EXPECT_EQ(task.theirs.shuffle, Usd(0));
  }
}

TEST(ComparePlans, LeavesOutPeersThatOneOfThemDoesNotPlace) {
  const ClusterSnapshot cluster = two_peers();
  const CostModel costs = uniform_costs(2, UsdPerMebibyte(0.01));
  Plan one = on(NodeId(0), NodeId(1));
  one.assignments.pop_back();
  const auto compared = compare_plans(cluster, costs, on(NodeId(0), NodeId(1)), one);
  ASSERT_EQ(compared.size(), 1u);
  EXPECT_EQ(compared[0].our_exchange, Usd(0)) << "one peer alone exchanges nothing";
}

}  // namespace
}  // namespace lips
