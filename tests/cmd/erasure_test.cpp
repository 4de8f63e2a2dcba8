#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lips::cmd_test
