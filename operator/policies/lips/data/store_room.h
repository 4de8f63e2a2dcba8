// Room in stores, less the plan's own moves and copies.
#pragma once

#include <optional>

#include "model/plan.h"
#include "model/snapshot.h"
#include "policies/lips/data/store_parts.h"

namespace lips {

class StoreRoom {
 public:
  StoreRoom(const ClusterSnapshot& cluster, const Plan& plan);
  // Takes room for a copy in the store; false: it has none.
  bool take(StoreId store, BlockId block);
  // Takes room for an extra copy, within the share of its namespace, in a store of the node's zone: the node's own
  // first. None when there is none.
  StoreId take_near(NodeId node, BlockId block);

 private:
  bool take_copy(StoreId store, BlockId block);

  const ClusterSnapshot& cluster_;
  IdVector<StoreId, Mebibytes> taken_;
  std::optional<StoreParts> shares_;  // as of the first copy into a store with a limit
};

}  // namespace lips
