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
  figures.baselines = {{"fifo", {Usd(2), {}, {}, {}, {}}, {Usd(1), {}, {}, {}, {}}, 7}};
  return figures;
}

std::string title(const std::string& page) {
  const std::size_t from = page.find("<h1>") + 4;
  return page.substr(from, page.find("</h1>") - from);
}

TEST(StatusPage, JudgesWhoPaysForNodesByTheInvoice) {
  const std::string page = render_status_page(planning(), nullptr, {});
  EXPECT_EQ(title(page), "$19.00 paid, $2.00 of it for idle nodes; $0.050 for a core-hour of work");
  EXPECT_THAT(page, AllOf(HasSubstr("nodes $17.00, bytes and copies $2.00"), HasSubstr("By use, not the invoice")));
}

TEST(StatusPage, JudgesWhoPaysByUseByUse) {
  OperatorFigures figures = planning();
  figures.pays_for_nodes = false;
  const std::string page = render_status_page(figures, nullptr, {});
  EXPECT_EQ(title(page), "$3.00 spent by use; on the $2.00 that can be compared, 100 % more than fifo");
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
