// Which of the nodes that could be launched the planner looks at.
#include "policies/lips/supply/offer_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "policies/lips/supply/classes.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct OfferClasses : ::testing::Test {
  ElasticBuilder builder{2};
  ResourceId gpu;

  OfferId offer(const Resources& capacity, double usd_an_hour, ZoneId zone = ZoneId(0)) {
    const OfferId id = builder.offer(zone, usd_an_hour);
    Node& like = builder.start.nodes[builder.start.offers[id].like];
    like.capacity = capacity;
    like.cpu_price = full_packing_price(like.price, like.capacity.cpu, like.speed);
    return id;
  }
  static std::vector<OfferId> looked_at(const ClusterSnapshot& cluster) {
    TimeSlotSettings settings;
    settings.billing = Billing::invoice;
    std::vector<OfferId> offers;
    for (const NodeClass& made : make_classes(cluster, settings).classes)
      if (made.offer.valid()) offers.push_back(made.offer);
    return offers;
  }
  void name_gpus() { gpu = builder.start.extended_names.push_back("nvidia.com/gpu"); }
  Resources with_gpus(Resources amounts, double gpus) const {
    amounts.extended.set(gpu, gpus);
    return amounts;
  }
  static void add(Case& with, int tasks, const Resources& each) {
    JobArrived arrived = job(with.state.snapshot(), {.maps = tasks, .cpu = 100 * each.cpu.value()});
    arrived.job.request = each;
    with.state.apply(arrived);
  }
  // The offer of each request of a node.
  static std::vector<OfferId> asked(Case& with) {
    std::vector<OfferId> offers;
    const Plan plan = with.plan();
    for (const NodeRequest& request : plan.node_requests.value_or(std::vector<NodeRequest>()))
      offers.push_back(request.offer);
    return offers;
  }
};

Resources gibibytes(double cores, double memory, int slots = 110) {
  return {Cores(cores), Mebibytes(memory * 1024), slots};
}

TEST_F(OfferClasses, LeaveOutWhatIsNoBetterThanAnother) {
  const OfferId plain = offer(gibibytes(4, 16), 0.2), lean = offer(gibibytes(4, 8), 0.17);
  offer(gibibytes(4, 16), 0.21);  // dearer
  offer(gibibytes(8, 32), 0.4);   // twice as much of the same
  offer(gibibytes(4, 32), 0.25);  // more memory than any task asks for
  const OfferId elsewhere = offer(gibibytes(4, 16), 0.3, ZoneId(1)), large = offer(gibibytes(16, 64), 1.6);
  Case with("lips", builder);
  JobArrived hungry = job(with.state.snapshot(), {.maps = 2, .cpu = 100});
  hungry.job.request.memory = Mebibytes(3 * 1024);
  with.state.apply(hungry);
  with.add({.maps = 1, .cpu = 100, .cores = 12});
  std::vector<OfferId> found = looked_at(with.state.snapshot());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector{plain, lean, elsewhere, large})) << "only the large one holds the large task";
}

TEST_F(OfferClasses, LeaveOutNothingThatIsNeededBecauseTheBetterOnesAreFew) {
  const OfferId few = offer(gibibytes(4, 16), 0.2), dearer = offer(gibibytes(8, 32), 0.5);
  offer(gibibytes(4, 16), 0.3);
  builder.start.offers[few].left = 3;
  Case with("lips", builder);
  with.add({.maps = 12, .cpu = 100});
  EXPECT_EQ(looked_at(with.state.snapshot()), std::vector{few});
  with.add({.maps = 1, .cpu = 100});
  EXPECT_EQ(looked_at(with.state.snapshot()), (std::vector{few, dearer})) << "which is the next cheapest";
}

// 0.165 USD for three tasks of a core is dearer than 0.34 USD for seven, though not by the core.
TEST_F(OfferClasses, CostWhatTheTasksThatTheyHoldCost) {
  offer(gibibytes(3.9, 16), 0.165);
  const OfferId seven = offer(gibibytes(7.9, 32), 0.34);
  Case with("lips", builder);
  with.add({.maps = 100, .cpu = 100});
  EXPECT_EQ(looked_at(with.state.snapshot()), std::vector{seven});
}

// A task of one core and 7 GiB fills the lean node, and a seventh of the rich one.
TEST_F(OfferClasses, CostTheWholeNodeToWhoeverFillsItsMemory) {
  offer(gibibytes(4, 8), 0.17);
  const OfferId rich = offer(gibibytes(8, 64), 0.5);
  Case with("lips", builder);
  add(with, 40, gibibytes(1, 7, 1));
  EXPECT_THAT(asked(with), Each(rich));
}

// Three of a core and a GiB beside one of a core and 7 GiB fill a node with 10 GiB, where each kind alone would pay
// less elsewhere.
TEST_F(OfferClasses, AreSharedByTasksThatFillThemTogether) {
  const OfferId plain = offer(gibibytes(4, 10), 0.2);
  offer(gibibytes(4, 4), 0.19), offer(gibibytes(4, 28), 0.27);
  Case with("lips", builder);
  add(with, 40, gibibytes(1, 7, 1)), add(with, 120, gibibytes(1, 1, 1));
  EXPECT_THAT(asked(with), Each(plain));
}

// A core of the large one is cheaper, a GPU is not.
TEST_F(OfferClasses, CostTheWholeNodeToWhoeverTakesItsGpu) {
  name_gpus();
  offer(with_gpus(gibibytes(48, 192), 4), 5.7);
  const OfferId small = offer(with_gpus(gibibytes(4, 16), 1), 1.0);
  Case with("lips", builder);
  add(with, 40, with_gpus(gibibytes(1, 2, 1), 1));
  EXPECT_THAT(asked(with), Each(small));
}

// Each task would keep the node that is there from all others.
TEST_F(OfferClasses, AreCheaperForTasksThatFillTheMemoryOfANodeThatIsThere) {
  const NodeId lean = builder.elastic_node(ZoneId(0), 0.17);
  builder.start.nodes[lean].capacity = gibibytes(4, 8);
  const OfferId rich = offer(gibibytes(8, 64), 0.5);
  PolicySettings settings;
  settings.lips.waiting_price = 0.1;
  Case with("lips", builder, settings);
  add(with, 40, gibibytes(1, 7, 1));
  // One task fits the empty node: an autoscaler would launch nothing for it.
  EXPECT_THAT(with.plan().assignments, SizeIs(1));
  EXPECT_THAT(asked(with), Each(rich));
}

// Capacity that is paid anyway is a step of its own, behind all time slots: the plan's cost takes it first, as the
// program does.
TEST_F(OfferClasses, LeavePlansAsCloseToTheirBoundAsWithoutThem) {
  for (const bool in_classes : {false, true}) {
    builder = ElasticBuilder(1);
    offer(gibibytes(4, 16), 0.2);
    for (int i = 0; i < 10; ++i) builder.elastic_node(ZoneId(0), 0.2);
    Case with("lips", builder);
    const JobId running = with.add({.maps = 10, .cpu = 7200});
    for (std::uint32_t i = 0; i < 10; ++i)
      ASSERT_TRUE(with.state.assume({with.task(running, i), NodeId(1 + i), {}, {}}));
    for (int i = 0; i < 5; ++i) {
      const double memory = with.state.snapshot().nodes[NodeId(1)].capacity.memory.value() / 4;
      add(with, 300, {Cores(1), Mebibytes((in_classes ? 1.3 : 0.5) * memory), 1});
    }
    const Plan plan = with.plan();
    EXPECT_GE(plan.account.gap, -1e-9);
    EXPECT_LT(plan.account.gap, 0.05);
  }
}

TEST_F(OfferClasses, OfTheLeastPriceForATaskAreAskedFor) {
  int dearer_by_the_core = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    builder = ElasticBuilder(1);
    name_gpus();
    std::vector<Resources> shapes;
    std::vector<double> prices;
    for (int i = 0; i < 4; ++i) {
      const double cores = std::pow(2, static_cast<double>(1 + random.below(4)));
      const double gpus = seed % 2 == 0 ? static_cast<double>(1 + random.below(8)) : 0;
      shapes.push_back(with_gpus(gibibytes(cores, cores * static_cast<double>(1 + random.below(8)), 110), gpus));
      prices.push_back(cores * random.uniform(0.03, 0.06));
      offer(shapes.back(), prices.back());
    }
    const Resources each = with_gpus(
        gibibytes(0.5 * static_cast<double>(1 + random.below(4)), static_cast<double>(1 + random.below(96)) / 8, 1),
        seed % 2 == 0 ? static_cast<double>(1 + random.below(2)) : 0);
    const auto for_a_task = [&](std::size_t i) {
      const std::int64_t fitting = fit_count(each, shapes[i]);
      return fitting > 0 ? prices[i] / static_cast<double>(fitting) : 1e9;
    };
    double least = 1e9, least_by_core = 1e9, of_least_by_core = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      least = std::min(least, for_a_task(i));
      if (for_a_task(i) == 1e9 || prices[i] / shapes[i].cpu.value() >= least_by_core) continue;
      least_by_core = prices[i] / shapes[i].cpu.value(), of_least_by_core = for_a_task(i);
    }
    if (least == 1e9) continue;
    dearer_by_the_core += of_least_by_core > 1.05 * least;
    PolicySettings settings;
    settings.lips.waiting_price = 0.01;
    Case with("lips", builder, settings);
    add(with, 400, each);
    const std::vector<OfferId> found = asked(with);
    ASSERT_FALSE(found.empty());
    const double most = each.extended.empty() ? 1.02 : 1.25;  // GPUs are counted beside memory, which may round
    for (const OfferId id : found) EXPECT_LE(for_a_task(id.index()), most * least) << "offer " << id.index();
  }
  EXPECT_GT(dearer_by_the_core, 50) << "where memory decides";
}

TEST_F(OfferClasses, KeepOffersOfEachLimitApart) {
  const OfferId cheap = offer(gibibytes(4, 16), 0.2);
  builder.limit_to({.nodes = 1});
  const OfferId dear = offer(gibibytes(4, 16), 0.4);
  Case with("lips", builder);
  with.add({.maps = 2, .cpu = 100});
  EXPECT_EQ(looked_at(with.state.snapshot()), (std::vector{cheap, dear})) << "the cheap one may not be enough";
}

// The rule once more, pair by pair.
bool is_no_better(const ClusterSnapshot& cluster, OfferId one, OfferId other) {
  const Node &a = cluster.nodes[cluster.offers[one].like], &b = cluster.nodes[cluster.offers[other].like];
  if (a.zone != b.zone || a.capacity_type != b.capacity_type) return false;
  const UsableRoom usable(cluster);
  const auto cores_of_use = [&](const Node& node) { return usable.of(node.capacity.cpu).value(); };
  for (const JobId id : cluster.pending) {
    const Resources& request = cluster.jobs[id].request;
    if (fits(request, a.capacity) && !fits(request, b.capacity)) return false;
    // The number of tasks like these a core.
    const double cores = request.cpu.value();
    const auto a_core = [&](const Node& node, double all, double each) {
      return each > 0 ? std::min(all / cores_of_use(node) / each, 1 / cores) : 1 / cores;
    };
    if (a_core(b, b.capacity.memory.value(), request.memory.value()) <
        a_core(a, a.capacity.memory.value(), request.memory.value()) * (1 - 1e-9))
      return false;
    for (const auto& [resource, amount] : request.extended)
      if (a_core(b, b.capacity.extended[resource], amount) <
          a_core(a, a.capacity.extended[resource], amount) * (1 - 1e-9))
        return false;
    if (a_core(b, b.capacity.slots, request.slots) < a_core(a, a.capacity.slots, request.slots) * (1 - 1e-9))
      return false;
  }
  return b.price.value() / cores_of_use(b) <= a.price.value() / cores_of_use(a) * (1 + 1e-9);
}

TEST_F(OfferClasses, HaveABetterOneForEachThatIsLeftOut) {
  std::size_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    builder = ElasticBuilder(2);
    name_gpus();
    for (int i = 0; i < 25; ++i) {
      const double cores = std::pow(2, static_cast<double>(random.below(6)));
      const Resources capacity =
          gibibytes(cores, cores * static_cast<double>(1 + random.below(8)), static_cast<int>(1 + random.below(40)));
      offer(with_gpus(capacity, seed % 2 == 0 ? static_cast<double>(random.below(5)) : 0),
            cores * random.uniform(0.03, 0.06), ZoneId(static_cast<std::uint32_t>(random.below(2))));
    }
    Case with("lips", builder);
    for (int i = 0; i < 3; ++i) {
      JobArrived some = job(with.state.snapshot(), {.maps = 2, .cpu = 100, .cores = 0.5 + 3.0 * random.below(4)});
      some.job.request.memory = Mebibytes(1024 * random.uniform(0, 16));
      if (i == 0 && seed % 4 == 0) some.job.request = with_gpus(some.job.request, 1);
      with.state.apply(some);
    }
    const ClusterSnapshot& cluster = with.state.snapshot();
    const std::vector<OfferId> found = looked_at(cluster);
    for (const OfferId id : cluster.offers.ids()) {
      if (std::find(found.begin(), found.end(), id) != found.end()) continue;
      if (UsableRoom(cluster).of(cluster.nodes[cluster.offers[id].like].capacity.cpu) <= Cores(0)) continue;
      ++left_out;
      EXPECT_TRUE(
          std::any_of(found.begin(), found.end(), [&](OfferId kept) { return is_no_better(cluster, id, kept); }))
          << "offer " << id.index();
    }
  }
  EXPECT_GT(left_out, 1000u);
}

}  // namespace
}  // namespace lips::testing
