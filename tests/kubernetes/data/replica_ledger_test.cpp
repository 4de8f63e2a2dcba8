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

}  // namespace
}  // namespace lips::kubernetes
