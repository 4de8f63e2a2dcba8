// The invoice of a running operator on its page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/node_meter.h"
#include "telemetry/metrics/operator_metrics.h"
#include "telemetry/status/status_page.h"

namespace lips {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

OperatorFigures planning() {
  OperatorFigures figures;
  figures.leads = true, figures.state.doing = Doing::decides, figures.epochs = 1;
  figures.spent.cpu = Usd(3);
  figures.invoice.so_far = {Usd(17), Usd(1), Usd(0.5), Usd(0.25), Usd(0.25)};
  figures.invoice.idle = Usd(2);
  figures.invoice.task_core_hours = 380;
  return figures;
}

// Two hours of which the twin of what ran has 2 % too much.
TwinState twin() {
  TwinReport report;
  report.span = 2h, report.jobs = 12, report.counted = Usd(10), report.until_last = Usd(10.2);
  report.ran = {"lips", Usd(11), 40s, true};
  report.others = {{"spread", Usd(20), 2s, true}, {"most-allocated", Usd(11.1), 5s, true}};
  report.not_known = {"gap: 10 min to 20 min <b>. what came is left out"}, report.unknown = 10min;
  return {report, 3min, ""};
}

std::string title(const std::string& page) {
  const std::size_t from = page.find("<h1>") + 4;
  return page.substr(from, page.find("</h1>") - from);
}

TEST(StatusPage, JudgesWhoPaysForNodesByTheInvoice) {
  const std::string page = render_status_page(planning(), nullptr, {});
  EXPECT_EQ(title(page), "$19.00 paid, $2.00 of it for idle nodes; $0.050 for a core-hour of work");
  EXPECT_THAT(page, HasSubstr("nodes $17.00, bytes and copies $2.00"));
}

TEST(StatusPage, SetsTheInvoiceBesideTheTwinWithItsErrorAndWaits) {
  OperatorFigures figures = planning();
  figures.twin = twin();
  const std::string page = render_status_page(figures, nullptr, {});
  EXPECT_EQ(title(page),
            "$19.00 paid, $2.00 of it for idle nodes; 45 % less than kube-scheduler would have paid for the same work, "
            "mean wait 40 s instead of 2 s (simulated over 2 h, own error +2 %)");
  EXPECT_THAT(page,
              AllOf(HasSubstr("Counted: $10.00; the twin of what ran, in the same time: $10.20"),
                    HasSubstr("0.9 %, within the twin&#39;s error"), HasSubstr("10 min of the time, and more"),
                    HasSubstr("20 min &lt;b&gt;"), HasSubstr("Compared 3 min ago"), Not(HasSubstr("comparison with"))));
}

// Two hours that kube-scheduler ran.
TwinState watched_twin() {
  TwinState state = twin();
  TwinReport& report = *state.report;
  report.watched = true;
  report.ran = {"spread", Usd(20), 2s, true}, report.others = {{"lips", Usd(11), 40s, true}};
  return state;
}

TEST(StatusPage, SaysWhatLipsWouldHaveSavedOfTheInvoiceOfOtherSchedulers) {
  OperatorFigures figures = planning();
  figures.twin = watched_twin();
  const std::string page = render_status_page(figures, nullptr, {});
  EXPECT_EQ(
      title(page),
      "$19.00 paid, $2.00 of it for idle nodes; LiPS would have paid 45 % less than kube-scheduler did, mean wait "
      "40 s instead of 2 s (simulated over 2 h, own error +2 %)");
  EXPECT_THAT(page, AllOf(HasSubstr("kube-scheduler, as it ran"), HasSubstr("would have saved"),
                          HasSubstr("Counted: $10.00 for nodes")));
  figures.twin.report->others[0].invoice = Usd(25);
  EXPECT_THAT(title(render_status_page(figures, nullptr, {})), HasSubstr("LiPS would have paid 25 % more than kube"));
  figures.twin.report->others[0].invoice = Usd(20.1);
  EXPECT_THAT(title(render_status_page(figures, nullptr, {})), HasSubstr("LiPS would have paid about as much as kube"));
}

TEST(StatusPage, CallsNothingCheaperThatTheTwinCannotTell) {
  OperatorFigures figures = planning();
  figures.twin = twin();
  std::swap(figures.twin.report->others[0], figures.twin.report->others[1]);
  EXPECT_THAT(
      title(render_status_page(figures, nullptr, {})),
      HasSubstr("about as much as kube-scheduler, most-allocated would have paid for the same work, mean wait 40 s"));
  figures.twin.report->others[0].invoice = Usd(10);
  EXPECT_THAT(title(render_status_page(figures, nullptr, {})),
              HasSubstr("10 % more than kube-scheduler, most-allocated"));
  figures.twin.report->others[0].finished = false;
  EXPECT_THAT(title(render_status_page(figures, nullptr, {})), HasSubstr("for a core-hour of work"))
      << "the twin of the other does not finish the work";
}

TEST(StatusPage, SaysWhyThereIsNoTwin) {
  OperatorFigures figures = planning();
  figures.twin.missing = "there is no journal; set journal.directory";
  EXPECT_THAT(render_status_page(figures, nullptr, {}),
              HasSubstr("No comparison with other schedulers: there is no journal; set journal.directory."));
  figures.twin = twin(), figures.twin.missing = "<odd>";
  EXPECT_THAT(
      render_status_page(figures, nullptr, {}),
      AllOf(HasSubstr("No later comparison with other schedulers: &lt;odd&gt;."), HasSubstr("Compared 3 min ago")));
}

// Values that a report lacks leave with those of the report before.
TEST(TwinMetrics, AreThoseOfTheLastReport) {
  OperatorMetrics metrics({});
  EXPECT_THAT(metrics.exposition(), HasSubstr("lips_twin_comparisons_total{outcome=\"made\"} 0"));
  metrics.twin_told(twin(), 0.5);
  EXPECT_THAT(
      metrics.exposition(),
      AllOf(HasSubstr("lips_twin_dollars{regime=\"ran\"} 11"), HasSubstr("lips_twin_dollars{regime=\"spread\"} 20"),
            HasSubstr("lips_twin_saved_ratio{regime=\"spread\"} 0.45"),
            HasSubstr("lips_twin_wait_seconds{regime=\"ran\"} 40"), HasSubstr("lips_twin_counted_dollars 10"),
            HasSubstr("lips_twin_unknown_seconds 600"), Not(HasSubstr("saved_ratio{regime=\"ran\""))));
  TwinState next = twin();
  next.report->others.pop_back(), next.report->others[0].finished = false, next.report->counted.reset();
  metrics.twin_told(next, 0.5);
  EXPECT_THAT(metrics.exposition(), AllOf(HasSubstr("lips_twin_dollars{regime=\"ran\"} 11"), Not(HasSubstr("spread")),
                                          Not(HasSubstr("most-allocated")), HasSubstr("lips_twin_error_ratio Nan")));
  next.missing = "no jobs found";
  metrics.twin_told(next, 0.5);
  EXPECT_THAT(metrics.exposition(), AllOf(HasSubstr("lips_twin_comparisons_total{outcome=\"made\"} 2"),
                                          HasSubstr("lips_twin_comparisons_total{outcome=\"failed\"} 1")));
}

TEST(TwinMetrics, TellASavingThatLipsWouldHaveMadeApart) {
  OperatorMetrics metrics({"1", "", "test"});
  metrics.twin_told(twin(), 0.5);
  metrics.twin_told(watched_twin(), 0.5);
  EXPECT_THAT(metrics.exposition(), AllOf(HasSubstr("lips_twin_would_save_ratio{regime=\"lips\"} 0.45"),
                                          Not(HasSubstr("lips_twin_saved_ratio{"))));
}

TEST(StatusPage, JudgesWhoPaysByUseByUse) {
  OperatorFigures figures = planning();
  figures.pays_for_nodes = false;
  const std::string page = render_status_page(figures, nullptr, {});
  EXPECT_EQ(title(page), "$3.00 spent by use");
  EXPECT_THAT(page, Not(HasSubstr("of it idle nodes")));
}

TEST(StatusPage, NamesNodesWithoutAPriceOfTheirOwn) {
  OperatorFigures figures = planning();
  EXPECT_THAT(render_status_page(figures, nullptr, {}), Not(HasSubstr("No price sheet")));
  figures.invoice.unpriced = {{"", 1}, {"<odd>", 2}};
  EXPECT_THAT(render_status_page(figures, nullptr, {}),
              AllOf(HasSubstr("No price sheet has 3 nodes"), HasSubstr("1 of no type, 2 of &lt;odd&gt;"),
                    HasSubstr("prices.unknownCoreHour")));
}

TEST(OperatorFigures, HaveTheNodesWithoutAPriceByType) {
  OperatorMetrics metrics({});
  metrics.on_unknown_price("n1", "odd", true), metrics.on_unknown_price("n2", "odd", true);
  metrics.on_unknown_price("n3", "other", true), metrics.on_unknown_price("n3", "", false);
  const auto unpriced = metrics.figures().invoice.unpriced;
  ASSERT_EQ(unpriced.size(), 1u);
  EXPECT_EQ(unpriced[0].first, "odd");
  EXPECT_EQ(unpriced[0].second, 2u);
}

// Two nodes of 4 cores at 3.6 USD an hour: a second of one costs 0.001 USD.
class IdleNodesTest : public testing::Test {
 protected:
  IdleNodesTest() {
    cluster_.zones.push_back({"a"});
    for (const char* name : {"one", "two"}) {
      Node node;
      node.name = name, node.zone = ZoneId(0), node.capacity = {Cores(4), Mebibytes(1024), 4};
      node.price = UsdPerHour(3.6);
      cluster_.nodes.push_back(node);
    }
  }
  void run_on(NodeId node) {
    RunningTask run;
    run.node = node;
    cluster_.running.push_back(run);
  }
  void look(Duration at) { meter_.look(cluster_, TimePoint(at)); }

  ClusterSnapshot cluster_;
  MetricRegistry registry_;
  NodeMeter meter_{registry_};
};

TEST_F(IdleNodesTest, CostWhatNothingRanOn) {
  run_on(NodeId(0));
  look(0s);
  look(100s);
  EXPECT_NEAR(meter_.dollars().value(), 0.2, 1e-9);
  EXPECT_NEAR(meter_.idle_dollars().value(), 0.1, 1e-9);
}

TEST_F(IdleNodesTest, EndWithABindingAndBeginWithALook) {
  look(0s);
  meter_.bound(cluster_.nodes[NodeId(1)], TimePoint(40s));
  meter_.count_until(TimePoint(60s));
  EXPECT_NEAR(meter_.idle_dollars().value(), 0.06 + 0.04, 1e-9);
  look(60s);  // its task has ended
  meter_.count_until(TimePoint(70s));
  EXPECT_NEAR(meter_.idle_dollars().value(), 0.06 + 0.04 + 0.02, 1e-9);
}

TEST_F(IdleNodesTest, AreNotThoseOnWhichOthersRun) {
  cluster_.nodes[NodeId(0)].others.cpu = Cores(1);
  look(0s);
  meter_.count_until(TimePoint(10s));
  EXPECT_NEAR(meter_.idle_dollars().value(), 0.01, 1e-9);
}

TEST_F(IdleNodesTest, CountWhatIsPaidAndNotWhatACommitmentCovers) {
  meter_.bill_by({{{{"", "", 1}}, {}}, {}, false}, TimePoint(0s));
  run_on(NodeId(0));
  look(0s);
  meter_.count_until(TimePoint(2h));
  EXPECT_LE(meter_.idle_dollars(), meter_.dollars());
  EXPECT_NEAR(meter_.idle_dollars().value(), meter_.dollars().value() / 2, 1e-9);
}

}  // namespace
}  // namespace lips
