#include "kubernetes/adapter/memory_text.h"

#include <gtest/gtest.h>

#include "tests/model/difference.h"
#include "tests/model/variations.h"

namespace lips::kubernetes {
namespace {

using lips::testing::difference;
using lips::testing::each_variation;
using lips::testing::filled;

JobMemory through_text(JobMemory memory) {
  const StoredMemory read = read_memory(memory_text(memory, memory.home.valid() ? "zone-a" : ""));
  EXPECT_EQ(read.home, memory.home.valid() ? "zone-a" : "");
  JobMemory result = read.memory;
  result.home = memory.home;  // the name stands for it
  return result;
}

JobMemory possible(JobMemory memory) {
  memory.priority = memory.priority ? std::optional<std::int8_t>(*memory.priority % 3) : std::nullopt;
  return memory;
}

TEST(MemoryText, KeepsEveryFieldWhateverItIs) {
  JobMemory memory = possible(filled<JobMemory>());
  EXPECT_EQ(difference(through_text(memory), memory), "");
  std::size_t tried = 0;
  each_variation(memory, "", [&](const std::string& path) {
    EXPECT_EQ(difference(through_text(possible(memory)), possible(memory)), "") << path;
    ++tried;
  });
  EXPECT_GT(tried, 12u);
}

TEST(MemoryText, KeepsEveryFieldThatAloneIsNotAsAtTheStart) {
  JobMemory memory;
  EXPECT_EQ(memory_text(memory, ""), "");
  each_variation(memory, "",
                 [&](const std::string& path) { EXPECT_EQ(difference(through_text(memory), memory), "") << path; });
}

TEST(MemoryText, UnderstandsWhatOlderOperatorsWrote) {
  const StoredMemory read = read_memory(R"({"home":"z","passedOverSince":1234567,"lastLocality":2})");
  EXPECT_EQ(read.home, "z");
  EXPECT_TRUE(read.memory.home_decided);
  EXPECT_EQ(read.memory.passed_over_since, TimePoint(Duration(1234567)));
  EXPECT_EQ(read.memory.last_locality, Locality::zone);
  EXPECT_TRUE(read_memory(R"({"home":""})").memory.home_decided);
}

// Anybody who may annotate a Job can write these.
TEST(MemoryText, TakesWhatItDoesNotUnderstandForNotRemembered) {
  for (const char* text :
       {"", "no json", "[]", "7", "{}", R"({"lastLocality":5})", R"({"lastLocality":-1})", R"({"priority":3})",
        R"({"priority":1e9})", R"({"opportunities":-1})", R"({"opportunities":4294967296})", R"({"refusedFor":-1})",
        R"({"refusedAt":1e999})", R"({"refusedAt":18446744073709551615})", R"({"passedOverSince":"now"})",
        R"({"nodeWaits":7})", R"({"nodeWaits":{"sum":-4,"count":-1}})", R"({"launched":1})", R"({"else":true})"})
    EXPECT_EQ(difference(read_memory(text).memory, JobMemory{}), "") << text;
}

TEST(SharesText, KeepsEveryField) {
  StoredShares stored{filled<ShareMemory>(), {"etl"}};
  ASSERT_EQ(stored.shares.slots.size(), 2u);
  each_variation(stored.shares, "", [&](const std::string& path) {
    const std::optional<StoredShares> read = read_shares(shares_text(stored));
    if (path == "slots longer") {
      EXPECT_FALSE(read) << "slots of pools that have no name";
      return;
    }
    ASSERT_TRUE(read) << path;
    EXPECT_EQ(difference(read->shares, stored.shares), "") << path;
    EXPECT_EQ(read->pools, stored.pools);
  });
}

TEST(SharesText, TakesWhatItDoesNotUnderstandForNotRemembered) {
  for (const char* text :
       {"", "no json", "{}", R"({"pools":[]})", R"({"pools":["a"],"slots":[1]})", R"({"pools":["a"],"slots":[1,-1]})",
        R"({"pools":["a"],"slots":[1,"x"]})", R"({"pools":"a","slots":[1,2]})"})
    EXPECT_FALSE(read_shares(text)) << text;
  EXPECT_TRUE(read_shares(R"({"pools":["a"],"slots":[1,2]})"));
}

TEST(DebtsText, KeepsEveryFieldAndTakesWhatItDoesNotUnderstandForNone) {
  std::vector<TargetDebt> debts{{"", 0.1, -0.3}, {"etl", -1e-9, 0}};
  EXPECT_EQ(read_debts(debts_text(debts)), debts);
  each_variation(debts, "", [&](const std::string& path) { EXPECT_EQ(read_debts(debts_text(debts)), debts) << path; });
  for (const char* text :
       {"", "no json", "{}", "7", "[7]", R"([{"pool":7}])", R"([{"budget":1}])", R"([{"pool":"a","wait":1e999}])"})
    EXPECT_TRUE(read_debts(text).empty()) << text;
  EXPECT_EQ(read_debts(R"([{"pool":"a","budget":"x"}])"), (std::vector<TargetDebt>{{"a", 0, 0}}));
}

}  // namespace
}  // namespace lips::kubernetes
