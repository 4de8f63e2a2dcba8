// The data that tasks read: stores, data sets, blocks and their replicas.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/zone_set.h"

namespace lips {

// A zonal bucket lies in one zone (S3 Express One Zone), a regional one beside all zones of its region (S3 Standard).
enum class StoreKind : std::uint8_t { node_directory, zonal_volume, zonal_bucket, regional_bucket, internet };

constexpr bool is_bucket(StoreKind kind) {
  return kind == StoreKind::zonal_bucket || kind == StoreKind::regional_bucket;
}

// An end of a transfer, as far as its price depends on it.
enum class EndKind : std::uint8_t { zone, regional_bucket, internet };

constexpr EndKind end_kind(StoreKind kind) {
  if (kind == StoreKind::regional_bucket) return EndKind::regional_bucket;
  return kind == StoreKind::internet ? EndKind::internet : EndKind::zone;
}

struct DataStore {
  std::string name;
  StoreKind kind = StoreKind::node_directory;
  ZoneId zone;         // a store outside all zones has one of its own, without nodes
  NodeId node;         // of a node directory, else none
  Mebibytes capacity;  // 0: no limit
  Mebibytes used;
  UsdPerMebibyteHour price;
  static constexpr auto fields = field_names("name", "kind", "zone", "node", "capacity", "used", "price");
};

// A verified copy of a block. LiPS made the extra ones and may drop them again. The last replica of a block is never
// dropped.
struct Replica {
  StoreId store;
  bool extra = false;
  TimePoint last_read{};
  static constexpr auto fields = field_names("store", "extra", "lastRead");
  friend bool operator==(const Replica&, const Replica&) = default;
};

struct Block {
  DataSetId data_set;
  Mebibytes size;
  ZoneSet zones;                  // with a replica
  std::vector<Replica> replicas;  // sorted by store
  ZoneSet coming = {};            // without one, to which a copy is under way
  static constexpr auto fields = field_names("dataSet", "size", "zones", "replicas", "coming");

  const Replica* on(StoreId store) const {
    for (const Replica& replica : replicas)
      if (replica.store == store) return &replica;
    return nullptr;
  }
};

// A block of a stripe and the replica of it that is read.
struct StripeSource {
  BlockId block;
  StoreId store;
  static constexpr auto fields = field_names("block", "store");
  friend bool operator==(const StripeSource&, const StripeSource&) = default;
};

// An erasure code: k native blocks and n - k parity blocks a stripe, any k of which yield all of them.
struct ErasureCode {
  std::int32_t n = 0, k = 0;
  static constexpr auto fields = field_names("n", "k");
};

struct DataSet {
  std::string name;
  BlockId first_block;
  std::uint32_t blocks = 0;  // native blocks; parity blocks follow them (model/stripe.h)
  Mebibytes size;            // of the native blocks
  ErasureCode code;          // n == 0: replicated
  PoolId pool = {};          // that its extra copies are for; none: not known
  static constexpr auto fields = field_names("name", "firstBlock", "blocks", "size", "code", "pool");
};

}  // namespace lips
