#include "shadow/job_exchange.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/random.h"

namespace lips {
namespace {

constexpr ZoneId a{0}, b{1}, c{2}, nowhere = ZoneId::none();

CostModel a_cent_a_mebibyte() { return uniform_costs(3, UsdPerMebibyte(0.01)); }

Job peers(std::uint32_t pods, double mebibytes) {
  Job job;
  job.map_tasks = pods, job.shuffle = Mebibytes(mebibytes);
  job.whole.peers = true, job.whole.maps = pods;
  return job;
}

class Exchanging {
 public:
  explicit Exchanging(Job job, std::optional<Mebibytes> a_cpu_second = {})
      : job_(std::move(job)), a_cpu_second_(a_cpu_second) {}
  // At each look, all pods that are there.
  JobExchange::Dollars look(const std::vector<JobExchange::Pod>& pods, std::size_t first_new = 0) {
    exchange_.begin();
    exchange_.look(job_, a_cpu_second_);
    for (std::size_t i = first_new; i < pods.size(); ++i) exchange_.arrived(pods[i].kind, pods[i].weight);
    for (const JobExchange::Pod& pod : pods) exchange_.add(pod);
    return exchange_.change(a_cent_a_mebibyte());
  }
  const JobExchange& exchange() const { return exchange_; }

 private:
  const Job job_;
  const std::optional<Mebibytes> a_cpu_second_;
  JobExchange exchange_;
};

JobExchange::Pod peer(ZoneId actual, ZoneId planned, double done, bool ended = false) {
  return {TaskKind::map, 1, actual, planned, CpuSeconds(100 * done), done, ended};
}

TEST(JobExchange, PricesWhatPeersInSeveralZonesExchangeWhereTheyRanAndWhereTheyWerePlanned) {
  Exchanging job(peers(4, 1000));
  const auto dollars = job.look({peer(a, c, 1, true), peer(a, c, 1, true), peer(b, c, 1, true), peer(b, a, 1, true)});
  EXPECT_NEAR(dollars.actual.shuffle.value(), 1000 * 0.01 * 0.5, 1e-12);
  EXPECT_NEAR(dollars.planned.shuffle.value(), 1000 * 0.01 * 2 * 0.75 * 0.25, 1e-12);
  EXPECT_EQ(dollars.actual.shuffle_assumed.value(), 0);
}

TEST(JobExchange, GrowsWithTheWorkOfRunningPeersAndIsToldOnce) {
  Exchanging job(peers(2, 1000));
  const auto half = job.look({peer(a, a, 0.5), peer(b, a, 0.5)});
  EXPECT_NEAR(half.actual.shuffle.value(), 500 * 0.01 * 0.5, 1e-12);
  EXPECT_EQ(half.planned.shuffle.value(), 0);
  EXPECT_EQ(job.look({peer(a, a, 0.5), peer(b, a, 0.5)}, 2).actual.shuffle.value(), 0) << "nothing new";
  const auto rest = job.look({peer(a, a, 1, true), peer(b, a, 1, true)}, 2);
  EXPECT_NEAR((half.actual.shuffle + rest.actual.shuffle).value(), 1000 * 0.01 * 0.5, 1e-12);
  EXPECT_NEAR(job.look({}, 0).actual.shuffle.value(), 0, 1e-12) << "what ended stays counted";
}

// Two of ten have arrived, so the others will exchange eight tenths.
TEST(JobExchange, LeavesTheirPartToPeersThatAreToCome) {
  Exchanging job(peers(10, 1000));
  const auto first = job.look({peer(a, b, 1), peer(b, b, 1)});
  EXPECT_NEAR(first.actual.shuffle.value(), 200 * 0.01 * 0.5, 1e-12);
}

// The exchange of one of two pods with another that is not compared costs the plan what it cost.
TEST(JobExchange, SavesNothingBetweenPodsOfWhichOneIsNotCompared) {
  Exchanging job(peers(3, 900));
  const auto dollars = job.look({peer(a, c, 1, true), peer(b, c, 1, true), peer(c, nowhere, 1, true)});
  EXPECT_NEAR(dollars.actual.shuffle.value(), 900 * 0.01 * 2 / 3, 1e-12);
  EXPECT_NEAR(dollars.planned.shuffle.value(), 900 * 0.01 * 4 / 9, 1e-12) << "two of the three pairs stay as they were";
}

TEST(JobExchange, TakesBytesByCpuTimeWhereNobodySaysHowMuch) {
  Exchanging job(peers(2, 77), Mebibytes(3));
  const auto dollars = job.look({peer(a, a, 1), peer(b, a, 3)});
  EXPECT_NEAR(dollars.actual.shuffle_assumed.value(), 400 * 3 * 0.01 * 2 * 0.25 * 0.75, 1e-12);
  EXPECT_EQ(dollars.actual.shuffle.value(), 0) << "of declared bytes there are none";
}

// 4 maps leave 800 MiB; one of two reduces has read its half where it ran, and would have read nothing from afar.
TEST(JobExchange, LetsEachReduceReadItsShareOfTheMapOutput) {
  Job job;
  job.map_tasks = 4, job.reduce_tasks = 2, job.shuffle = Mebibytes(800);
  Exchanging exchanging(job);
  std::vector<JobExchange::Pod> pods;
  for (const ZoneId zone : {a, a, a, b}) pods.push_back({TaskKind::map, 1, zone, c, CpuSeconds(1), 1, true});
  EXPECT_EQ(exchanging.look(pods).actual.shuffle.value(), 0) << "nobody has read yet";
  const auto half = exchanging.look({{TaskKind::reduce, 1, b, c, CpuSeconds(5), 0.5, false}});
  EXPECT_NEAR(half.actual.shuffle.value(), 0.5 * 400 * 0.75 * 0.01, 1e-12);
  EXPECT_EQ(half.planned.shuffle.value(), 0);
  const auto rest = exchanging.look({{TaskKind::reduce, 1, b, c, CpuSeconds(5), 1, true}}, 1);
  EXPECT_NEAR((half.actual.shuffle + rest.actual.shuffle).value(), 400 * 0.75 * 0.01, 1e-12);
  const PeersByZone planned = exchanging.exchange().planned_maps();
  EXPECT_EQ(planned[a], 0);
  EXPECT_EQ(planned[c], 4);
}

// Whatever pods do meanwhile, in the end both cost what the cost model says of where all of them were.
class RandomExchange : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomExchange, EndsAtThePriceOfTheWholeExchange) {
  Random random(GetParam());
  const std::uint32_t count = 2 + static_cast<std::uint32_t>(random.below(8));
  Exchanging job(peers(count, 1000));
  std::vector<JobExchange::Pod> pods;
  PeersByZone ran(3, 0), planned(3, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    pods.push_back(peer(ZoneId(static_cast<std::uint32_t>(random.below(3))),
                        ZoneId(static_cast<std::uint32_t>(random.below(3))), 0));
    pods.back().weight = i == 0 ? 0.1 : 1;
    ran[pods.back().actual] += pods.back().weight, planned[pods.back().planned] += pods.back().weight;
  }
  JobExchange::Dollars sum;
  std::vector<JobExchange::Pod> there = pods;
  for (std::size_t fresh = 0; !there.empty(); fresh = there.size()) {
    for (JobExchange::Pod& pod : there) {
      pod.done = std::min(1.0, pod.done + 0.25 * random.uniform());
      pod.ended = random.below(5) == 0;
      if (pod.ended) pod.done = 1;
    }
    const auto more = job.look(there, fresh);
    sum.actual += more.actual, sum.planned += more.planned;
    EXPECT_GT(sum.actual.shuffle.value(), -1e-9);
    std::erase_if(there, [](const JobExchange::Pod& pod) { return pod.ended; });
  }
  const CostModel costs = a_cent_a_mebibyte();
  EXPECT_NEAR(sum.actual.shuffle.value(), exchange_cost(costs, Mebibytes(1000), ran).value(), 1e-9);
  EXPECT_NEAR(sum.planned.shuffle.value(), exchange_cost(costs, Mebibytes(1000), planned).value(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExchange, testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace lips
