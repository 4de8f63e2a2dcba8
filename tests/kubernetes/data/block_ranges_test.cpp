#include "kubernetes/data/block_ranges.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

TEST(BlockRanges, ReadWhatTheyWrite) {
  for (const char* text : {"", "0", "0-3", "0-3,7", "1,3,5-9"}) EXPECT_EQ(BlockRanges::parse(text)->text(), text);
  EXPECT_EQ(BlockRanges::parse("5-9,0-4,2")->text(), "0-9");
}

TEST(BlockRanges, RefuseWhatIsNoRange) {
  for (const char* text : {"a", "-1", "3-1", "1,", ",1", "1-", "1 2", "1000000", "99999999999"})
    EXPECT_FALSE(BlockRanges::parse(text)) << text;
}

TEST(BlockRanges, AreSetsOfNumbers) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    BlockRanges a, b;
    std::set<std::uint32_t> as, bs;
    const auto fill = [&](BlockRanges& ranges, std::set<std::uint32_t>& numbers) {
      for (std::uint64_t i = random.below(6); i > 0; --i) {
        const auto first = static_cast<std::uint32_t>(random.below(30)),
                   last = first + static_cast<std::uint32_t>(random.below(5));
        ranges.add(BlockRanges::Range{first, last});
        for (std::uint32_t n = first; n <= last; ++n) numbers.insert(n);
      }
    };
    fill(a, as);
    fill(b, bs);
    const auto check = [](const BlockRanges& ranges, const std::set<std::uint32_t>& numbers) {
      ASSERT_EQ(ranges.blocks(), std::vector<std::uint32_t>(numbers.begin(), numbers.end()));
      ASSERT_EQ(ranges.count(), numbers.size());
      ASSERT_EQ(*BlockRanges::parse(ranges.text()), ranges);
    };
    check(a, as);
    std::set<std::uint32_t> both, minus = as, sum = as;
    for (const std::uint32_t n : bs) {
      if (as.contains(n)) both.insert(n);
      minus.erase(n);
      sum.insert(n);
      ASSERT_EQ(a.contains(n), as.contains(n));
    }
    check(a.intersection(b), both);
    ASSERT_EQ(a.contains(b), both == bs);
    BlockRanges difference = a, united = a;
    difference.remove(b);
    united.add(b);
    check(difference, minus);
    check(united, sum);
  }
}

}  // namespace
}  // namespace lips::kubernetes
