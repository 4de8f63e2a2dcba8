// The replicas of a simulated cluster: their places, moves and losses.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/world.h"

namespace lips::simulation {

class TruthData {
 public:
  explicit TruthData(World& world);

  // Brings back the replicas that a node took with it when it failed.
  void return_replicas(std::uint32_t failure);
  bool has_space(StoreId store, Mebibytes size) const;
  void change_used(StoreId store, Mebibytes by);
  void change_extra(StoreId store, Mebibytes by);
  void add_replica(BlockId block, const Replica& replica);
  void remove_replica(BlockId block, StoreId store);
  void start_move(MoveId id, const DataMove& move);
  void drop(const ReplicaDrop& drop);
  void send(Move& move);
  void add_move(const Move& move);
  // Ends a copy, not the write of a task (TruthOutput).
  void end_move(std::uint32_t index, bool whole);
  void lose_replicas(StoreId store, bool comes_back, std::uint32_t failure);
  bool lost_for_good(BlockId block) const;  // and not decodable either

 private:
  bool gone_for_good(BlockId block) const {
    return world_.replicas[block].empty() && (copies_away_.empty() || copies_away_[block.index()] == 0);
  }

  World& world_;
  IdVector<StoreId, std::vector<BlockId>> held_;  // blocks that were ever put there; filled only where nodes fail
  std::vector<std::vector<std::pair<BlockId, Replica>>> away_;  // by failure: replicas that come back with the node
  std::vector<std::uint32_t> copies_away_;                      // by block
};

}  // namespace lips::simulation
