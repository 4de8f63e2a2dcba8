#include "kubernetes/api/retry.h"

#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using std::chrono::milliseconds;

const RetryRules rules{4, milliseconds(100), milliseconds(1000)};

TEST(Retry, DoublesBetweenHalfAndAllUpToTheMost) {
  Random random(7);
  for (int round = 0; round < 100; ++round)
    for (const auto& [tries, whole] : {std::pair(1, 100), {2, 200}, {3, 400}, {4, 800}, {5, 1000}, {60, 1000}}) {
      const milliseconds pause = backoff(tries, rules, random);
      EXPECT_GE(pause, milliseconds(whole / 2)) << tries;
      EXPECT_LE(pause, milliseconds(whole)) << tries;
    }
}

TEST(Retry, IsTheSameForTheSameSeed) {
  Random one(3), other(3), different(4);
  bool differs = false;
  for (int tries = 1; tries < 10; ++tries) {
    const milliseconds pause = backoff(tries, rules, one);
    EXPECT_EQ(pause, backoff(tries, rules, other));
    differs = differs || pause != backoff(tries, rules, different);
  }
  EXPECT_TRUE(differs);
}

TEST(Retry, RepeatsWhatWasSurelyNotDoneWhateverTheVerb) {
  Random random(1);
  EXPECT_TRUE(pause_before_next_try({.http_code = 429}, 1, rules, random));
  EXPECT_TRUE(pause_before_next_try({.http_code = 0, .delivered = false}, 1, rules, random));
  EXPECT_FALSE(pause_before_next_try({.http_code = 0, .delivered = true}, 1, rules, random));
  EXPECT_FALSE(pause_before_next_try({.http_code = 500}, 1, rules, random));
}

TEST(Retry, RepeatsServerFailuresOnlyWhereThatIsHarmless) {
  Random random(1);
  for (const int code : {0, 500, 502, 503, 504})
    EXPECT_TRUE(pause_before_next_try({.http_code = code, .repeatable = true}, 1, rules, random)) << code;
  for (const int code : {400, 401, 403, 404, 409, 410, 422})
    EXPECT_FALSE(pause_before_next_try({.http_code = code, .repeatable = true}, 1, rules, random)) << code;
  EXPECT_FALSE(pause_before_next_try({.repeatable = true, .refused = true}, 1, rules, random));
}

TEST(Retry, EndsAfterTheMostTries) {
  Random random(1);
  EXPECT_TRUE(pause_before_next_try({.http_code = 429}, 3, rules, random));
  EXPECT_FALSE(pause_before_next_try({.http_code = 429}, 4, rules, random));
}

TEST(Retry, WaitsAtLeastAsLongAsTheServerAsksUpToFiveMinutes) {
  Random random(1);
  const auto pause =
      pause_before_next_try({.http_code = 429, .retry_after = std::chrono::seconds(7)}, 1, rules, random);
  ASSERT_TRUE(pause);
  EXPECT_GE(*pause, milliseconds(7000));
  EXPECT_LE(*pause, milliseconds(7050));
  EXPECT_LE(*pause_before_next_try({.http_code = 503, .repeatable = true, .retry_after = std::chrono::hours(9)}, 1,
                                   rules, random),
            std::chrono::minutes(5) + milliseconds(50));
}

}  // namespace
}  // namespace lips::kubernetes
