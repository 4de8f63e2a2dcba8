#include "telemetry/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "telemetry/report/gantt.h"
#include "telemetry/report/summary.h"
#include "telemetry/report/text_table.h"
#include "tests/telemetry/report/report_sample.h"

namespace lips {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_report;

// The faults in the nesting of tags and the quoting of attributes; empty where nothing is.
std::string fault_in(const std::string& page) {
  static const std::set<std::string> void_tags{"meta", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    if (!open.empty() && open.back() == "style" && page.compare(at, 7, "</style") != 0) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    for (bool quoted = false; end < page.size() && (quoted || page[end] != '>'); ++end) {
      if (page[end] == '"') quoted = !quoted;
      if (page[end] == '<') return "a < inside a tag: " + page.substr(at, 80);
    }
    if (end >= page.size()) return "an open tag: " + page.substr(at, 80);
    const auto name_end = page.find_first_of(" >", at);
    const auto name = page.substr(at + 1, name_end - at - 1);
    if (name[0] == '/') {
      if (open.empty() || open.back() != name.substr(1))
        return "unexpected " + name + " near " + page.substr(at > 80 ? at - 80 : 0, 100);
      open.pop_back();
    } else if (!void_tags.contains(name)) {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty() ? "" : "unclosed " + open.back();
}

std::string written(const std::string& name, const std::string& page) {
  auto path = std::string(LIPS_BINARY_DIR) + "/" + name;
  std::ofstream(path) << page;
  return path;
}

TEST(Report, IsWellFormed) {
  const auto page = render_report(sample_report());
  EXPECT_EQ(fault_in(page), "") << written("report-sample.html", page);
  written("report-sample.html", page);
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf%")));
}

TEST(Report, FetchesNothing) {
  const auto page = render_report(sample_report());
  for (const auto* outside : {"http://", "https://", "src=", "@import", "url(//", "<script", "<link", "<img"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Report, SaysFirstWhatTheSubjectCostAgainstTheBaseline) {
  ReportData data;
  data.scenario = "swim-day";
  data.lower_bound = ReportLowerBound{"offline linear program", 80};
  data.baseline = "fair";
  for (const auto& [policy, dollars] : {std::pair{"lips", 100.0}, {"delay", 120.0}, {"fair", 160.0}}) {
    data.runs.emplace_back();
    data.runs.back().policy = policy;
    data.runs.back().bill.dollars = dollars;
  }
  EXPECT_EQ(page::headline(data).sentence, "lips ran swim-day for $100.00, 38\u00A0%\u00A0less than fair.");
  EXPECT_THAT(page::headline(data).support, HasSubstr("is $80.00: no schedule that ends as early as the longest run "
                                                      "could have saved more than another 20\u00A0%."));
  data.subject = "fair", data.baseline = "lips";
  EXPECT_EQ(page::headline(data).sentence, "fair ran swim-day for $160.00, 60\u00A0%\u00A0more than lips.");
}

TEST(Report, ShowsBothBillsByNameAndTheBoundOnTheOneThatItIsAbout) {
  ReportData data;
  data.scenario = "day";
  data.bill_name = "invoice", data.other_bill_name = "by use";
  data.lower_bound = ReportLowerBound{"certified", 80, true};
  data.runs.emplace_back();
  data.runs[0].policy = "lips";
  data.runs[0].bill = {300, {{"nodes", 260}, {"transfer", 40}}};
  data.runs[0].other_bill = ReportBill{100, {{"CPU", 100}}};
  EXPECT_EQ(page::headline(data).sentence, "lips ran day for $300.00 (invoice).");
  EXPECT_THAT(page::headline(data).support,
              HasSubstr("The lower bound by use (certified) is $80.00: no schedule that ends as early as the longest "
                        "run could have saved more than another"));
  EXPECT_THAT(page::cautions(data), IsEmpty());
  const auto page = render_report(data);
  EXPECT_EQ(fault_in(page), "");
  const auto invoice = page.find("by term: invoice"), use = page.find("by term: by use");
  ASSERT_LT(invoice, use);
  ASSERT_NE(use, std::string::npos);
  const auto bound = page.find("No schedule of this work that ends as early as the longest run can cost less");
  EXPECT_GT(bound, use) << "the bound is drawn beside the bill by use alone";
  EXPECT_EQ(page.find("No schedule of this work that ends as early as the longest run can cost less", bound + 1),
            std::string::npos);
  const std::string table = render_text_table(data, 200);
  EXPECT_THAT(table, HasSubstr("policy  invoice   by use  x bound"));
  EXPECT_THAT(table, HasSubstr("1.25"));
  EXPECT_THAT(table, HasSubstr("lower bound by use $80.00"));
}

TEST(Report, WarnsWhereARunFinishedLessWorkOrCostLessThanTheBound) {
  auto data = sample_report();
  EXPECT_THAT(page::cautions(data), IsEmpty());
  data.runs[1].jobs_finished -= 3;
  data.runs[0].bill.dollars = 90;
  ASSERT_EQ(page::cautions(data).size(), 2U);
  EXPECT_THAT(page::cautions(data)[0], HasSubstr("lips cost less than the lower bound"));
  EXPECT_THAT(page::cautions(data)[1], HasSubstr("hadoop-default finished 117 of 120 jobs"));
}

TEST(Report, EscapesHostileNamesEverywhere) {
  const std::string hostile = "</style><script>alert(1)</script>\"' onload=x & \x01\xff";
  auto data = sample_report();
  data.title = data.scenario = data.generated_by = data.baseline = hostile;
  data.lower_bound->name = hostile;
  for (auto& run : data.runs) {
    run.policy += hostile;
    for (auto& term : run.bill.terms) term.name += hostile;
    for (auto& pool : run.pool_shares.pools) pool.pool += hostile;
    for (auto& pool : run.fairness->pools) pool.pool += hostile;
    run.fairness->worst_pool = hostile;
    for (auto& machine : run.machines) {
      machine.name += hostile;
      machine.zone += hostile;
      for (auto& interval : machine.busy) interval.job += hostile, interval.pool += hostile;
    }
  }
  for (auto& assumption : data.assumptions) assumption = {hostile, hostile, hostile};
  for (auto& point : data.epoch_sweep) point.policy += hostile;
  const auto page = render_report(data);
  EXPECT_EQ(fault_in(page), "");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\x01")), Not(HasSubstr("\xff")),
                          Not(HasSubstr("\"' onload"))));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(Report, LeavesOutWhatHasNoData) {
  ReportData data;
  auto page = render_report(data);
  EXPECT_EQ(fault_in(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("No run was recorded."), Not(HasSubstr("<section")), Not(HasSubstr("<nav"))));

  data.runs.resize(1);
  data.runs[0].policy = "lips";
  page = render_report(data);
  EXPECT_EQ(fault_in(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("id=\"cost\""), HasSubstr("id=\"time\"")));
  for (const auto* absent : {"locality", "pools", "machines", "epoch", "planning", "assumptions"}) {
    EXPECT_THAT(page, Not(HasSubstr("id=\"" + std::string(absent) + "\"")));
  }
  EXPECT_THAT(page, AllOf(Not(HasSubstr("less than")), Not(HasSubstr("class=\"reference\"")), Not(HasSubstr("nan"))));
}

TEST(Report, SurvivesNumbersThatAreNotFinite) {
  auto data = sample_report();
  data.runs[1].bill.dollars = std::nan("");
  data.runs[1].completion.mean_seconds = INFINITY;
  data.runs[2].locality->node = std::nan("");
  data.runs[3].pool_shares.pools[0].share[3] = std::nan("");
  data.runs[3].pool_shares.times_seconds[5] = std::nan("");
  data.runs[3].machines[0].busy[0].start_seconds = std::nan("");
  data.runs[2].machines[0].utilisation = {0.5, std::nan(""), INFINITY, -1};
  data.epoch_sweep[0].dollars = std::nan("");
  data.epoch_sweep[1].epoch_seconds = 0;
  const auto page = render_report(data);
  EXPECT_EQ(fault_in(page), "");
  for (const auto* text : {"nan", "\"inf", " inf", "inf%"}) EXPECT_EQ(page.find(text), std::string::npos) << text;
}

TEST(Report, GivesEveryDrawingWordsAndATable) {
  const auto page = render_report(sample_report());
  const std::regex drawing("<svg[^>]*>"),
      worded(
          "aria-hidden=\"true\"|role=\"img\" aria-label=\"[^\"]+\"|class=\"point\"|width=\"[^\"]*\" height=\"100%\"");
  for (std::sregex_iterator it(page.begin(), page.end(), drawing), end; it != end; ++it) {
    EXPECT_TRUE(std::regex_search(it->str(), worded)) << it->str();
  }
  const auto times = [&](const std::string& text) {
    std::size_t n = 0;
    for (auto at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(times("<figure>"), times("<details class=\"data\">"));
}

TEST(Report, StaysUnderTwoMegabytesForAHundredNodesAndTwoThousandJobs) {
  const auto data = sample_report({100, 2000, 12, 8, 30});
  const auto page = render_report(data);
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_EQ(fault_in(page), "");
  written("report-large.html", page);
  const auto dense = render_report(sample_report({40, 2000, 1, 8, 4}));
  EXPECT_LT(dense.size(), 2'000'000U);
}

TEST(Report, IsTheSameForTheSameData) { EXPECT_EQ(render_report(sample_report()), render_report(sample_report())); }

TEST(Gantt, PutsManyMachinesTogetherByClassAndZone) {
  std::vector<ReportMachine> machines;
  for (int i = 0; i < 60; ++i)
    machines.push_back(
        {std::to_string(i), i < 20 ? "big" : "small", "a", 2, {{0, i < 20 ? 100.0 : 50.0, "j", ""}}, {}});
  const auto rows = page::strips(machines, 100);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "big ×20");
  EXPECT_NEAR(rows[0].mean, 0.5, 1e-9);
  EXPECT_NEAR(rows[1].mean, 0.25, 1e-9);
  EXPECT_NEAR(rows[1].level.back(), 0, 1e-9);
}

TEST(Gantt, DrawsAtMostFortyRows) {
  std::vector<ReportMachine> machines;
  for (int i = 0; i < 90; ++i) machines.push_back({"n", "class" + std::to_string(i), "a", 1, {{0, 100, "j", ""}}, {}});
  const auto rows = page::strips(machines, 100);
  EXPECT_EQ(rows.size(), 40U);
  EXPECT_EQ(rows.back().name, "51 other classes");
}

TEST(Gantt, TakesGivenUtilisationAsItIs) {
  const std::vector<ReportMachine> machines{{"n", "", "", 8, {}, {1, 0.5}}};
  const auto rows = page::strips(machines, 10);
  EXPECT_DOUBLE_EQ(rows[0].level.front(), 1);
  EXPECT_DOUBLE_EQ(rows[0].level.back(), 0.5);
  EXPECT_NEAR(rows[0].mean, 0.75, 1e-9);
}

}  // namespace
}  // namespace lips
