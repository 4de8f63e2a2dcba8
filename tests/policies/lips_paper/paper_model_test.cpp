#include "policies/papers/lips_paper/paper_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace lips::paper {
namespace {

using testing::DoubleNear;

// Two places with a machine and a store each; a block at place 0. Prices in round numbers.
struct TwoPlaces {
  Instance instance;
  explicit TwoPlaces(double price_a, double price_b, double transfer) {
    instance.machines = {{0, UsdPerCpuSecond(price_a), CpuSeconds(1e6)},
                         {1, UsdPerCpuSecond(price_b), CpuSeconds(1e6)}};
    instance.stores = {{0}, {1}};
    instance.data = {{Mebibytes(64), {0}}};
    instance.jobs = {{}};
    instance.parts = {{.job = 0, .data = 0, .cpu = CpuSeconds(20), .input = Mebibytes(64)}};
    instance.read_price = {{0, transfer}, {transfer, 0}};
    instance.move_price = instance.read_price;
    instance.horizon = std::chrono::seconds(600);
  }
};

Solution solved(const Instance& instance, const Options& options = {}) {
  const Result<Solution> result = solve(instance, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  if (!result) return {};
  EXPECT_LE(result->violation, 1e-6);
  if (result->feasible) {
    EXPECT_NEAR(result->gap(), 0, 1e-6) << "objective " << result->objective.value() << " bound "
                                        << result->lower_bound.value();
  }
  return *result;
}

double share_on(const Solution& solution, int machine) {
  double share = 0;
  for (const Flow& flow : solution.flows)
    if (flow.machine == machine) share += flow.share;
  return share;
}

TEST(PaperModel, MovesAJobExactlyWhenItsCpuSavesMoreThanTheTransferCosts) {  // Fig. 1: c a > c b + d
  const double transfer = 62.5e-5 / 64;
  const Solution gains = solved(TwoPlaces(4.44e-5, 0.92e-5, transfer).instance);  // Grep, caption's prices: 70.4 > 62.5
  EXPECT_DOUBLE_EQ(share_on(gains, 1), 1);
  EXPECT_THAT(gains.dollars().value(), DoubleNear(20 * 0.92e-5 + 62.5e-5, 1e-12));
  const Solution stays = solved(TwoPlaces(2.22e-5, 0.92e-5, transfer).instance);  // by ECU: 26 < 62.5
  EXPECT_DOUBLE_EQ(share_on(stays, 0), 1);
  EXPECT_THAT(stays.dollars().value(), DoubleNear(20 * 2.22e-5, 1e-12));
  EXPECT_EQ(stays.read.value(), 0);
}

TEST(PaperModel, FillsTheCheapMachineAndSendsTheRestToTheNext) {  // (12), (23)
  TwoPlaces two(1e-5, 3e-5, 0);
  two.instance.machines[0].capacity = CpuSeconds(15);
  const Solution solution = solved(two.instance);
  EXPECT_NEAR(share_on(solution, 0), 0.75, 1e-9);
  EXPECT_NEAR(share_on(solution, 1), 0.25, 1e-9);
  EXPECT_NEAR(solution.machine_shadow[0].value(), 2e-5, 1e-12) << "a further CPU-second there saves the difference";
  EXPECT_EQ(solution.machine_shadow[1].value(), 0);
}

TEST(PaperModel, PutsOnlyTheOverloadOnTheFakeNode) {
  TwoPlaces two(1e-5, 3e-5, 0);
  two.instance.machines[0].capacity = CpuSeconds(10);
  two.instance.machines[1].capacity = CpuSeconds(6);
  const Solution solution = solved(two.instance);
  EXPECT_NEAR(solution.waiting[0], 0.2, 1e-9);
  EXPECT_NEAR(solution.overflow.value(), 4 * 10 * 3e-5, 1e-12) << "ten times the dearest price";
  Options without;
  without.overflow = false;
  EXPECT_FALSE(solved(two.instance, without).feasible);
}

TEST(PaperModel, LetsTheOlderJobRunFirstUnderOverload) {
  TwoPlaces two(1e-5, 1e-5, 0);
  two.instance.jobs = {{}, {.ageing = 2}};
  two.instance.parts.push_back({.job = 1, .cpu = CpuSeconds(20)});
  two.instance.machines[0].capacity = CpuSeconds(20);
  two.instance.machines[1].capacity = CpuSeconds(0);
  const Solution solution = solved(two.instance);
  EXPECT_NEAR(solution.waiting[0], 1, 1e-9);
  EXPECT_NEAR(solution.waiting[1], 0, 1e-9);
}

TEST(PaperModel, CountsTheCpuOfAJobWithoutInputUnlessTakenLiterally) {  // (12), (23): Pi
  TwoPlaces two(1e-5, 3e-5, 0);
  two.instance.parts = {{.job = 0, .cpu = CpuSeconds(20)}};
  two.instance.machines[0].capacity = CpuSeconds(5);
  EXPECT_NEAR(share_on(solved(two.instance), 0), 0.25, 1e-9);
  Options literal;
  literal.cpu = CpuCount::per_input;
  EXPECT_NEAR(share_on(solved(two.instance, literal), 0), 1, 1e-9);
}

TEST(PaperModel, RunsAJobOnlyOnTheKindsThatMayTakeIt) {
  TwoPlaces two(1e-5, 3e-5, 0);
  two.instance.machines[1].kind = 1;
  two.instance.jobs[0].kinds = {0, 1};
  EXPECT_DOUBLE_EQ(share_on(solved(two.instance), 1), 1);
}

// One reader has nothing to gain from a copy; two readers share its price.
TEST(PaperModel, MovesDataThatSeveralJobsReadAndReadsItFromTheNewPlace) {  // (13), (16), (24)
  TwoPlaces two(10e-5, 1e-5, 1e-5);
  two.instance.machines[0].capacity = CpuSeconds(0);
  EXPECT_TRUE(solved(two.instance).moves.empty());
  two.instance.jobs.push_back({});
  two.instance.parts.push_back({.job = 1, .data = 0, .cpu = CpuSeconds(30), .input = Mebibytes(64)});
  const Solution shared = solved(two.instance);
  ASSERT_EQ(shared.moves.size(), 1U);
  EXPECT_EQ(shared.moves[0].store, 1);
  EXPECT_NEAR(shared.moves[0].share, 1, 1e-9);
  for (const Flow& flow : shared.flows) EXPECT_EQ(flow.store, 1);
  EXPECT_NEAR(shared.move.value(), 64e-5, 1e-12) << "once, times its size";
  EXPECT_EQ(shared.read.value(), 0);
  Options fig2;
  fig2.moves = false;
  const Solution simple = solved(two.instance, fig2);
  EXPECT_TRUE(simple.moves.empty());
  EXPECT_NEAR(simple.read.value(), 2 * 64e-5, 1e-12);
}

TEST(PaperModel, ForgetsTheSizeInTheMoveTermOnlyWhenTakenLiterally) {  // (6), (16)
  TwoPlaces two(10e-5, 1e-5, 1e-5);
  two.instance.machines[0].capacity = CpuSeconds(0);
  Options literal;
  literal.move_term = MoveTerm::per_portion;
  const Solution solution = solved(two.instance, literal);
  EXPECT_NEAR(solution.move.value(), 1e-5, 1e-14) << "a move costs one MiB's price, so even one reader buys it";
}

TEST(PaperModel, KeepsWithinTheSpaceOfAStore) {  // (11), (22)
  TwoPlaces two(10e-5, 1e-5, 1e-5);
  two.instance.machines[0].capacity = CpuSeconds(0);
  two.instance.jobs.push_back({});
  two.instance.parts.push_back({.job = 1, .data = 0, .cpu = CpuSeconds(30), .input = Mebibytes(64)});
  two.instance.stores[1] = {1, true, Mebibytes(16)};
  const Solution solution = solved(two.instance);
  ASSERT_EQ(solution.moves.size(), 1U);
  EXPECT_NEAR(solution.moves[0].share, 0.25, 1e-9);
  EXPECT_NEAR((solution.read + solution.move).value(), 0.25 * 64e-5 + 2 * 0.75 * 64e-5, 1e-12);
}

TEST(PaperModel, LetsTheOriginalGoOnlyWhenAllStoredDataCounts) {  // (9), (19) as printed
  TwoPlaces two(1e-5, 1e-5, 1e-5);
  two.instance.stores[0] = {0, true, Mebibytes(16)};
  EXPECT_TRUE(solved(two.instance).moves.empty());
  Options literal;
  literal.space = StoreSpace::everything;
  const Solution solution = solved(two.instance, literal);
  ASSERT_EQ(solution.moves.size(), 1U) << "three quarters do not fit where they are";
  EXPECT_NEAR(solution.moves[0].share, 0.75, 1e-9);
}

TEST(PaperModel, ReadsTheFractionOfTheDataThatAJobNeeds) {  // JD < 1
  TwoPlaces two(10e-5, 1e-5, 1e-5);
  two.instance.machines[0].capacity = CpuSeconds(0);
  two.instance.parts[0].input = Mebibytes(16);
  for (int i = 0; i < 5; ++i) {
    two.instance.jobs.push_back({});
    two.instance.parts.push_back({.job = i + 1, .data = 0, .cpu = CpuSeconds(30), .input = Mebibytes(16)});
  }
  EXPECT_NEAR((solved(two.instance).move).value(), 64e-5, 1e-12)
      << "every block: six readers of a quarter pay for a copy";
  Options some;
  some.access = PartialAccess::any_blocks;
  const Solution quarter = solved(two.instance, some);
  EXPECT_NEAR(quarter.move.value(), 16e-5, 1e-12) << "any quarter serves all of them";
}

TEST(PaperModel, ReadsEachOfSeveralDataSetsWhereItIsUnlessInputsAreJoint) {  // (13), (24)
  TwoPlaces two(1e-5, 1e-5, 1e-5);
  two.instance.data.push_back({Mebibytes(64), {1}});
  two.instance.parts.push_back({.job = 0, .data = 1, .cpu = CpuSeconds(20), .input = Mebibytes(64)});
  const Solution own = solved(two.instance);
  EXPECT_EQ((own.read + own.move).value(), 0);
  Options joint;
  joint.inputs = SeveralInputs::joint;
  const Solution together = solved(two.instance, joint);
  EXPECT_NEAR(together.move.value(), 64e-5, 1e-12) << "both have to be read from one store";
  Options fig2 = joint;
  fig2.moves = false;
  EXPECT_NEAR(solved(two.instance, fig2).waiting[0], 1, 1e-9) << "without moves they never meet";
}

TEST(PaperModel, BoundsWhatCrossesALink) {
  TwoPlaces two(10e-5, 1e-5, 1e-6);
  two.instance.link = {{0, 32.0 / 600}, {32.0 / 600, 0}};  // half of the block in the horizon
  EXPECT_NEAR(share_on(solved(two.instance), 1), 0.5, 1e-9);
  Options free;
  free.transfer = TransferLimit::none;
  EXPECT_NEAR(share_on(solved(two.instance, free), 1), 1, 1e-9);
}

TEST(PaperModel, BoundsEachJobsTransferTimeOnAMachineOnlyWhenTakenLiterally) {  // (21)
  TwoPlaces two(10e-5, 1e-5, 1e-6);
  two.instance.machines[1].count = 2;
  two.instance.stream = {{0, 16.0 / 600}, {16.0 / 600, 0}};  // a quarter of the block on each of two machines
  Options literal;
  literal.transfer = TransferLimit::per_job_and_machine;
  literal.moves = false;
  EXPECT_NEAR(share_on(solved(two.instance, literal), 1), 0.5, 1e-9);
  literal.moves = true;
  EXPECT_NEAR(share_on(solved(two.instance, literal), 1), 1, 1e-9) << "dodged by moving first";
  two.instance.link = {{0, 16.0 / 600}, {16.0 / 600, 0}};
  EXPECT_NEAR(share_on(solved(two.instance), 1), 0.25, 1e-9) << "the link's traffic cannot be dodged";
}

TEST(PaperModel, TakesTasksWithoutCpuAsTasks) {
  TwoPlaces two(1e-5, 1e-5, 1e-5);
  two.instance.parts = {{.job = 0, .data = 0, .cpu = CpuSeconds(0), .input = Mebibytes(64), .tasks = 4}};
  two.instance.machines[0].capacity = CpuSeconds(0);
  const Solution solution = solved(two.instance);
  EXPECT_NEAR(share_on(solution, 0), 1, 1e-9);
}

TEST(PaperModel, RefusesAnInstanceThatContradictsItself) {
  TwoPlaces two(1e-5, 1e-5, 1e-5);
  two.instance.data[0].origins.clear();
  const Result<Solution> nowhere = solve(two.instance);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::invalid_input);
}

// Random instances: several jobs a data object, several objects a job, selectors, tight CPU, little space.
Instance random_instance(std::uint64_t seed) {
  Random random(seed);
  Instance instance;
  const int places = 2 + static_cast<int>(random.below(3));
  for (PlaceMatrix* matrix : {&instance.read_price, &instance.link, &instance.stream})
    matrix->assign(places, std::vector<double>(places, 0));
  const bool narrow = random.below(2) == 0;
  for (int a = 0; a < places; ++a)
    for (int b = 0; b < places; ++b) {
      if (a == b) continue;
      instance.read_price[a][b] = random.uniform(0.2e-5, 2e-5);
      instance.stream[a][b] = random.uniform(0.05, 1);
      if (narrow) instance.link[a][b] = random.uniform(0.05, 2);
    }
  instance.move_price = instance.read_price;
  instance.horizon = std::chrono::seconds(600);
  for (int l = 0; l < 3 + static_cast<int>(random.below(5)); ++l)
    instance.machines.push_back({static_cast<int>(random.below(places)), UsdPerCpuSecond(random.uniform(0.5e-5, 6e-5)),
                                 CpuSeconds(random.uniform(0, 1200)), static_cast<int>(random.below(2)), 1});
  for (int m = 0; m < places; ++m)
    instance.stores.push_back({m, random.below(3) == 0, Mebibytes(random.uniform(0, 400))});
  for (int i = 0; i < 4; ++i) {
    std::vector<int> origins{static_cast<int>(random.below(places))};
    if (random.below(3) == 0 && origins[0] + 1 < places) origins.push_back(origins[0] + 1);
    instance.data.push_back({Mebibytes(64.0 * static_cast<double>(1 + random.below(5))), origins});
  }
  const double rates[] = {20, 37, 75, 90};
  for (int k = 0; k < 2 + static_cast<int>(random.below(6)); ++k) {
    instance.jobs.push_back({random.below(4) == 0 ? std::vector<std::uint8_t>{1, 0} : std::vector<std::uint8_t>{},
                             static_cast<double>(1 + random.below(3))});
    const int parts = 1 + static_cast<int>(random.below(2));
    for (int p = 0; p < parts; ++p) {
      Part part{.job = k, .data = static_cast<int>(random.below(5)) - 1};
      if (part.data >= 0) part.input = instance.data[part.data].size * (random.below(4) == 0 ? 0.5 : 1);
      const double rate = rates[random.below(4)];
      part.cpu = CpuSeconds(part.data >= 0 ? part.input.value() / 64 * rate : rate * 3);
      part.tasks = static_cast<double>(1 + random.below(5));
      instance.parts.push_back(part);
    }
  }
  return instance;
}

TEST(PaperModel, LosesNothingByItsReductions) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Instance instance = random_instance(seed);
    for (TransferLimit limit : {TransferLimit::none, TransferLimit::per_link, TransferLimit::per_job_and_machine})
      for (bool moves : {false, true}) {
        Options options;
        options.moves = moves;
        options.transfer = limit;
        const Solution reduced = solved(instance, options);
        options.reduce = false;
        const Solution whole = solved(instance, options);
        EXPECT_NEAR(reduced.objective.value(), whole.objective.value(), 1e-7 * whole.objective.value());
      }
  }
}

// The parts of a solution add up: every part once, no machine above its capacity, nothing read from where it is not.
TEST(PaperModel, AnswersWithinItsConstraints) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const Instance instance = random_instance(seed);
    const Solution solution = solved(instance);
    std::vector<double> served = solution.waiting, used(instance.machines.size(), 0);
    for (const Flow& flow : solution.flows) {
      served[flow.part] += flow.share;
      const Part& part = instance.parts[flow.part];
      used[flow.machine] += flow.share * part.cpu.value();
      ASSERT_EQ(flow.store >= 0, part.data >= 0);
      if (flow.store < 0) continue;
      const std::vector<int>& origins = instance.data[part.data].origins;
      double there = std::count(origins.begin(), origins.end(), flow.store) > 0 ? 1 : 0;
      for (const Move& move : solution.moves)
        if (move.data == part.data && move.store == flow.store) there += move.share;
      double read = 0;
      for (const Flow& other : solution.flows)
        if (other.part == flow.part && other.store == flow.store) read += other.share;
      EXPECT_LE(read, there + 1e-6);
    }
    for (double share : served) EXPECT_NEAR(share, 1, 1e-6);
    for (std::size_t l = 0; l < used.size(); ++l) EXPECT_LE(used[l], instance.machines[l].capacity.value() + 1e-4);
  }
}

}  // namespace
}  // namespace lips::paper
