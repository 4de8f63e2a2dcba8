#include "policies/lips/data/break_even.h"

#include <gtest/gtest.h>

#include "tests/policies/lips/prices.h"

namespace lips {
namespace {

// A 64 MB block between zones at 62.5 millicent; prices in millicent per ECU-second.
MoveAnswer block(double seconds, double here, double there) {
  return whether_to_move({UsdPerCpuSecond(here * millicent), UsdPerCpuSecond(there * millicent),
                          CpuSecondsPerMebibyte(seconds / 64), Mebibytes(64), UsdPerMebibyte(62.5 * millicent / 64),
                          CpuSeconds(0)});
}

TEST(WhetherToMove, MovesGrepWithTheCaptionsPrices) {
  const MoveAnswer answer = block(20, 4.44, 0.92);
  EXPECT_TRUE(answer.move);
  EXPECT_NEAR((answer.stay - answer.work_there).value() / millicent, 70.4, 1e-9);
  EXPECT_NEAR(answer.transfer.value() / millicent, 62.5, 1e-9);
}

TEST(WhetherToMove, KeepsGrepWithPricesByEcu) {
  const MoveAnswer answer = block(20, 2.22, 0.92);
  EXPECT_FALSE(answer.move);
  EXPECT_NEAR((answer.stay - answer.work_there).value() / millicent, 26.0, 1e-9);
}

TEST(WhetherToMove, MovesWordCountInBothReadings) {
  for (const auto& [here, gain] : {std::pair(4.44, 316.8), std::pair(2.22, 117.0)}) {
    const MoveAnswer answer = block(90, here, 0.92);
    EXPECT_TRUE(answer.move);
    EXPECT_NEAR((answer.stay - answer.work_there).value() / millicent, gain, 1e-9);
  }
}

TEST(WhetherToMove, BreaksEvenWhereBothCostTheSame) {
  const MoveAnswer any = block(20, 2.22, 0.92);
  ASSERT_TRUE(any.break_even);
  const double seconds = any.break_even->value() * 64;
  EXPECT_NEAR(seconds, 62.5 / 1.3, 1e-9);
  EXPECT_FALSE(block(seconds * 0.999, 2.22, 0.92).move);
  EXPECT_TRUE(block(seconds * 1.001, 2.22, 0.92).move);
  EXPECT_NEAR(block(seconds, 2.22, 0.92).saved().value(), 0, 1e-12);
}

TEST(WhetherToMove, NeverMovesToADearerNode) {
  const MoveAnswer answer = block(90, 0.92, 2.22);
  EXPECT_FALSE(answer.move);
  EXPECT_FALSE(answer.break_even);
  EXPECT_FALSE(block(90, 1, 1).move);
}

TEST(WhetherToMove, MovesAJobWithoutInputToAnyCheaperNode) {
  const MoveAnswer pi = whether_to_move({UsdPerCpuSecond(2e-5), UsdPerCpuSecond(1e-5), CpuSecondsPerMebibyte(0),
                                         Mebibytes(0), UsdPerMebibyte(1), CpuSeconds(300)});
  EXPECT_TRUE(pi.move);
  EXPECT_DOUBLE_EQ(pi.saved().value(), 3e-3);
  EXPECT_FALSE(pi.break_even);
}

}  // namespace
}  // namespace lips
