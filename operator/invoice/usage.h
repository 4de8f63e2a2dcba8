// What happened, as far as a cloud bills it: lives of nodes, bytes between places, bytes kept, requests. Facts only;
// knows no price but that of a node, which is a fact of its life.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/nodes.h"

namespace lips {

struct NodeLife {
  std::string instance_type;
  ZoneId zone;
  CapacityType capacity_type = CapacityType::on_demand;
  UsdPerHour price;               // on demand or spot, as it was paid
  TimePoint launched{}, ended{};  // from the request to launch it to its termination, the boot within
};

struct RequestCount {
  std::uint64_t reads = 0, writes = 0;
};

struct Usage {
  Duration span{};  // that the facts are of: commitments are for each hour of it
  std::vector<NodeLife> nodes;
  std::vector<std::vector<Mebibytes>> sent;  // by zone, from and to; a row or column that is missing: nothing
  IdVector<StoreId, double> mebibyte_hours;  // kept; of stores whose room is paid for by what lies in them
  IdVector<StoreId, RequestCount> requests;  // of buckets
  void send(ZoneId from, ZoneId to, Mebibytes size);
  void keep(StoreId store, Mebibytes size, Duration span);
  // A body of that size, in as many requests as its parts; at least one.
  void request(StoreId store, Mebibytes size, bool write);
};

}  // namespace lips
