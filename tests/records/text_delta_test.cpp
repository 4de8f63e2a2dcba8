#include "records/text_delta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lips {
namespace {

using ::testing::HasSubstr;
using State = LeadingFrame::State;

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text(std::uniform_int_distribution<std::size_t>(0, most)(random), ' ');
  const int letters = std::uniform_int_distribution<int>(1, 200)(random);
  for (char& letter : text) letter = static_cast<char>(std::uniform_int_distribution<int>(0, letters)(random));
  return text;
}

// Some places are replaced by others, shorter or longer.
std::string changed(std::string text, std::mt19937& random) {
  for (int edits = std::uniform_int_distribution<int>(0, 6)(random); edits > 0; --edits) {
    const std::size_t at = std::uniform_int_distribution<std::size_t>(0, text.size())(random);
    const std::size_t gone = std::uniform_int_distribution<std::size_t>(0, 40)(random);
    text.replace(at, gone, random_text(random, 40));
  }
  return text;
}

TEST(TextDelta, GivesBackAnyTextAfterAnyOther) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::string before = random_text(random, seed % 3 == 0 ? 100'000 : 300), text = changed(before, random);
    for (const auto& [base, next] :
         {std::pair(before, text), std::pair(text, before), std::pair(std::string(), text)}) {
      const std::string frame = text_delta(base, next);
      EXPECT_EQ(text_after("t", base, frame).value_or("none"), next);
      EXPECT_EQ(leading_frame(frame + "more").bytes, frame.size());
    }
  }
}

TEST(TextDelta, IsAsSmallAsTheChangeHoweverFarItIs) {
  std::mt19937 random(1);
  std::string before;
  while (before.size() < 3'000'000) before += static_cast<char>(random() % 251);
  std::string text = before;
  text[5] ^= 1, text[2'900'000] ^= 1;
  EXPECT_LT(text_delta(before, text).size(), 1000u);
  EXPECT_EQ(text_after("t", before, text_delta(before, text)).value_or(""), text);
}

TEST(TextDelta, RefusesAnotherTextBeforeItAndEveryFlippedBit) {
  std::mt19937 random(7);
  const std::string before = random_text(random, 2000) + "end", text = changed(before, random) + "more";
  const std::string frame = text_delta(before, text);
  EXPECT_FALSE(text_after("t", before + "x", frame) && *text_after("t", before + "x", frame) != text);
  EXPECT_FALSE(text_after("t", "", frame));
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    std::string damaged = frame;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(text_after("t", before, damaged).value_or(text), text) << "bit " << bit;
  }
}

TEST(TextDelta, IsCutOffAtEveryByteButTheLast) {
  const std::string frame = text_delta("before", "a text that is longer than the one before");
  for (std::size_t bytes = 0; bytes < frame.size(); ++bytes)
    EXPECT_EQ(leading_frame(frame.substr(0, bytes)).state, State::cut) << bytes;
  EXPECT_EQ(leading_frame(frame).state, State::whole);
  EXPECT_EQ(leading_frame(std::string(100, '\0')).state, State::damaged);
}

// The header of a frame says how long its text is.
TEST(TextDelta, DoesNotBelieveAShortFrameOfAGigabyte) {
  std::string frame = text_delta("", std::string(1'000'000, 'a'));
  ASSERT_EQ(static_cast<unsigned char>(frame[4]) >> 6, 2) << "the length has four bytes";
  frame[8] = 0x3f;
  EXPECT_THAT(text_after("t", "", frame).error().message, HasSubstr("found damaged bytes;")) << "before unpacking it";
}

}  // namespace
}  // namespace lips
