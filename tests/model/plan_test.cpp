#include "model/plan.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

TEST(CountDeferred, CountsTasksThatThePlanDoesNotNameUnderTheReasonOfTheRest) {
  Plan plan;
  plan.assignments.resize(2);
  plan.deferrals = {{TaskId(2), DeferralReason::pool_maximum},
                    {TaskId(3), DeferralReason::not_eligible},
                    {TaskId(4), DeferralReason::pool_maximum}};
  plan.rest = DeferralReason::cheaper_later;
  const auto counts = count_deferred(plan, 9);
  for (const DeferralReason reason : enumerators<DeferralReason>)
    EXPECT_EQ(counts[reason], reason == DeferralReason::pool_maximum    ? 2u
                              : reason == DeferralReason::not_eligible  ? 1u
                              : reason == DeferralReason::cheaper_later ? 4u
                                                                        : 0u)
        << to_string(reason);
}

// A plan that was made of an older snapshot may name more tasks than are pending now.
TEST(CountDeferred, CountsNoRestWhereThePlanNamesAllPendingTasks) {
  Plan plan;
  plan.deferrals = {{TaskId(0), DeferralReason::no_capacity}, {TaskId(1), DeferralReason::no_capacity}};
  plan.rest = DeferralReason::cheaper_later;
  for (const std::uint64_t pending : {1u, 2u}) {
    const auto counts = count_deferred(plan, pending);
    EXPECT_EQ(counts[DeferralReason::no_capacity], 2u);
    EXPECT_EQ(counts[DeferralReason::cheaper_later], 0u);
  }
}

}  // namespace
}  // namespace lips
