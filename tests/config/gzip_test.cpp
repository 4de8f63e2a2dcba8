#include "config/gzip.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

TEST(Gzip, ComesBackAsItWas) {
  for (const std::size_t size : {0u, 1u, 1000u, 3'000'000u}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i * i % 23);
    const std::string packed = gzipped(text);
    EXPECT_TRUE(is_gzipped(packed));
    const Result<std::string> back = gunzipped("text", packed);
    ASSERT_TRUE(back) << size;
    EXPECT_EQ(*back, text);
  }
  EXPECT_FALSE(is_gzipped("plain"));
}

TEST(Gzip, RefusesWhatIsCutOrDamaged) {
  const std::string packed = gzipped(std::string(10'000, 'x'));
  for (const std::string& wrong :
       {packed.substr(0, packed.size() / 2), std::string("\x1f\x8bnothing"), std::string()}) {
    const Result<std::string> back = gunzipped("answer", wrong);
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().message, "answer: damaged or cut off");
  }
}

}  // namespace
}  // namespace lips
