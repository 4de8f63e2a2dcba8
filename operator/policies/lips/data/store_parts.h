// The room of a store that extra copies of each namespace may take. A store more than half of which is in use is shared
// out: what originals leave, in proportion to the weights of the namespaces' pools.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/snapshot.h"

namespace lips {

// Empty: a data set without namespace, as in simulations.
std::string name_space_of(const DataSet& data_set);

class StoreParts {
 public:
  explicit StoreParts(const ClusterSnapshot& cluster);

  // Says whether a store of which so much is in use may take an extra copy of the block.
  bool allow(StoreId store, BlockId block, Mebibytes used) const;
  void take(StoreId store, BlockId block);
  // Says whether extra copies of the block's namespace take more of the store than its part, and tasks of another one
  // that has less than its part wait.
  bool exceed(StoreId store, BlockId block) const;
  void give_back(StoreId store, BlockId block);

 private:
  using Owner = std::string;
  Owner owner_of(BlockId block) const;
  void claim(const DataSet& data_set);
  Mebibytes copies_of(const Owner& owner, StoreId store) const;
  // The part of what originals leave in a store of which so much is in use.
  Mebibytes part_of(const Owner& owner, StoreId store, Mebibytes used) const;

  const ClusterSnapshot& cluster_;
  std::map<Owner, double> weights_;                        // that have copies, or tasks that wait for their data
  std::set<Owner> waiting_;                                // of these, the ones with tasks that wait
  std::map<std::pair<StoreId, Owner>, Mebibytes> copies_;  // extra ones
  IdVector<StoreId, Mebibytes> all_copies_;
};

}  // namespace lips
