// Room in stores, less the plan's own moves and copies.
#pragma once

#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

class StoreRoom {
 public:
  StoreRoom(const ClusterSnapshot& cluster, const Plan& plan);
  // Takes room for a copy in the store; false: it has none.
  bool take(StoreId store, BlockId block);
  // In a store of the node's zone: the node's own first. None when there is none.
  StoreId take_near(NodeId node, BlockId block);

 private:
  const ClusterSnapshot& cluster_;
  IdVector<StoreId, Mebibytes> taken_;
};

}  // namespace lips
