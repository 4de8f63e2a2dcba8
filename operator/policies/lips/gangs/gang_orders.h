// The nodes to launch in one zone for the tasks of a gang that find no room there. Internal to peers.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "policies/lips/gangs/gang.h"

namespace lips {

// Tasks of a part that get room on nodes of an offer.
struct NewSpot {
  std::size_t part = 0;
  std::uint32_t tasks = 0;
  ClassId on;
};

struct GangOrder {
  std::vector<NewSpot> spots;
  std::map<ClassId, std::uint32_t> nodes;
  double boot = 0;  // seconds, of the slowest
};

// The nodes that could be launched, by zone and price.
class OrderRoom {
 public:
  OrderRoom(const ClusterSnapshot& cluster, const NodeClasses& classes);  // whose room the caller takes

  // For all tasks but those that have a spot; none: the zone's offers do not hold them.
  std::optional<GangOrder> order(const Gang& gang, ZoneId zone, std::span<const Spot> placed) const;
  // An offer of the node's zone and capacity type that holds such a task; none where the node stays anyway.
  OfferId like(NodeId node, const GangPart& part) const;

 private:
  std::vector<ClassId> cheapest_first(ZoneId zone, const GangPart& part) const;

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  IdVector<ZoneId, std::vector<ClassId>> offers_;
};

}  // namespace lips
