#include "kubernetes/data/move_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

MoveClaim claim(const std::string& name, const char* blocks, const std::string& to = "b") {
  return {name, "s", "a", to, "zone-a", "zone-" + to, *BlockRanges::parse(blocks), 100};
}

TEST(MoveAdmission, LetsOneMoveABlockBegin) {
  MoveAdmission admission({4, 64});
  EXPECT_EQ(admission.admit(claim("first", "0-3")), "");
  EXPECT_THAT(admission.admit(claim("second", "3-5")), HasSubstr("waiting for DataMove first"));
  EXPECT_EQ(admission.admit(claim("third", "4-5")), "") << "the second has not begun: it is in nobody's way";
}

TEST(MoveAdmission, CountsMovesByPairsOfZonesAndInAll) {
  MoveAdmission admission({1, 2});
  EXPECT_EQ(admission.admit(claim("1", "0")), "");
  EXPECT_THAT(admission.admit(claim("2", "1")), HasSubstr("1 moves are copying from zone-a to zone-b"));
  EXPECT_EQ(admission.admit(claim("3", "2", "c")), "");
  EXPECT_THAT(admission.admit(claim("4", "3", "d")), HasSubstr("2 moves are copying"));
  EXPECT_EQ(admission.admit(claim("5", "4", "")), "") << "a drop copies nothing";
}

TEST(MoveAdmission, ReservesRoom) {
  MoveAdmission admission({4, 64});
  admission.set_use("b", {1000, 850, {}});
  EXPECT_EQ(admission.admit(claim("1", "0")), "");
  EXPECT_THAT(admission.admit(claim("2", "1")), HasSubstr("waiting for room: DataStore b"));
}

// Nobody looks whether a file is where a data set says.
TEST(MoveAdmission, WhatANamespaceOnlyDeclaresTakesAtMostHalfOfAStoreFromOthers) {
  StoreUse use{1000, 100, {{"evil", std::numeric_limits<std::int64_t>::max()}, {"etl", 150}, {"worse", 4000}}};
  EXPECT_EQ(room_for(use, "etl"), 1000 - 100 - 150 - 500);
  EXPECT_EQ(room_for(use, "evil"), 0) << "what it declares counts in full for itself";
  EXPECT_EQ(room_for(use, "new"), 400);
  use.originals = {{"other", 300}};
  EXPECT_EQ(room_for(use, "etl"), 600) << "below half of the store it is believed";
  use.copies = 1000;
  EXPECT_EQ(room_for(use, "etl"), 0) << "what moves wrote is there";
  MoveAdmission admission({4, 64});
  use.copies = 500;
  admission.set_use("b", use);
  MoveClaim wanted = claim("1", "0");
  wanted.data_set = "etl/books";
  EXPECT_EQ(admission.admit(wanted), "");
  wanted.blocks = *BlockRanges::parse("1"), wanted.bytes = 101;
  EXPECT_THAT(admission.admit(wanted), HasSubstr("waiting for room: DataStore b")) << "the first has taken its part";
}

}  // namespace
}  // namespace lips::kubernetes
