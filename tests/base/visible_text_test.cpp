#include "base/visible_text.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

TEST(VisibleText, SpellsOutWhatSteersATerminal) {
  EXPECT_EQ(visible("a\x1b[31mb\r\x07"), "a\\u001b[31mb\\u000d\\u0007");
  EXPECT_EQ(visible("\x7f"), "\\u007f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\u009b31m")
      << "the same as ESC [, in one character of C1";
}

TEST(VisibleText, SpellsOutWhatTurnsTheDirectionOfWriting) {
  EXPECT_EQ(visible("a\xe2\x80\xae"
                    "b"),
            "a\\u202eb");
  EXPECT_EQ(visible("\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c"), "\\u2066\\u2069\\u200f\\u061c");
}

TEST(VisibleText, LeavesEverythingElseAsItIs) {
  const std::string text = "a line\n\tand one more: \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xd7\x90";
  EXPECT_EQ(visible(text), text);
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible("\xe2\x80"), "\xe2\x80") << "cut off: no control";
}

}  // namespace
}  // namespace lips
