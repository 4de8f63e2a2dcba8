// Moves whose API server is restored from a backup at any point of their lives.
#include <gtest/gtest.h>

#include "tests/kubernetes/data/move_world.h"

namespace lips::kubernetes {
namespace {

struct Histories {
  int restored = 0, drops = 0, kept_by_proof = 0, unfinished = 0;
};

Histories live_through(MoveWorld::Restores restores, std::uint64_t seeds) {
  Histories all;
  for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MoveWorld world(seed, restores);
    for (int i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) world.happen(false);
    if (!testing::Test::HasFailure()) world.settle();
    all.restored += world.restored, all.drops += world.drops, all.kept_by_proof += world.kept_by_proof;
    for (const MoveWorld::Move& move : world.truth.moves) all.unfinished += !move.gone && !move.status.finished;
  }
  return all;
}

// Nobody looked before it was confirmed, so statuses promise what is not there.
TEST(RestoredMoves, LoseNoByteThoughTheirStatusesAreNotTrue) {
  const Histories all = live_through({.happen = true}, 400);
  EXPECT_GT(all.restored, 800);
  EXPECT_GT(all.drops, 50);
  EXPECT_GT(all.kept_by_proof, 5) << "without the proof these files would have been deleted";
}

// Two names of one place: what is dropped under one is gone under the other.
TEST(AliasedStores, LoseNoByte) {
  for (const bool restores : {false, true}) {
    const Histories all = live_through({.happen = restores, .aliases = true}, 1000);
    EXPECT_GT(all.drops, 50);
    EXPECT_GT(all.kept_by_proof, 5) << "without the proof these files would have been deleted";
  }
}

// Between directories of two nodes nothing can be proven; there the person who confirms has looked.
TEST(RestoredMoves, KeepEveryPromiseOnceTheStatusesAreCorrected) {
  const Histories all = live_through({.happen = true, .corrected = true, .every_sight = false}, 400);
  EXPECT_GT(all.restored, 800);
  EXPECT_GT(all.drops, 50);
  EXPECT_EQ(all.unfinished, 0);
}

}  // namespace
}  // namespace lips::kubernetes
