// Facts that a cloud bills: lives of nodes, bytes between places, bytes stored, requests. Knows no price but that of a
// node, which is a fact of its life.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/data.h"
#include "model/nodes.h"

namespace lips {

struct NodeLife {
  std::string instance_type;
  ZoneId zone;
  CapacityType capacity_type = CapacityType::on_demand;
  UsdPerHour price;               // on demand or spot, as it was paid
  TimePoint launched{}, ended{};  // from the launch request to termination, boot included
};

struct RequestCount {
  std::uint64_t reads = 0, writes = 0;
};

struct Usage {
  Duration span{};  // of these facts; commitments are paid for each of its hours
  std::vector<NodeLife> nodes;
  std::vector<std::vector<Mebibytes>> sent;  // [from][to] by zone; nothing where a row or column is missing
  IdVector<StoreId, double> mebibyte_hours;  // of stores that bill the bytes that they hold
  IdVector<StoreId, RequestCount> requests;  // to buckets
  void send(ZoneId from, ZoneId to, Mebibytes size);
  void keep(StoreId store, Mebibytes size, Duration span);
  // Counts one request for each part of a body of that size, and at least one.
  void request(StoreId store, Mebibytes size, bool write);
  // Bytes, and requests where a store is a bucket.
  void read(const IdVector<StoreId, DataStore>& stores, StoreId from, ZoneId to, Mebibytes size);
  void copy(const IdVector<StoreId, DataStore>& stores, StoreId from, StoreId to, Mebibytes size);
};

}  // namespace lips
