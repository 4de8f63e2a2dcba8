// Quotas by lanes come in the same order as one after the other, whatever is taken and passed over.
#include "policies/lips/placing/quota_queue.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/random.h"

namespace lips {
namespace {

constexpr std::uint32_t pools = 4, requests = 3;

// A cluster and a workload of so many portions: only pools and requests count.
struct Lanes {
  ClusterSnapshot cluster;
  Workload workload;

  Lanes(Random& random, std::uint32_t portions) {
    for (std::uint32_t i = 0; i < portions; ++i) {
      Job job;
      job.pool = PoolId(static_cast<std::uint32_t>(random.below(pools)));
      job.request.cpu = Cores(1.0 + static_cast<double>(random.below(requests)));
      cluster.jobs.push_back(job);
      cluster.groups.push_back({TaskGroup{}});
      Portion portion;
      portion.job = JobId(i);
      portion.group = 0;
      portion.commodity = CommodityId(0);
      workload.portions.push_back(portion);
    }
    workload.commodities.push_back(Commodity{});
  }
};

TEST(QuotaQueue, GivesEachWalkTheQuotasInOrderWithoutTheLanesThatArePassedOver) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(derive_seed(seed, 4));
    const Lanes given(random, 1 + static_cast<std::uint32_t>(random.below(40)));
    const Demands demands(given.cluster, given.workload);
    std::vector<Quota> quotas;
    for (const PortionId portion : given.workload.portions.ids())
      quotas.push_back({portion, static_cast<std::uint32_t>(random.below(4))});
    QuotaQueue queue(quotas, demands);
    for (int walk = 0; walk < 60; ++walk) {
      const std::uint64_t out = random.below(1U << (pools * requests));  // lanes, by bits
      queue.restart();
      std::optional<std::uint32_t> taken;
      for (std::uint32_t i = 0; i < quotas.size() && !taken; ++i) {
        const std::uint32_t lane = demands[quotas[i].portion].lane;
        if (quotas[i].tasks == 0 || (out >> lane & 1) != 0) continue;
        while (queue.next() != QuotaQueue::none && (out >> demands[queue[queue.next()].portion].lane & 1) != 0)
          queue.skip_lane();
        ASSERT_EQ(queue.next(), i);
        if (random.below(4) == 0) taken = i;
        queue.skip();
      }
      if (!taken) continue;
      const auto tasks = static_cast<std::uint32_t>(1 + random.below(quotas[*taken].tasks));
      quotas[*taken].tasks -= tasks, queue[*taken].tasks -= tasks;
      queue.settle(*taken);
    }
    std::erase_if(quotas, [](const Quota& quota) { return quota.tasks == 0; });
    EXPECT_EQ(queue.empty(), quotas.empty());
    const std::vector<Quota> left = std::move(queue).left();
    ASSERT_EQ(left.size(), quotas.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].portion, quotas[i].portion);
      EXPECT_EQ(left[i].tasks, quotas[i].tasks);
    }
  }
}

}  // namespace
}  // namespace lips
