// The place where a gang starts: in one zone now or later, on nodes that are there or ordered, beside its driver, or in
// several zones. Takes no room.
#pragma once

#include <optional>
#include <vector>

#include "policies/lips/gangs/gang.h"
#include "policies/lips/gangs/gang_orders.h"
#include "policies/lips/gangs/start_price.h"
#include "policies/lips/gangs/turns.h"

namespace lips {

// The time that a gang may wait for room, and the right to order nodes for it.
struct Patience {
  double seconds = 0;
  bool orders = false;
};

// The tools that a choice is made with.
struct GangMarket {
  const ClusterSnapshot& cluster;
  const CostModel& costs;
  GangRoom& room;
  OrderRoom& orders;
  const StartPrice& price;
  const PeersThatRun& running;
  bool buys = false;  // nodes may be asked for
};

class GangChoice {
 public:
  explicit GangChoice(const GangMarket& market);

  // Takes tasks to come out of the gang where no zone will ever hold them beside those that are here.
  Start choose(Gang& gang, const Patience& patience);
  // Places for as many tasks as find room now, in the cheapest zones.
  std::vector<Spot> in_several_zones(const Gang& gang);

 private:
  std::optional<Start> all_in_several_zones(const Gang& gang, const Patience& patience);
  void leave_out_to_come(Gang& gang) const;
  Start in_one_zone(const Gang& gang, const Patience& patience);
  Start beside_driver(const Gang& gang);

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  GangRoom& room_;
  OrderRoom& orders_;
  const StartPrice& price_;
  const PeersThatRun& running_;
  const bool buys_;
};

// Says whether the driver of the gang is here and has not started.
bool driver_waits(const ClusterSnapshot& cluster, const Gang& gang);
// The same, and all others are still to come.
bool only_driver_waits(const ClusterSnapshot& cluster, const Gang& gang);

}  // namespace lips
