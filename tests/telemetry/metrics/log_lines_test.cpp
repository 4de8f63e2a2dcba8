#include "telemetry/metrics/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lips {
namespace {

const WallTime noon{std::chrono::milliseconds(1'700'000'000'123)};

TEST(LogLines, AreLogfmt) {
  EXPECT_EQ(logfmt_line(noon, LogLevel::info, "a \"pod\"", {{"pod", "ns/a-1"}, {"why", "two words"}, {"count", 3}}),
            "time=2023-11-14T22:13:20.123Z level=info msg=\"a \\\"pod\\\"\" pod=ns/a-1 why=\"two words\" count=3\n");
}

TEST(LogLines, AreJson) {
  EXPECT_EQ(
      json_line(
          noon, LogLevel::warning, "x\ny",
          {{"n", 0.5}, {"ok", true}, {"no", false}, {"id", "17"}, {"big", std::numeric_limits<double>::infinity()}}),
      "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warning\",\"msg\":\"x\\ny\",\"n\":0.5,\"ok\":true,\"no\":"
      "false,\"id\":\"17\",\"big\":\"inf\"}\n");
}

TEST(LogLines, LeaveOutWhatIsBelowTheLevel) {
  std::vector<std::string> lines;
  LineLog log(LineLog::Form::logfmt, LogLevel::warning, [&](const std::string& line) { lines.push_back(line); });
  log.info("not this");
  log.warning("this");
  log.set_level(LogLevel::debug);
  log.debug("and this");
  log.set_level(LogLevel::off);
  log.error("not this");
  EXPECT_EQ(lines.size(), 2u);
}

}  // namespace
}  // namespace lips
