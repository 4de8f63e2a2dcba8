// Nodes that no row of the model can tell apart, and the capacity that each such class has in each time slot.
#pragma once

#include <algorithm>
#include <vector>

#include "model/launch_room.h"
#include "model/snapshot.h"
#include "policies/lips/market/eligible_nodes.h"
#include "policies/lips/market/ids.h"
#include "policies/lips/market/pending_lengths.h"
#include "policies/lips/market/requests.h"
#include "policies/lips/market/usable_room.h"

namespace lips {

// The wait of a request that takes more than half of a node (whole_room.h).
struct RoomWait {
  Resources request;
  double seconds = 0;  // until one node has the room, beyond those until all of the class have as much together
};

struct NodeClass {
  ZoneId zone;
  UsdPerCpuSecond price;
  bool whole = false;  // paid by the node, as elastic ones are: who fills its memory pays for its cores too
  double speed = 1;
  double interruptions = 0;  // of a node, a second
  Resources shape;  // the maximum of each resource over the nodes; all nodes have its memory and slots per core
  Resources least;  // the minimum of each: with few classes, a task that fits one node fits all
  std::vector<NodeId> nodes;  // empty: an offer, whose nodes do not exist yet
  NodeId like;                // any of them
  OfferId offer;
  double drain = 0;   // of an offer: seconds that a node is best busy for; the dearer waiting, the shorter
  Cores cores;        // of all its nodes
  double paid = 0;    // seconds from now until which a node with room is paid in any case, at most
  double to_pay = 1;  // the share of its price that its room costs (program/paid_parts.h)

  std::vector<RoomWait> room_waits;  // few

  double room_wait(const Resources& request) const {
    for (const RoomWait& wait : room_waits)
      if (wait.request == request) return wait.seconds;
    return 0;
  }
  // A CPU-second costs `price`: where it is used, or, of nodes that are paid whole, where it is there to be used.
  UsdPerCpuSecond price_of_use() const { return whole ? UsdPerCpuSecond(0) : price; }
  UsdPerCpuSecond price_of_room() const { return whole ? price * to_pay : UsdPerCpuSecond(0); }
};

// The share of its price that paid capacity costs, so that the cheapest is still used first.
inline constexpr double price_of_paid_capacity = 0.05;

// Capacity of one class in one time slot. Work is in CPU-seconds, memory in MiB-seconds, slots in slot-seconds. From
// here on amounts are plain numbers, like the coefficients of the program.
struct CapacityStep {
  double work = 0, memory = 0, slots = 0;
  double waiting_price = 0;  // USD per CPU-second for starting only then, less any part that is already paid
  double from = 0;           // seconds from now: the beginning of its time slot
  bool paid = false;         // in any case, but for the share price_of_paid_capacity
};

struct NodeClasses {
  // The class may take such tasks of a pending job.
  bool takes(ClassId c, ConstraintId constraint, const Resources& request) const {
    return eligible.contain(constraint, classes[c].like) && fits(request, classes[c].shape);
  }
  // Takes the room of so many tasks that start now from the class's first time slot.
  void take_now(ClassId c, const Resources& request, double tasks);

  IdVector<ClassId, NodeClass> classes;  // by zone, then price, then the least node
  EligibleNodes eligible;
  IdVector<NodeId, ClassId> class_of;                  // none where the node takes no tasks
  IdVector<ClassId, std::vector<CapacityStep>> steps;  // by time slot
  IdVector<ClassId, double> now_window;                // seconds that a free slot offers in time slot 0
  IdVector<NodeId, double> paid_until;                 // seconds from now (paid_until.h)
  UsdPerCpuSecond mean_price, dearest;                 // by use; the mean weighted by cores
  Cores cores;                                         // of all classes
  double work_rate = 0;                                // of all classes: CPU-seconds of work per second
  double queue_charge = 1;                             // times the waiting price (queue_charge.h)
  double waiting = 0;                                  // USD for a second's wait of a CPU-second
  LaunchRoom room;                                     // of the offers
  UsableRoom usable;                                   // of any room
  PendingLengths pending;                              // where elastic nodes have room
  double in_use = 1;                                   // of the elastic nodes, of the scarcest resource
  std::vector<Resources> wait_for_room;                // the requests of all `room_waits`
  double most_interrupted = 0;                         // of all classes: interruptions in a second of work
  double rest_from = 1e300;                            // seconds: shorter tasks keep no node (length_price.h)
};

}  // namespace lips
