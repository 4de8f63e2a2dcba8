#include "kubernetes/data/data_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/data/data_set_codec.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DataSetResource set_of(const std::string& spec, const std::string& status = "{}") {
  return *decode_data_set(R"({"metadata":{"namespace":"etl","name":"books","uid":"u1"},"spec":)" + spec +
                          R"(,"status":)" + status + "}");
}

TEST(DataLayout, CutsFilesIntoBlocks) {
  const auto set =
      set_of(R"({"blockSize":10,"files":[{"path":"a","size":25},{"path":"empty","size":0},{"path":"b","size":10}]})");
  const auto layout = layout_of(set);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_THAT(layout->blocks,
              ElementsAre(BlockSpan{0, 0, 10}, BlockSpan{0, 10, 10}, BlockSpan{0, 20, 5}, BlockSpan{2, 0, 10}));
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
  EXPECT_THAT(why(R"({"files":[{"path":"../a","size":1}]})"), HasSubstr("spec.files[0].path"));
  EXPECT_THAT(why(R"({})"), HasSubstr("does not say what its blocks are"));
  EXPECT_THAT(why(R"({"blocks":3,"blockSize":10,"erasureCode":{"n":3,"k":3}})"), HasSubstr("spec.erasureCode.k"));
}

TEST(DataLayout, PutsParityBehindNativeBlocks) {
  const auto layout = layout_of(set_of(R"({"blocks":5,"blockSize":10,"size":43,"erasureCode":{"n":6,"k":4}})"));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->native, 5u);
  EXPECT_EQ(layout->count(), 9u);
  EXPECT_THAT(layout->stripe_of(2), ElementsAre(0, 1, 2, 3, 5, 6));
  EXPECT_THAT(layout->stripe_of(4), ElementsAre(4, 7, 8));
  EXPECT_THAT(layout->stripe_of(8), ElementsAre(4, 7, 8));
  EXPECT_EQ(layout->blocks[8].size, 3) << "as large as the largest native block of its stripe";
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
