#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "telemetry/report/text_table.h"
#include "tests/telemetry/report/report_sample.h"

namespace lips {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_report;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(TextTable, IsAlignedWithinAHundredColumns) {
  const auto rows = lines(render_text_table(sample_report()));
  ASSERT_EQ(rows.size(), 7U);
  for (const auto& row : rows) EXPECT_LE(row.size(), 100U) << row;
  EXPECT_THAT(rows[0], HasSubstr("by use  saving"));
  EXPECT_THAT(rows[0], HasSubstr("invoice"));
  EXPECT_THAT(rows[2], HasSubstr("2h 16m"));
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(rows[i].size(), rows[0].size());
}

TEST(TextTable, ShowsTheSavingAgainstTheBaseline) {
  ReportData data;
  data.baseline = "fair";
  data.lower_bound = ReportLowerBound{"linear program", 50};
  data.runs.resize(3);
  data.runs[0].policy = "lips", data.runs[0].bill.dollars = 69;
  data.runs[1].policy = "fair", data.runs[1].bill.dollars = 100;
  data.runs[2].policy = "fifo", data.runs[2].bill.dollars = 104;
  EXPECT_EQ(render_text_table(data),
            "policy  dollars  saving  x bound  makespan  mean job  p95 job\n"
            "------  -------  ------  -------  --------  --------  -------\n"
            "lips     $69.00    +31%     1.38        0s        0s       0s\n"
            "fair    $100.00    base     2.00        0s        0s       0s\n"
            "fifo    $104.00     -4%     2.08        0s        0s       0s\n"
            "lower bound $50.00 (linear program)\n");
}

TEST(TextTable, LeavesOutTheLeastImportantColumnsInANarrowTerminal) {
  const auto text = render_text_table(sample_report(), 50);
  for (const auto& row : lines(text)) EXPECT_LE(row.size(), 50U) << row;
  EXPECT_THAT(text, HasSubstr("by use"));
  EXPECT_THAT(text, HasSubstr("makespan"));
  EXPECT_THAT(text, Not(HasSubstr("fairness")));
}

TEST(TextTable, DisarmsControlCharactersAndShortensLongNames) {
  ReportData data;
  data.runs.resize(2);
  data.runs[0].policy = "\x1b[31mred";
  data.runs[1].policy = "größenordnungsgemäßes-verfahren";
  const auto text = render_text_table(data);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("größenordnungsgemäßes-v~  "));
}

TEST(TextTable, IsEmptyWithoutRuns) { EXPECT_EQ(render_text_table({}), ""); }

}  // namespace
}  // namespace lips
