#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/operator_metrics.h"
#include "tests/telemetry/metrics/doing.h"

namespace lips {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(OperatorStateMetric, IsOneForWhatIsDoneNow) {
  OperatorMetrics metrics{{"1.2", "abc", "test"}};
  EXPECT_THAT(metrics.exposition(), HasSubstr("lips_operator_state{state=\"awaits-lists\"} 1\n"));
  for (const Doing now : enumerators<Doing>) {
    metrics.on_state(doing(now));
    const std::string text = metrics.exposition();
    for (const Doing each : enumerators<Doing>)
      EXPECT_THAT(text, HasSubstr("lips_operator_state{state=\"" + std::string(doing_names[each]) + "\"} " +
                                  (each == now ? "1" : "0") + "\n"));
    EXPECT_EQ(metrics.state(), doing(now));
  }
}

TEST(OperatorStateMetric, SaysThatSomethingThatPlansNeedIsMissing) {
  OperatorMetrics metrics{{"1.2", "abc", "test"}};
  EXPECT_THAT(metrics.exposition(), HasSubstr("\nlips_synced 0\n"));
  metrics.on_state(doing(Doing::stands_by));
  EXPECT_THAT(metrics.exposition(), HasSubstr("\nlips_synced 1\n"));
  OperatorState state = doing(Doing::awaits);
  state.awaited = {{"pods", "403", TimePoint{}}};
  state.degraded = {{"datasets.lips.dev", "403", TimePoint{}}};
  metrics.on_state(state);
  EXPECT_THAT(metrics.exposition(),
              AllOf(HasSubstr("\nlips_synced 0\n"), HasSubstr("lips_missing{kind=\"pods\",needed=\"true\"} 1\n"),
                    HasSubstr("lips_missing{kind=\"datasets.lips.dev\",needed=\"false\"} 1\n")));
  metrics.on_state(doing(Doing::decides));
  EXPECT_THAT(metrics.exposition(),
              AllOf(HasSubstr("\nlips_synced 1\n"), HasSubstr("lips_missing{kind=\"pods\",needed=\"true\"} 0\n"),
                    HasSubstr("lips_missing{kind=\"datasets.lips.dev\",needed=\"false\"} 0\n")));
}

}  // namespace
}  // namespace lips
