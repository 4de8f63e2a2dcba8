#include "kubernetes/data/replica_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

BlockRanges blocks(const char* text) { return *BlockRanges::parse(text); }

// Blocks 0-3 in a, about to leave it, and copies in b, whose node may be dead.
Replicas replicas() {
  HeldBlocks a{"a", blocks("0-3"), {}, {}, blocks("0-3")}, b{"b", blocks("0-3"), blocks("0-3"), {}, {}};
  return {a, b};
}

TEST(ReplicaLedger, AReplicaOnADeadNodeIsNotTheOtherOne) {
  const LedgerEntry entry{"a", "", blocks("0-3"), false};
  const auto all = [](const std::string&) { return true; };
  const auto b_is_dead = [](const std::string& store) { return store != "b"; };
  EXPECT_TRUE(with_action(replicas(), MoveAction::remove_source, entry, false, all));
  const auto refused = with_action(replicas(), MoveAction::remove_source, entry, false, b_is_dead);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("last replica"));
  MoveView view;
  fill_replicas(replicas(), entry, b_is_dead, view);
  EXPECT_FALSE(view.others_hold);
  fill_replicas(replicas(), entry, all, view);
  EXPECT_TRUE(view.others_hold);
  EXPECT_TRUE(held_elsewhere(replicas(), "a", b_is_dead).empty());
}

// Two stores may be one bucket under two names, or the second never had the files.
TEST(ReplicaLedger, AnOriginalThatWasOnlyDeclaredIsNoReasonToDeleteAnother) {
  const auto all = [](const std::string&) { return true; };
  const LedgerEntry entry{"a", "", blocks("0-3"), false};
  Replicas two{{"a", blocks("0-3"), {}, {}, blocks("0-3")}, {"b", blocks("0-3"), {}, {}, {}}};
  const auto refused = with_action(two, MoveAction::remove_source, entry, false, all);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("last replica that a move has read"));
  MoveView view;
  fill_replicas(two, entry, all, view);
  EXPECT_FALSE(view.others_hold);
  two[1].copies = blocks("0-2");
  EXPECT_EQ(held_elsewhere(two, "a", all), blocks("0-2"));
  two[1].copies = blocks("0-3");
  EXPECT_TRUE(with_action(two, MoveAction::remove_source, entry, false, all));
  EXPECT_EQ(held_elsewhere(two, "b", all), BlockRanges()) << "those in a are about to go";
  two[0].leaving = {};
  EXPECT_EQ(held_elsewhere(two, "b", all), blocks("0-3")) << "a copy is another file than the original";
}

}  // namespace
}  // namespace lips::kubernetes
