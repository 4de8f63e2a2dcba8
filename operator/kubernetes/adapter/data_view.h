// The words of our custom resources at one time, by name: a listing of the model is made of them, and of nodes and
// pods.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "kubernetes/data/block_ranges.h"
#include "kubernetes/data/data_layout.h"
#include "model/data.h"
#include "model/snapshot.h"

namespace lips::kubernetes {

struct PoolEntry {
  std::string name;
  double weight = 1;
  Cores minimum, maximum;
  UsdPerCpuSecond shortfall_price;
  Targets targets = {};
  ReclaimRule reclaim = ReclaimRule::never;
};
struct StoreEntry {
  std::string name;
  StoreKind kind = StoreKind::node_directory;
  std::string zone, node;  // a node's directory is in the zone of the node
  Mebibytes capacity;
  UsdPerMebibyteHour price;
  std::string region = {};  // of a bucket; empty: its zone's
};
struct StoredBlocks {
  BlockRanges blocks, extra;  // `extra`: those of `blocks` that are extra copies
};
struct DataSetEntry {
  std::string name;  // namespace/name
  DataLayout layout;
  std::map<std::string, StoredBlocks> stores;  // replicas that may be read
  std::string pool = {};                       // of its namespace
};
struct MoveEntry {
  MoveId id;
  std::string data_set;
  std::uint32_t block = 0;
  std::string from, to;
};
// Everything but nodes and pods; each sorted by name.
struct DataView {
  std::vector<MoveEntry> moves;  // under way
  std::vector<PoolEntry> pools;
  std::vector<StoreEntry> stores;
  std::vector<DataSetEntry> data_sets;
};

}  // namespace lips::kubernetes
