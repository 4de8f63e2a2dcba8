#include "kubernetes/data/data_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TenantRules room_for(std::int64_t places) {
  TenantRules rules;
  rules.places = places;
  return rules;
}

DataSetSize of_places(std::int64_t places, int created = 0) {
  return {places / 2, 0, 0, places, TimePoint(std::chrono::seconds(created))};
}

// Each namespace is within its own limits, and all of them together would take more memory than there is.
TEST(DataLimits, RefuseTheLargestSetsOfTheNamespacesWithMost) {
  DataLimits limits(room_for(100));
  limits.put("evil/one", of_places(60, 1));
  limits.put("evil/two", of_places(60, 2));
  EXPECT_THAT(limits.review(), ElementsAre("evil/two"));
  EXPECT_THAT(limits.why_beyond("evil/two"), HasSubstr("all data sets together would have more than 100 blocks"));
  limits.put("team/books", of_places(50, 3));
  EXPECT_THAT(limits.review(), ElementsAre("evil/one")) << "the other namespace has less";
  EXPECT_EQ(limits.why_beyond("team/books"), "");
  limits.forget("team/books");
  EXPECT_THAT(limits.review(), ElementsAre("evil/one"));
  EXPECT_EQ(limits.why_beyond("evil/one"), "");
}

TEST(DataLimits, ManySmallSetsOfOneNamespaceTakeNothingFromOthers) {
  DataLimits limits(room_for(100));
  for (int i = 0; i < 100; ++i) limits.put("evil/s" + std::to_string(i), of_places(2, i));
  limits.put("team/books", of_places(50, 1000));
  limits.review();
  EXPECT_EQ(limits.why_beyond("team/books"), "");
}

TEST(DataLimits, SayNothingWhereNothingChanges) {
  DataLimits limits(room_for(100));
  limits.put("a/x", of_places(200));
  EXPECT_THAT(limits.review(), ElementsAre("a/x"));
  limits.put("a/x", of_places(200));
  EXPECT_THAT(limits.review(), IsEmpty());
}

// The sets that are let in never exceed the room, and a namespace that wants no more than an equal share gets all of it.
TEST(DataLimits, HoldForAllTogetherAndLeaveEachNamespaceItsShare) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    DataLimits limits(room_for(1000));
    std::map<std::string, std::int64_t> sizes, wanted;
    const std::uint64_t spaces = random.below(6) + 1;
    for (std::uint64_t i = random.below(40); i > 0; --i) {
      const std::string space = "n" + std::to_string(random.below(spaces));
      const auto places = static_cast<std::int64_t>(random.below(random.below(2) == 0 ? 50 : 800) + 1);
      const std::string name = space + "/s" + std::to_string(i);
      sizes[name] = places;
      wanted[space] += places;
      limits.put(name, of_places(places, static_cast<int>(random.below(100))));
    }
    limits.review();
    std::int64_t sum = 0;
    for (const auto& [name, places] : sizes) {
      const std::string space = name.substr(0, name.find('/'));
      const bool within = limits.why_beyond(name).empty();
      if (within) sum += places;
      if (wanted[space] <= 1000 / static_cast<std::int64_t>(spaces)) {
        EXPECT_TRUE(within) << name << ", seed " << seed;
      }
    }
    EXPECT_LE(sum, 1000) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lips::kubernetes
