#include "model/nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "model/leaving.h"

namespace lips {
namespace {

using Operator = LabelRequirement::Operator;

NodeProfile profile() { return {{{"cores", "16"}, {"disk", "ssd"}, {"zone", "a"}}, {}}; }

struct AffinityCase {
  const char* name;
  PlacementConstraint constraint;
  bool eligible;
};

// As kube-scheduler's NodeAffinity filter decides it (component-helpers nodeaffinity, labels.Requirement.Matches).
const AffinityCase affinity_cases[] = {
    {"nothing asked", {}, true},
    {"In, listed", {{{"disk", Operator::in, {"hdd", "ssd"}}}, {}, {}}, true},
    {"In, not listed", {{{"disk", Operator::in, {"hdd"}}}, {}, {}}, false},
    {"In, no such label", {{{"gpu", Operator::in, {"a100"}}}, {}, {}}, false},
    {"NotIn, listed", {{{"disk", Operator::not_in, {"ssd"}}}, {}, {}}, false},
    {"NotIn, not listed", {{{"disk", Operator::not_in, {"hdd"}}}, {}, {}}, true},
    {"NotIn, no such label", {{{"gpu", Operator::not_in, {"a100"}}}, {}, {}}, true},
    {"Exists", {{{"disk", Operator::exists, {}}}, {}, {}}, true},
    {"Exists, no such label", {{{"gpu", Operator::exists, {}}}, {}, {}}, false},
    {"DoesNotExist", {{{"disk", Operator::does_not_exist, {}}}, {}, {}}, false},
    {"DoesNotExist, no such label", {{{"gpu", Operator::does_not_exist, {}}}, {}, {}}, true},
    {"Gt", {{{"cores", Operator::greater, {"8"}}}, {}, {}}, true},
    {"Gt, equal", {{{"cores", Operator::greater, {"16"}}}, {}, {}}, false},
    {"Gt, no such label", {{{"gpu", Operator::greater, {"0"}}}, {}, {}}, false},
    {"Gt, label is no number", {{{"disk", Operator::greater, {"0"}}}, {}, {}}, false},
    {"Gt, value is no number", {{{"cores", Operator::greater, {"few"}}}, {}, {}}, false},
    {"Gt, value with a blank", {{{"cores", Operator::greater, {" 8"}}}, {}, {}}, false},
    {"Gt, value beyond 64 bits", {{{"cores", Operator::less, {"99999999999999999999"}}}, {}, {}}, false},
    {"Gt, two values", {{{"cores", Operator::greater, {"1", "2"}}}, {}, {}}, false},
    {"Lt", {{{"cores", Operator::less, {"32"}}}, {}, {}}, true},
    {"Lt, equal", {{{"cores", Operator::less, {"16"}}}, {}, {}}, false},
    {"all of the selector", {{{"disk", Operator::in, {"ssd"}}, {"zone", Operator::in, {"b"}}}, {}, {}}, false},
    {"one of the terms", {{}, {{{"zone", Operator::in, {"b"}}}, {{"zone", Operator::in, {"a"}}}}, {}}, true},
    {"none of the terms", {{}, {{{"zone", Operator::in, {"b"}}}, {{"zone", Operator::in, {"c"}}}}, {}}, false},
    {"a term is met whole", {{}, {{{"zone", Operator::in, {"a"}}, {"disk", Operator::in, {"hdd"}}}}, {}}, false},
    {"an empty term matches nothing", {{}, {{}}, {}}, false},
    {"an empty term beside a good one", {{}, {{}, {{"zone", Operator::in, {"a"}}}}, {}}, true},
    {"selector and terms both", {{{"disk", Operator::in, {"hdd"}}}, {{{"zone", Operator::in, {"a"}}}}, {}}, false},
};

TEST(Eligible, FollowsNodeAffinity) {
  for (const AffinityCase& c : affinity_cases) EXPECT_EQ(eligible(c.constraint, profile()), c.eligible) << c.name;
}

struct TaintCase {
  const char* name;
  Taint taint;
  std::vector<Toleration> tolerations;
  bool eligible;
};

// As kube-scheduler's TaintToleration filter decides it (Toleration.ToleratesTaint).
const TaintCase taint_cases[] = {
    {"NoSchedule repels", {"dedicated", "batch", "NoSchedule"}, {}, false},
    {"NoExecute repels", {"dedicated", "batch", "NoExecute"}, {}, false},
    {"PreferNoSchedule does not", {"dedicated", "batch", "PreferNoSchedule"}, {}, true},
    {"equal key, value and effect",
     {"dedicated", "batch", "NoSchedule"},
     {{"dedicated", "batch", "NoSchedule", false}},
     true},
    {"another value", {"dedicated", "batch", "NoSchedule"}, {{"dedicated", "web", "NoSchedule", false}}, false},
    {"another key", {"dedicated", "batch", "NoSchedule"}, {{"team", "batch", "NoSchedule", false}}, false},
    {"another effect", {"dedicated", "batch", "NoSchedule"}, {{"dedicated", "batch", "NoExecute", false}}, false},
    {"any effect", {"dedicated", "batch", "NoSchedule"}, {{"dedicated", "batch", "", false}}, true},
    {"Exists takes any value", {"dedicated", "batch", "NoSchedule"}, {{"dedicated", "", "NoSchedule", true}}, true},
    {"Exists without a key takes all", {"dedicated", "batch", "NoSchedule"}, {{"", "", "", true}}, true},
    {"Exists without a key, another effect",
     {"dedicated", "batch", "NoSchedule"},
     {{"", "", "NoExecute", true}},
     false},
    {"no key and not Exists takes none", {"dedicated", "", "NoSchedule"}, {{"", "", "", false}}, false},
    {"one of several tolerations", {"a", "", "NoSchedule"}, {{"b", "", "", true}, {"a", "", "", true}}, true},
};

TEST(Eligible, FollowsTaintsAndTolerations) {
  for (const TaintCase& c : taint_cases)
    EXPECT_EQ(eligible({{}, {}, c.tolerations}, {{}, {c.taint}}), c.eligible) << c.name;
}

TEST(Eligible, NeedsEveryTaintTolerated) {
  const NodeProfile two{{}, {{"a", "", "NoSchedule"}, {"b", "", "NoSchedule"}}};
  EXPECT_FALSE(eligible({{}, {}, {{"a", "", "", true}}}, two));
  EXPECT_TRUE(eligible({{}, {}, {{"a", "", "", true}, {"b", "", "", true}}}, two));
}

TEST(Eligible, TakesNothingNewWhereTheNodeLeavesWhateverIsTolerated) {
  const Toleration all{"", "", "", true};
  for (const char* key : leaving_taints)
    for (const char* effect : {"NoSchedule", "NoExecute", "PreferNoSchedule"}) {
      const NodeProfile leaves{{}, {{key, "", effect}, {"other", "", "NoSchedule"}}};
      EXPECT_FALSE(eligible({{}, {}, {all, {key, "", "", true}}}, leaves)) << key << ' ' << effect;
    }
  EXPECT_TRUE(eligible({{}, {}, {all}}, {{}, {{"DeletionCandidateOfClusterAutoscaler", "", "NoSchedule"}}}))
      << "it may stay";
}

TEST(FitCount, TakesTheScarcestResource) {
  const Resources free{Cores(4), Mebibytes(1000), 10};
  EXPECT_EQ(fit_count({Cores(1), Mebibytes(100), 1}, free), 4);
  EXPECT_EQ(fit_count({Cores(1), Mebibytes(400), 1}, free), 2);
  EXPECT_EQ(fit_count({Cores(0.1), Mebibytes(1), 1}, free), 10);
  EXPECT_EQ(fit_count({Cores(5), Mebibytes(1), 1}, free), 0);
}

TEST(FitCount, IsZeroWhereMoreIsUsedThanThereIs) {
  EXPECT_EQ(fit_count({Cores(1), Mebibytes(0), 1}, {Cores(-2), Mebibytes(0), -1}), 0);
  EXPECT_EQ(fit_count({Cores(0), Mebibytes(0), 1}, {Cores(0), Mebibytes(0), 3}), 3);
}

TEST(FitCount, IsNotFooledByRounding) {
  Resources free{Cores(0.3), Mebibytes(0), 9};
  EXPECT_EQ(fit_count({Cores(0.1), Mebibytes(0), 1}, free), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(fits({Cores(0.1), Mebibytes(0), 1}, free));
    free = free - Resources{Cores(0.1), Mebibytes(0), 1};
  }
  EXPECT_FALSE(fits({Cores(0.1), Mebibytes(0), 1}, free));
}

TEST(FitCount, AgreesWithTakingOneAfterTheOther) {
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    const Resources request{Cores(0.1 * static_cast<double>(random.below(20))),
                            Mebibytes(static_cast<double>(random.below(500))), 1};
    Resources free{Cores(0.1 * static_cast<double>(random.below(80))),
                   Mebibytes(static_cast<double>(random.below(4000))), static_cast<std::int32_t>(random.below(12))};
    const std::int64_t expected = fit_count(request, free);
    std::int64_t count = 0;
    for (; fits(request, free); ++count) free = free - request;
    EXPECT_EQ(count, expected) << "round " << round;
  }
}

TEST(FullPackingPrice, SpreadsTheHourOverAllWork) {
  EXPECT_DOUBLE_EQ(full_packing_price(UsdPerHour(7.2), Cores(2), 1).value(), 0.001);
  EXPECT_DOUBLE_EQ(full_packing_price(UsdPerHour(7.2), Cores(2), 2).value(), 0.0005);
}

TEST(Resources, ExtendedOnesBindLikeAnyOther) {
  Resources free{Cores(8), Mebibytes(100), 8};
  const ResourceId gpu(0), fpga(700);
  free.extended = {{gpu, 2}};
  Resources request{Cores(1), Mebibytes(1), 1};
  EXPECT_EQ(fit_count(request, free), 8);
  request.extended = {{gpu, 1}};
  EXPECT_EQ(fit_count(request, free), 2);
  EXPECT_TRUE(fits(request, free));
  request.extended = {{fpga, 1}};
  EXPECT_FALSE(fits(request, free));
  EXPECT_EQ((request * 3).extended[fpga], 3);
  EXPECT_EQ((free - request * 2).cpu, Cores(6));
}

TEST(Resources, OfAnyNumberOfNamesAddUpAndStayEqualToWhatTheyWere) {
  Random random(5);
  Resources sum{Cores(0), Mebibytes(0), 0};
  std::map<ResourceId, double> expected;
  std::vector<Resources> added;
  for (int i = 0; i < 300; ++i) {
    Resources& more = added.emplace_back();
    for (std::uint64_t kinds = random.below(4); kinds > 0; --kinds) {
      const ResourceId resource(static_cast<std::uint32_t>(random.below(40)));
      const double amount = static_cast<double>(random.below(5));
      expected[resource] += amount - more.extended[resource];
      more.extended.set(resource, amount);
    }
    sum += more;
  }
  for (const auto& [resource, amount] : expected) EXPECT_EQ(sum.extended[resource], amount);
  EXPECT_TRUE(std::is_sorted(sum.extended.begin(), sum.extended.end()));
  for (const Resources& less : added) sum -= less;
  EXPECT_EQ(sum, (Resources{Cores(0), Mebibytes(0), 0}));  // no zeros are left behind
}

TEST(Eligible, AsksForATermOfEveryVolume) {
  NodeProfile profile;
  profile.labels = {{"zone", "a"}};
  PlacementConstraint constraint;
  const std::vector<LabelRequirement> in_a{{"zone", LabelRequirement::Operator::in, {"a"}}};
  const std::vector<LabelRequirement> in_b{{"zone", LabelRequirement::Operator::in, {"b"}}};
  constraint.volumes = {{in_a, in_b}};
  EXPECT_TRUE(eligible(constraint, profile));
  constraint.volumes = {{in_a}, {in_b}};
  EXPECT_FALSE(eligible(constraint, profile));
}

}  // namespace
}  // namespace lips
