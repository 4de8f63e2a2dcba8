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

// Of 11 native blocks and those of parity behind them.
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

}  // namespace
}  // namespace lips::erasure
