#include "telemetry/metrics/metric_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace lips {
namespace {

using testing::HasSubstr;

TEST(MetricList, NamesTheBillByUseWhereDollarsAreByUse) {
  int by_use = 0;
  for (const MetricAbout& metric : metric_list) {
    const std::string name(metric.name);
    if (!std::regex_match(name, std::regex("lips_(spend|predicted|counted)_dollars.*"))) continue;
    EXPECT_THAT(std::string(metric.help), HasSubstr("by use")) << name;
    ++by_use;
  }
  EXPECT_EQ(by_use, 3);
}

}  // namespace
}  // namespace lips
