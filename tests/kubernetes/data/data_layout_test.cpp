#include "kubernetes/data/data_layout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "kubernetes/data/data_set_codec.h"
#include "tests/kubernetes/data/books.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DataLayout, CutsFilesIntoBlocks) {
  const auto set =
      set_of(R"({"blockSize":10,"files":[{"path":"a","size":25},{"path":"empty","size":0},{"path":"b","size":10}]})");
  const auto layout = layout_of(set);
  ASSERT_TRUE(layout) << layout.error().message;
  std::vector<BlockSpan> blocks;
  for (std::uint32_t block = 0; block < layout->count(); ++block) blocks.push_back(layout->span(block));
  EXPECT_THAT(blocks, ElementsAre(BlockSpan{0, 0, 10}, BlockSpan{0, 10, 10}, BlockSpan{0, 20, 5}, BlockSpan{2, 0, 10}));
  EXPECT_EQ(layout->size, 35);
  EXPECT_EQ(original_part(*layout, 2), (FilePart{"a", 20, 5, false, ""}));
  EXPECT_EQ(original_part(*layout, 3), (FilePart{"b", 0, 10, true, ""}));
  EXPECT_EQ(copied_part(set, *layout, 2), (FilePart{"lips-copies/etl/books/u1/block-00002", 0, 5, true, ""}));
}

TEST(DataLayout, ImpliesFilesFromTheNumberOfBlocks) {
  const auto layout = layout_of(set_of(R"({"blocks":3,"blockSize":10,"size":25})"));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(original_part(*layout, 2), (FilePart{"etl/books/block-00002", 0, 5, true, ""}));
}

TEST(DataLayout, SaysWhatDoesNotAddUp) {
  const auto why = [](const std::string& spec) { return layout_of(set_of(spec)).error().message; };
  EXPECT_THAT(why(R"({"blocks":3,"blockSize":10,"size":20})"), HasSubstr("spec.size: found 20"));
  EXPECT_THAT(why(R"({"files":[{"path":"a","size":25}],"size":20})"), HasSubstr("spec.size: found 20; allowed: 25"));
  EXPECT_THAT(why(R"({"files":[{"path":"a","size":25}],"blocks":2})"), HasSubstr("spec.blocks: found 2; allowed: 1"));
  EXPECT_THAT(why(R"({"files":[{"path":"a","size":1},{"path":"a","size":1}]})"), HasSubstr("a is listed twice"));
  for (const char* path : {"../a", "a//b", "./a", "a/./b"})
    EXPECT_THAT(
        why(R"({"files":[{"path":")" + std::string(path) + R"(","size":1}]})"),
        HasSubstr(fmt::format("spec.files[0].path: found '{}'; allowed: a path from the store's root, without //, . "
                              "and .. in it",
                              path)));
  EXPECT_THAT(why(R"({})"), HasSubstr("does not describe its blocks"));
  EXPECT_THAT(why(R"({"blocks":3,"blockSize":10,"erasureCode":{"n":3,"k":3}})"), HasSubstr("spec.erasureCode.k"));
}

TEST(DataLayout, RefusesSizesAndNumbersThatOverflow) {
  const auto why = [](const std::string& spec) {
    const auto layout = layout_of(set_of(spec));
    return layout ? "nothing" : layout.error().message;
  };
  EXPECT_THAT(why(R"({"blocks":1000000,"blockSize":"7Ei"})"), HasSubstr("spec.blockSize"));
  EXPECT_THAT(why(R"({"blocks":1000000,"blockSize":"10Ti"})"), HasSubstr("spec.blockSize: found 10995116277760"));
  EXPECT_EQ(why(R"({"blocks":1000000,"blockSize":"8Ti"})"), "nothing");
  EXPECT_THAT(why(R"({"files":[{"path":"a","size":"7Ei"},{"path":"b","size":"7Ei"}]})"), HasSubstr("spec.files"));
  EXPECT_THAT(why(R"({"blockSize":1,"files":[{"path":"a","size":1000001}]})"), HasSubstr("more than a million"));
  EXPECT_THAT(why(R"({"blockSize":1,"files":[{"path":"a","size":"7Ei"}]})"), HasSubstr("more than a million"));
  EXPECT_THAT(why(R"({"blocks":600000,"blockSize":1,"erasureCode":{"n":2,"k":1}})"), HasSubstr("spec.erasureCode"));
  EXPECT_THAT(why(R"({"blocks":1000000,"blockSize":1,"erasureCode":{"n":255,"k":1}})"), HasSubstr("255000000 blocks"));
  EXPECT_THAT(why(R"({"blocks":1,"blockSize":1,"erasureCode":{"n":3}})"), HasSubstr("spec.erasureCode.k: found 0"));
}

TEST(DataLayout, RefusesAFolderToListThatLeavesTheStore) {
  const auto why = [](const std::string& path) {
    return layout_of(set_of(R"({"discover":{"listing":{"store":"a","path":")" + path + R"("}}})")).error();
  };
  for (const char* bad : {"..", "../x", "a/../../b", "a/./b", "a//b", "a\\nb"})
    EXPECT_EQ(why(bad).code, ErrorCode::invalid_input) << bad;
  for (const char* good : {"", "/", "a", "a/b/", "/a", "a..b/..c"})
    EXPECT_EQ(why(good).code, ErrorCode::not_found) << good;
}

// Every block and every span of blocks against a list that is spelled out.
TEST(DataLayout, ComputesWhatAListWouldSay) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const bool listed = random.below(2) == 0, coded = random.below(2) == 0;
    const auto block_size = static_cast<std::int64_t>(random.below(20) + (listed ? 0 : 1));
    std::string spec = R"({"path":"p","blockSize":)" + std::to_string(block_size);
    std::vector<FilePart> expected;
    const auto cut = [&](const std::string& path, std::int64_t size, std::int64_t step) {
      for (std::int64_t at = 0; at < size; at += step)
        expected.push_back({path, at, std::min(step, size - at), std::min(step, size) == size, ""});
    };
    if (listed) {
      std::string files;
      for (std::uint64_t i = 0, count = random.below(6) + 1; i < count; ++i) {
        const auto size = static_cast<std::int64_t>(random.below(50));
        const std::string path = "f" + std::to_string(i);
        files += (i ? "," : "") + (R"({"path":")" + path + R"(","size":)" + std::to_string(size) + "}");
        cut(path, size, block_size > 0 ? block_size : std::max<std::int64_t>(size, 1));
      }
      spec += R"(,"files":[)" + files + "]";
    } else {
      const auto blocks = static_cast<std::int64_t>(random.below(30));
      const std::int64_t last =
          blocks == 0 ? block_size
                      : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(block_size)) + 1);
      spec += R"(,"blocks":)" + std::to_string(blocks) + R"(,"size":)" +
              std::to_string(blocks * block_size - block_size + last);
      for (std::int64_t i = 0; i < blocks; ++i)
        expected.push_back({fmt::format("p/block-{:05}", i), 0, i + 1 == blocks ? last : block_size, true, ""});
    }
    const std::size_t native = expected.size();
    if (coded) {
      spec += R"(,"erasureCode":{"n":5,"k":3})";
      for (std::size_t first = 0, number = 0; first < native; first += 3) {
        std::int64_t size = 0;
        for (std::size_t i = first; i < std::min(first + 3, native); ++i) size = std::max(size, expected[i].size);
        for (int i = 0; i < 2; ++i) expected.push_back({fmt::format("p/parity-{:05}", number++), 0, size, true, ""});
      }
    }
    SCOPED_TRACE(spec + '}');
    const auto layout = layout_of(set_of(spec + '}'));
    ASSERT_TRUE(layout) << layout.error().message;
    ASSERT_EQ(layout->native, native);
    ASSERT_EQ(layout->count(), expected.size());
    for (std::uint32_t block = 0; block < layout->count(); ++block) {
      EXPECT_EQ(original_part(*layout, block), expected[block]) << block;
      EXPECT_TRUE(layout->has_file(expected[block].path));
    }
    BlockRanges some;
    std::int64_t bytes = 0;
    for (std::uint32_t block = 0; block < layout->count(); ++block)
      if (random.below(3) > 0) some.add(block), bytes += expected[block].size;
    EXPECT_EQ(layout->size_of(some), bytes);
  }
}

// Compared with a look at every block.
TEST(DataLayout, FindsTheBlocksUnderAPath) {
  Random random(7);
  const std::vector<std::string> paths{"a",  "a/b",   "a/b/c", "a/b-", "a/b0", "a/c",   "a/c/d", "a/c/d/e",
                                       "a!", "a.b/c", "ab",    "b",    "b/a",  "b/a/b", "c0/a",  "c/0"};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> files;
    for (const std::string& path : paths)
      if (random.below(2) == 0) files.push_back(path);
    if (files.empty()) continue;
    if (round % 2 == 0) std::sort(files.begin(), files.end());
    if (round % 2 == 1) std::swap(files.front(), files.back());
    std::string list;
    for (const std::string& path : files)
      list += fmt::format(R"(,{{"path":"{}","size":{}}})", path, 10 * random.below(3));
    const auto layout = layout_of(set_of(fmt::format(R"({{"blockSize":10,"files":[{}]}})", list.substr(1))));
    ASSERT_TRUE(layout) << layout.error().message;
    for (const std::string path : {"", "a", "a/b", "a/c", "a/c/d", "b", "b/a", "c", "x", "a/b/c/d"}) {
      BlockRanges expected;
      for (std::uint32_t block = 0; block < layout->count(); ++block) {
        const std::string file = original_part(*layout, block).path;
        if (path.empty() || file == path || file.starts_with(path + '/')) expected.add(block);
      }
      EXPECT_EQ(layout->blocks_under(path).text(), expected.text()) << '"' << path << "\" of " << list;
    }
  }
}

TEST(DataLayout, PutsParityBehindNativeBlocks) {
  const auto layout = layout_of(set_of(R"({"blocks":5,"blockSize":10,"size":43,"erasureCode":{"n":6,"k":4}})"));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->native, 5u);
  EXPECT_EQ(layout->count(), 9u);
  EXPECT_THAT(layout->stripe_of(2), ElementsAre(0, 1, 2, 3, 5, 6));
  EXPECT_THAT(layout->stripe_of(4), ElementsAre(4, 7, 8));
  EXPECT_THAT(layout->stripe_of(8), ElementsAre(4, 7, 8));
  EXPECT_EQ(layout->span(8).size, 3) << "as large as the largest native block of its stripe";
  EXPECT_EQ(original_part(*layout, 7).path, "etl/books/parity-00002");
}

TEST(DataLayout, WaitsForADiscovery) {
  const std::string spec = R"({"discover":{"listing":{"store":"a"}}})";
  EXPECT_EQ(layout_of(set_of(spec)).error().code, ErrorCode::not_found);
  const auto layout =
      layout_of(set_of(spec, R"({"discoveredAt":"2026-01-31T12:00:00Z","files":[{"path":"x","size":7}]})"));
  EXPECT_EQ(layout->size, 7);
}

}  // namespace
}  // namespace lips::kubernetes
