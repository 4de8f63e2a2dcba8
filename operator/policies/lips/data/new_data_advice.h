// The best place for a writer's new data: answers a query outside the loop from one snapshot's prices and room. Pure;
// knows no server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policies/lips/data/new_data.h"

namespace lips {

// The part of a snapshot that the answer depends on, without its tasks and blocks.
struct NewDataAdvice {
  struct Directory {
    std::string node, store;
    ZoneId zone;
    UsdPerCpuSecond cpu_price;
    Mebibytes used, capacity;  // 0: no limit
    bool takes_tasks = true;
  };
  TimePoint at{};
  std::vector<std::string> zones;
  std::vector<Directory> directories;  // one a node; store empty: the node has none
  CostModel costs;
  ZonePrices prices;
};
NewDataAdvice advice_of(const ClusterSnapshot& cluster, const CostModel& costs, Duration horizon);

struct NewDataQuestion {
  std::string writer;  // a node
  Mebibytes size;
  std::vector<ExpectedReader> readers;
};

struct NewDataAnswer {
  std::string zone, node, store;  // node and store empty: no directory there has room, the file system decides
  bool stays = true;              // in the writer's zone
  UsdPerMebibyte saved;           // against leaving it in the writer's zone
};
// The zone of zone_for_new_data; in it the writer's own directory, else the emptiest one of the cheapest nodes. Error:
// no such node.
Result<NewDataAnswer> place_for(const NewDataAdvice& advice, const NewDataQuestion& question);

}  // namespace lips
