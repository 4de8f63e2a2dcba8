// The tasks of one job of peers that are to start together, and the room for them: whole tasks, node by node. Internal
// to peers.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/peers.h"
#include "model/task_ends.h"
#include "policies/lips/market/by_zone.h"
#include "policies/lips/market/node_classes.h"
#include "policies/policy.h"

namespace lips {

// Tasks of a gang that are alike: pending ones of one group, or ones that have not arrived.
struct GangPart {
  JobId job;  // for tasks to come: of a part that is here
  std::uint32_t group = 0;
  std::uint32_t tasks = 0;
  bool to_come = false;
  Resources request;
  double work = 0;     // CPU-seconds of one task
  double weight = 1;   // in the exchange
  ByZone read_usd;     // of one task
  double stake = 1;    // an interruption of one task undoes so many times its work
  bool leads = false;  // a driver to come, without which the others make no progress
};

// USD per CPU-second that interruptions of nodes of the class add for a task of the part.
double price_of_interruptions(const NodeClasses& classes, const NodeClass& on, const GangPart& part);

struct Gang {
  WholeJobId whole;
  std::vector<GangPart> parts;  // a driver, then the largest requests first
  PeersByZone running;
  std::uint32_t running_tasks = 0;
  Mebibytes exchange;
  double urgency = 1;  // its wait counts so many times
  std::uint32_t tasks() const;
  std::uint32_t here() const;  // of these, those that have arrived
  double weight() const;       // of its tasks
  double work() const;
  // The stakes of one task: with the one that starts the others all ends, and with any of those that run only together.
  void set_stakes(const ClusterSnapshot& cluster);
  bool has_stakes() const { return !parts.empty() && parts.front().stake > 1; }  // they come first
  Gang without_stakes() const;                                                   // the same parts in the same order
};

// Tasks of a part that get room on a node.
struct Spot {
  std::size_t part = 0;
  std::uint32_t tasks = 0;
  NodeId node;
};

// The free room of each node, by zone and price.
class GangRoom {
 public:
  GangRoom(const ClusterSnapshot& cluster, const NodeClasses& classes, IdVector<NodeId, Resources>& free);

  // Spots in the zone for the first of all tasks, on the cheapest nodes, at most `most` tasks. Takes their room.
  std::vector<Spot> take(const Gang& gang, ZoneId zone, std::uint32_t most);
  void take(const Gang& gang, std::span<const Spot> spots);
  void give_back(const Gang& gang, std::span<const Spot> spots);
  // The same, but their room is not taken.
  std::vector<Spot> now(const Gang& gang, ZoneId zone);
  // Spots for all tasks that the zone holds now, or none; their room is not taken.
  std::optional<std::vector<Spot>> all_now(const Gang& gang, ZoneId zone);
  // The first time at which tasks that run have left room for all; none: they do not.
  struct Later {
    double seconds = 0;
    std::vector<Spot> spots;
  };
  std::optional<Later> all_later(const Gang& gang, ZoneId zone);
  // Prices of a CPU-second where any of the tasks find room, cheapest first; at most `most`.
  std::vector<double> prices_of_room(const Gang& gang, ZoneId zone, std::uint32_t most) const;
  // Says whether the zone, or all zones together, would hold all tasks if none of ours ran.
  bool is_large_enough(const Gang& gang, ZoneId zone);
  bool are_large_enough(const Gang& gang);

 private:
  // Calls `visit(node)` until it returns false, first where the price, with what interruptions add for the part, is
  // least.
  template <class Visit>
  void cheapest_first(ZoneId zone, const GangPart* part, const Visit& visit) const;
  bool may_run(const GangPart& part, NodeId node) const;
  std::optional<std::vector<Spot>> all_after(const Gang& gang, ZoneId zone, std::size_t ended);

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  IdVector<NodeId, Resources>& free_;
  IdVector<NodeId, Resources> empty_;  // what is free where none of our tasks runs
  struct ByPrice {
    std::vector<NodeId> safe, interrupted;
  };
  IdVector<ZoneId, ByPrice> nodes_;
  IdVector<ZoneId, std::vector<TaskEnd>> ends_;
};

std::uint32_t count_tasks(std::span<const Spot> spots);
std::uint32_t count_here(const Gang& gang, std::span<const Spot> spots);

}  // namespace lips
