#include "erasure/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"

namespace lips::erasure {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<const std::uint8_t*> pointers(const std::vector<Bytes>& blocks, std::span<const std::uint32_t> rows) {
  std::vector<const std::uint8_t*> result;
  for (const std::uint32_t row : rows) result.push_back(blocks[row].data());
  return result;
}

// A stripe of random bytes, rows 0 to n - 1; natives that are missing are zeros.
std::vector<Bytes> stripe(ErasureCode code, std::uint32_t natives, std::size_t length, Random& random) {
  std::vector<Bytes> blocks(static_cast<std::size_t>(code.n), Bytes(length, 0));
  for (std::uint32_t row = 0; row < natives; ++row)
    for (std::uint8_t& byte : blocks[row]) byte = static_cast<std::uint8_t>(random.bits());
  std::vector<const std::uint8_t*> in;
  std::vector<std::uint8_t*> out;
  for (std::size_t row = 0; row < blocks.size(); ++row)
    row < static_cast<std::size_t>(code.k) ? in.push_back(blocks[row].data()) : out.push_back(blocks[row].data());
  const Result<Encoder> encoder = Encoder::make(code);
  EXPECT_TRUE(encoder) << encoder.error().message;
  encoder->encode(in, length, out);
  return blocks;
}

void expect_every_row_back(ErasureCode code, std::uint32_t natives, const std::vector<Bytes>& blocks, Random& random) {
  for (std::uint32_t wanted = 0; wanted < blocks.size(); ++wanted) {
    if (wanted >= natives && wanted < static_cast<std::uint32_t>(code.k)) continue;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < blocks.size(); ++row)
      if (row != wanted && (row < natives || row >= static_cast<std::uint32_t>(code.k))) rows.push_back(row);
    random.shuffle(std::span(rows));
    rows.resize(natives);
    const Result<Decoder> decoder = Decoder::make(code, natives, wanted, rows);
    ASSERT_TRUE(decoder) << decoder.error().message;
    Bytes found(blocks[wanted].size());
    decoder->decode(pointers(blocks, rows), found.size(), found.data());
    EXPECT_EQ(found, blocks[wanted]) << "row " << wanted << " of (" << code.n << ", " << code.k << ")";
  }
}

TEST(ErasureCodec, BringsBackEveryBlockFromAnyOthersThatAreEnough) {
  constexpr std::array<ErasureCode, 7> codes{{{8, 6}, {12, 9}, {16, 12}, {20, 15}, {9, 6}, {14, 10}, {2, 1}}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    for (const ErasureCode code : codes) {
      const std::vector<Bytes> blocks = stripe(code, static_cast<std::uint32_t>(code.k), 1000 + seed, random);
      expect_every_row_back(code, static_cast<std::uint32_t>(code.k), blocks, random);
    }
  }
}

TEST(ErasureCodec, BringsBackStripesThatHaveFewerNativeBlocks) {
  Random random(3);
  for (std::uint32_t natives = 1; natives <= 6; ++natives)
    expect_every_row_back({9, 6}, natives, stripe({9, 6}, natives, 777, random), random);
}

TEST(ErasureCodec, WorksPieceByPiece) {
  Random random(5);
  const std::vector<Bytes> blocks = stripe({6, 4}, 4, 10000, random);
  const std::array<std::uint32_t, 4> rows = {5, 1, 4, 3};
  const Result<Decoder> decoder = Decoder::make({6, 4}, 4, 2, rows);
  ASSERT_TRUE(decoder);
  Bytes found(10000);
  for (std::size_t at = 0, piece = 0; at < found.size(); at += piece) {
    piece = std::min<std::size_t>(4096, found.size() - at);
    std::vector<const std::uint8_t*> sources;
    for (const std::uint32_t row : rows) sources.push_back(blocks[row].data() + at);
    decoder->decode(sources, piece, found.data() + at);
  }
  EXPECT_EQ(found, blocks[2]);
}

TEST(ErasureCodec, RefusesCodesAndSourcesThatCannotBe) {
  for (const ErasureCode code : {ErasureCode{0, 0}, ErasureCode{4, 4}, ErasureCode{256, 10}, ErasureCode{5, 0}})
    EXPECT_FALSE(Encoder::make(code));
  const auto refused = [](std::uint32_t wanted, std::vector<std::uint32_t> rows, std::uint32_t natives = 3) {
    return !Decoder::make({5, 3}, natives, wanted, rows).has_value();
  };
  EXPECT_TRUE(refused(0, {1, 2}));
  EXPECT_TRUE(refused(0, {1, 2, 3, 4}));
  EXPECT_TRUE(refused(0, {0, 1, 2}));
  EXPECT_TRUE(refused(0, {1, 1, 2}));
  EXPECT_TRUE(refused(0, {1, 2, 5}));
  EXPECT_TRUE(refused(9, {1, 2, 3}));
  EXPECT_TRUE(refused(0, {2, 3}, 2)) << "row 2 is of zeros";
  EXPECT_FALSE(refused(0, {1, 3}, 2));
}

}  // namespace
}  // namespace lips::erasure
