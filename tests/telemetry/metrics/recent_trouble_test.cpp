#include "telemetry/metrics/recent_trouble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/log_lines.h"

namespace lips {
namespace {

TEST(RecentTrouble, KeepsTheLastWarningsAndErrorsAndPassesAllOn) {
  std::vector<std::string> lines;
  LineLog to(LineLog::Form::logfmt, LogLevel::info, [&](const std::string& line) { lines.push_back(line); });
  TimePoint now{std::chrono::seconds(5)};
  RecentTrouble log(to, [&] { return now; });
  log.info("all is well");
  EXPECT_TRUE(log.latest().empty());
  log.warning("a write is refused", {{"code", 403}});
  now += std::chrono::seconds(1);
  log.error("a plan is refused");
  ASSERT_EQ(log.latest().size(), 2u);
  EXPECT_EQ(log.latest()[0].text, "a plan is refused");
  EXPECT_EQ(log.latest()[0].level, LogLevel::error);
  EXPECT_EQ(log.latest()[0].at, now);
  EXPECT_EQ(log.latest()[1].text, "a write is refused code=403");
  EXPECT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < 2 * RecentTrouble::most_kept; ++i) log.warning("again");
  EXPECT_EQ(log.latest().size(), RecentTrouble::most_kept);
}

}  // namespace
}  // namespace lips
