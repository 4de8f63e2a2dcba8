#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(EncodeAndDecode, BringALostBlockBack) {
  const Folder folder;
  std::string whole;
  for (int i = 0; i < 70000; ++i) whole += std::to_string(i * 7919);
  write(folder.file("whole"), whole);
  const Said encoded = lips(
      {"encode", folder.file("whole"), "--code", "5,3", "--block-size", "100Ki", "--output", folder.file("blocks")});
  ASSERT_EQ(encoded.status, 0) << encoded.err;
  EXPECT_THAT(encoded.out, HasSubstr("native and "));
  const std::string lost = text_of(folder.file("blocks/block-00001"));
  ASSERT_EQ(lost.size(), 102400u);
  const std::string input = "degraded:code=5,3;natives=3;row=1;bytes=102400;0=" + folder.file("blocks/block-00000") +
                            ";3=http://node-7/parity-00000;4=" + folder.file("blocks/parity-00001");
  EXPECT_THAT(lips({"decode", input}).err, AllOf(HasSubstr("http://node-7"), HasSubstr("--fetched 3=")));
  const Said decoded =
      lips({"decode", input, "--fetched", "3=" + folder.file("blocks/parity-00000"), "--output", folder.file("back")});
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_TRUE(text_of(folder.file("back")) == lost);
  EXPECT_TRUE(lips({"decode", input, "--fetched", "3=" + folder.file("blocks/parity-00000")}).out == lost);
}

TEST(EncodeAndDecode, SayWhatIsWrong) {
  const Folder folder;
  EXPECT_EQ(lips({"decode", "/data/7"}).status, 2);
  EXPECT_THAT(lips({"decode", "/data/7"}).err, HasSubstr("degraded:"));
  EXPECT_EQ(lips({"decode", "degraded:code=3,1;natives=1;row=0;bytes=5;1=/nowhere"}).status, 2);
  EXPECT_THAT(lips({"encode", folder.file("x"), "--code", "3,3"}).err, HasSubstr("0 < k < n"));
  EXPECT_THAT(lips({"encode", folder.file("x"), "--block-size", "much"}).err, HasSubstr("64Mi"));
}

TEST(EncodeAndDecode, EndInASentenceOnHostileArguments) {
  const Folder folder;
  write(folder.file("f"), "12345678");
  for (const char* size : {"1e-9B", "1e300Ti", "0"}) {
    const Said said = lips({"encode", folder.file("f"), "--block-size", size, "--output", folder.file("blocks")});
    EXPECT_EQ(said.status, 2) << size;
    EXPECT_THAT(said.err, HasSubstr("--block-size: expected a size")) << size;
  }
  const std::string endless = "degraded:code=2,1;natives=1;row=0;bytes=18446744073709551615;1=" + folder.file("f");
  const Said said = lips_within(20, {"decode", endless, "--output", folder.file("out")});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("found 8 bytes; allowed: at least 18446744073709551615"));
  EXPECT_EQ(lips({"decode", "degraded:code=2,1;natives=1;row=0;bytes=8;1=" + folder.file("."), "--output",
                  folder.file("out")})
                .status,
            2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("out")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("out.unfinished")));
}

TEST(EncodeAndDecode, OutputThatCannotBeWrittenIsAFailure) {
  const Folder folder;
  write(folder.file("f"), "12345678");
  EXPECT_EQ(lips({"encode", folder.file("f"), "--output", folder.file("f")}).status, 1);
  const std::string input = "degraded:code=2,1;natives=1;row=0;bytes=8;1=" + folder.file("f");
  EXPECT_EQ(lips({"decode", input, "--output", folder.file("no/such/folder")}).status, 1);
  EXPECT_EQ(lips({"decode", input, "--output", "/dev/full"}).status, 1);
  EXPECT_TRUE(std::filesystem::exists("/dev/full")) << "a device is written, not replaced";
}

}  // namespace
}  // namespace lips::cmd_test
