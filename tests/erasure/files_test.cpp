#include "erasure/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/random.h"
#include "model/stripe.h"

namespace lips::erasure {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "lips-erasure-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) ADD_FAILURE() << "no folder";
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Bytes bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Bytes random_file(const std::string& path, std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
  return bytes;
}

// The files of 11 native blocks and those of parity behind them.
std::string block_name(std::uint32_t index) {
  const std::string digits = std::to_string(index < 11 ? index : index - 11);
  return (index < 11 ? "block-" : "parity-") + std::string(5 - digits.size(), '0') + digits;
}

Bytes decoded(const DegradedInput& input) {
  Bytes result;
  const Result<void> done = decode_block(input, [&](std::span<const std::uint8_t> bytes) -> Result<void> {
    result.insert(result.end(), bytes.begin(), bytes.end());
    return {};
  });
  EXPECT_TRUE(done) << done.error().message;
  return result;
}

// 11 native blocks, the last one short, in stripes of 4: the last stripe has 3.
TEST(ErasureFiles, BringBackEveryBlockOfAFileThatWasCut) {
  const Folder folder;
  const std::size_t block = 1500000;
  const Bytes whole = random_file(folder.file("whole"), 10 * block + 777, 1);
  const Result<CutFile> cut = encode_file(folder.file("whole"), folder.file("blocks"), {6, 4}, block);
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->natives, 11u);
  EXPECT_EQ(cut->parities, 6u);
  Bytes joined;
  for (std::uint32_t i = 0; i < 11; ++i) {
    const Bytes part = bytes_of(folder.file("blocks/" + block_name(i)));
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(joined == whole);
  const DataSet set{"whole", BlockId(0), 11, {}, {6, 4}};
  Random random(2);
  for (std::uint32_t i = 0; i < 17; ++i) {
    const Stripe stripe = stripe_of(set, BlockId(i));
    std::vector<BlockId> others;
    for (std::uint32_t member = 0; member < stripe.size(); ++member)
      if (stripe.block(member) != BlockId(i)) others.push_back(stripe.block(member));
    random.shuffle(std::span(others));
    others.resize(stripe.natives);
    const std::string lost = folder.file("blocks/" + block_name(i));
    DegradedInput input{set.code, stripe.natives, code_row(set, BlockId(i)), fs::file_size(lost), {}};
    for (const BlockId other : others)
      input.sources.emplace_back(code_row(set, other), folder.file("blocks/" + block_name(other.index())));
    EXPECT_TRUE(decoded(input) == bytes_of(lost)) << "block " << i;
  }
}

TEST(ErasureFiles, SayWhichFileIsMissing) {
  const Folder folder;
  const Result<CutFile> cut = encode_file(folder.file("nothing"), folder.path(), {6, 4}, 100);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, ::testing::HasSubstr("nothing"));
  const DegradedInput input{{3, 1}, 1, 0, 10, {{1, folder.file("gone")}}};
  const Result<void> done = decode_block(input, [](auto) -> Result<void> { return {}; });
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, ::testing::HasSubstr("gone"));
}

// The message of a decoding that has to fail, without a byte written.
std::string refused(const DegradedInput& input) {
  std::size_t written = 0;
  const Result<void> done = decode_block(input, [&](std::span<const std::uint8_t> bytes) -> Result<void> {
    written += bytes.size();
    return {};
  });
  EXPECT_EQ(written, 0u);
  return done ? "" : done.error().message;
}

TEST(ErasureFiles, TakeNothingForZerosThatCannotBeRead) {
  const Folder folder;
  EXPECT_THAT(refused({{2, 1}, 1, 0, 8, {{1, folder.path()}}}), ::testing::HasSubstr("cannot read"));
}

TEST(ErasureFiles, RefuseASourceThatIsTooShort) {
  const Folder folder;
  random_file(folder.file("parity"), 100, 1);
  random_file(folder.file("first"), 90, 2);
  random_file(folder.file("last"), 50, 3);
  EXPECT_THAT(refused({{2, 1}, 1, 0, 1ull << 60, {{1, folder.file("parity")}}}),
              ::testing::HasSubstr("found 100 bytes; allowed: at least 1152921504606846976"));
  EXPECT_THAT(
      refused({{4, 3}, 3, 1, 100, {{0, folder.file("first")}, {2, folder.file("last")}, {3, folder.file("parity")}}}),
      ::testing::HasSubstr("first: found 90 bytes"));
  EXPECT_EQ(
      decoded({{4, 3}, 3, 1, 90, {{0, folder.file("first")}, {2, folder.file("last")}, {3, folder.file("parity")}}})
          .size(),
      90u)
      << "the last native block may be short";
}

TEST(ErasureFiles, RefuseBlocksOfNothingAndTooManyBlocks) {
  const Folder folder;
  random_file(folder.file("whole"), 200'000, 1);
  for (const std::uint64_t block : {0u, 1u, 2u}) {
    const Result<CutFile> cut = encode_file(folder.file("whole"), folder.file("blocks"), {6, 4}, block);
    ASSERT_FALSE(cut) << block;
    EXPECT_EQ(cut.error().code, ErrorCode::invalid_input);
    EXPECT_THAT(cut.error().message, ::testing::HasSubstr("fewer than 100000 blocks"));
    EXPECT_FALSE(fs::exists(folder.file("blocks")));
  }
}

TEST(ErasureFiles, LeaveNothingBehindWhenWritingFails) {
  const Folder folder;
  random_file(folder.file("whole"), 1000, 1);
  fs::create_directories(folder.file("blocks/parity-00000"));  // in the way
  const Result<CutFile> cut = encode_file(folder.file("whole"), folder.file("blocks"), {3, 2}, 100);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(fs::exists(folder.file("blocks/block-00000")));
  EXPECT_TRUE(fs::exists(folder.file("blocks"))) << "it was there before";
}

}  // namespace
}  // namespace lips::erasure
