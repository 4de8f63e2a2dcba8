// A snapshot with its prices: the content of a snapshot file. Knows no format.
#pragma once

#include "model/costs.h"
#include "model/snapshot.h"

namespace lips {

struct SnapshotFile {
  ClusterSnapshot cluster;
  CostModel costs;
};

}  // namespace lips
