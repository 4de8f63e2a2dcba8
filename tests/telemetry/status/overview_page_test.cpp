#include "telemetry/status/overview_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "telemetry/status/status_page.h"

namespace lips {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Overview sample() {
  Overview overview;
  overview.plan = LastPlan{std::chrono::seconds(12), "lips", 320, 40, 2, Usd(0.12), 0.003};
  overview.zones = {"a", "b"};
  overview.nodes = {
      {"a", "m5.large", "spot", true, 3, 1, UsdPerHour(0.3), Cores(4), Cores(6), Duration(0), std::chrono::minutes(5)}};
  overview.data = {{"etl/events", Mebibytes(2000), {Mebibytes(2000), Mebibytes(0)}, 1}};
  overview.moves = {{"etl/events", "bucket-a", "bucket-b", 7, Mebibytes(448), Usd(0.009), "b"}};
  overview.queue = {{"etl/<night>", "etl", "nothing that fits is free", 280, 40, std::chrono::seconds(90), {}}};
  overview.running = {{"etl/<night>", "etl", "beside its data", 40, 30, 40, {{"a", 30}, {"b", 10}}, Usd(0.5)}};
  return overview;
}

TEST(OverviewPage, SaysWhatWasDecidedAndWhyAndWhatWaits) {
  Overview overview = sample();
  EXPECT_THAT(render_overview(overview), HasSubstr("expected starts come in a moment"));
  overview.forecast = true;
  const std::string page = render_overview(overview);
  EXPECT_THAT(page,
              AllOf(HasSubstr("12 s ago <strong>lips</strong> placed 40 of 320 pending tasks and ordered 2 copies"),
                    HasSubstr("Counting what waiting costs, no plan is better by more than 0.3 %"),
                    HasSubstr("1 min 30 s or later"), HasSubstr("nothing that fits is free"), HasSubstr("30 of 40"),
                    HasSubstr("30 a, 10 b"), HasSubstr("beside its data"), HasSubstr("0 s to 5 min"),
                    HasSubstr("read once in b")));
  EXPECT_THAT(page,
              AllOf(HasSubstr("<a href=\"?job=etl%2F%3Cnight%3E\">etl/&lt;night&gt;</a>"), Not(HasSubstr("<night>"))));
  EXPECT_THAT(page, Not(HasSubstr("All below is as of")));
  overview.age = std::chrono::seconds(40);
  EXPECT_THAT(render_overview(overview), AllOf(HasSubstr("52 s ago"), HasSubstr("All below is as of 40 s ago")));
}

TEST(OverviewPage, SaysWhatIsExpectedAndWhereThereIsRoomForIt) {
  Overview overview = sample();
  EXPECT_THAT(render_overview(overview), Not(HasSubstr("What is announced")));
  overview.expected = {{"etl/<next>", "etl/events", "a, b", std::chrono::minutes(25), 0.5, CpuSeconds(9000)},
                       {"etl/late", "", "", -std::chrono::minutes(2), 1, CpuSeconds(1)}};
  EXPECT_THAT(render_overview(overview),
              AllOf(HasSubstr("What is announced"), HasSubstr("etl/&lt;next&gt;"), HasSubstr("in 25 min"),
                    HasSubstr("50 %"), HasSubstr("2.5"), HasSubstr("a, b"), HasSubstr("2 min ago")));
}

TEST(OverviewPage, NodesThatMayBeBoughtHaveATableOfTheirOwn) {
  Overview overview = sample();
  EXPECT_THAT(render_overview(overview), Not(HasSubstr("may be bought")));
  overview.offers = {{"b", "c7g.large", "spot", 12, UsdPerHour(0.07), Cores(2), std::chrono::seconds(45)},
                     {"b", "c7g.large", "on-demand", 0, UsdPerHour(0.15), Cores(2), std::chrono::seconds(45)},
                     {"a", "m6i.large", "spot", 4'294'967'295, UsdPerHour(0.08), Cores(2), std::chrono::seconds(45)}};
  const std::string page = render_overview(overview);
  const std::size_t there = page.find("Nodes that are there"), offered = page.find("Nodes that may be bought");
  ASSERT_NE(offered, std::string::npos);
  EXPECT_LT(there, offered);
  EXPECT_THAT(page.substr(there, offered - there), AllOf(HasSubstr("m5.large"), Not(HasSubstr("c7g.large"))));
  EXPECT_THAT(page.substr(offered), AllOf(HasSubstr("c7g.large"), HasSubstr("12"), HasSubstr("$0.070"),
                                          HasSubstr("sold out"), HasSubstr("any number"), HasSubstr("45 s")));
}

TEST(OverviewPage, AnEmptyClusterSaysSo) {
  EXPECT_THAT(render_overview({}), AllOf(HasSubstr("No plan was made yet"), HasSubstr("Nothing waits"),
                                         HasSubstr("no nodes"), HasSubstr("no data sets")));
}

TEST(OverviewPage, AJobHasItsTasksItsDollarsAndWhyItWaits) {
  JobView job;
  job.name = "etl/night", job.pool = "etl", job.why = "etl-17 waits because\nnothing that fits is free";
  job.maps = 600, job.waiting = 590, job.running = 10;
  job.due = -std::chrono::minutes(3);
  job.inputs = {{"etl/events", Mebibytes(2000)}};
  job.tasks = {{"etl/night-3", "runs", "node-1", "a", "in its zone", std::chrono::seconds(30)}};
  job.more_tasks = 99;
  job.dollars = {{"2026-11-23", 4, Usd(1), Usd(1.25), Usd(2)}};
  const std::string page = render_job_page({}, job, {});
  EXPECT_THAT(
      page, AllOf(HasSubstr("nothing that fits is free"), HasSubstr("and 99 more"), HasSubstr("in its zone"),
                  HasSubstr("3 min ago"), HasSubstr("2026-11-23"), HasSubstr("etl/events"), HasSubstr("href=\"./\"")));
  EXPECT_THAT(render_no_job({}, "there is no job '<x>'", {}), HasSubstr("there is no job &#39;&lt;x&gt;&#39;"));
}

TEST(StatusPage, HasAScriptOnlyWithItsNonceAndWhereItMayReload) {
  const Overview overview = sample();
  const std::string live = render_status_page({}, &overview, {true, "abc"});
  EXPECT_THAT(live,
              AllOf(HasSubstr("<script nonce=\"abc\" data-every=\"5\">"), HasSubstr("<noscript><meta http-equiv")));
  for (const std::string& still :
       {render_status_page({}, &overview, {false, "abc"}), render_status_page({}, &overview, {})})
    EXPECT_THAT(still, Not(HasSubstr("<script")));
}

TEST(StatusPage, NamesEachPartOnceAndItsLinksLeadToParts) {
  const Overview overview = sample();
  const std::string page = render_status_page({}, &overview, {});
  const std::regex part("<section id=\"([a-z]+)\" data-live>"), link("href=\"#([a-z]+)\"");
  std::set<std::string> parts;
  for (std::sregex_iterator at(page.begin(), page.end(), part), end; at != end; ++at)
    EXPECT_TRUE(parts.insert((*at)[1]).second) << (*at)[1];
  EXPECT_EQ(parts.size(), 9u);
  int links = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), link), end; at != end; ++at, ++links)
    EXPECT_TRUE(parts.contains((*at)[1])) << (*at)[1];
  EXPECT_EQ(links, 7);
}

TEST(StatusPage, ShowsTargetsAndWhichCannotBeHeld) {
  OperatorFigures figures;
  figures.targets = {
      {"etl", TargetKind::budget_per_day, 100, 40, 130, 0.5, TargetState::cannot, "fixed nodes cost more"},
      {"", TargetKind::mean_wait, 600, 30, 60, 2, TargetState::held}};
  EXPECT_THAT(render_status_page(figures, nullptr, {}),
              AllOf(HasSubstr("budget-per-day"), HasSubstr("$130"), HasSubstr("cannot: fixed nodes cost more"),
                    HasSubstr("all together"), HasSubstr("10 min")));
}

TEST(StatusPage, StaysBelowAMebibyteWithAThousandJobs) {
  Overview overview = sample();
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "team-" + std::to_string(i % 40) + "/a-job-with-a-long-name-" + std::to_string(i);
    overview.queue.push_back({name, "team", "nothing that fits is free", 1000, 10, std::chrono::minutes(i), {}});
    overview.running.push_back(
        {name, "team", "beside its data", 10, 5, 10, {{"us-east-1a", 5}, {"us-east-1b", 5}}, Usd(1)});
  }
  for (int i = 0; i < 60; ++i) overview.nodes.push_back(overview.nodes[0]);
  EXPECT_LT(render_status_page({}, &overview, {true, "abc"}).size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace lips
