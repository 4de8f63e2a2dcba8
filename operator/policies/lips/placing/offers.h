// Whole tasks buy the cheapest place that holds them: a node that has room now, room that tasks will leave, or a node
// that could be launched. A wait is one of the offers, at the program's price of waiting.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/lips/market/workload.h"
#include "policies/lips/placing/later_room.h"
#include "policies/lips/placing/promised_room.h"

namespace lips {

// The cheapest place for one task.
struct PlaceOffer {
  ClassId of_class;
  NodeId node;          // none: one that is to be launched
  double start = 0;     // seconds from now
  double price = 0;     // USD per CPU-second of work, the wait until its start included
  Resources room = {};  // where it starts later: of the node from then on
  bool now() const { return node.valid() && start <= 0; }
};

class Offers {
 public:
  // Keeps references to all arguments; room that is taken is subtracted from `free`. `promised`: no offer breaks a
  // promise, and who takes an offer of later gets one.
  Offers(const ClusterSnapshot& cluster, const NodeClasses& classes, IdVector<NodeId, Resources>& free,
         PromisedRoom& promised);

  // For a task of the commodity of so many CPU-seconds; `request`: the task's own. None: nothing that is known holds
  // it.
  std::optional<PlaceOffer> cheapest(const Commodity& commodity, const Resources& request, double work);
  // The same among nodes that have room now.
  std::optional<PlaceOffer> cheapest_now(const Commodity& commodity, const Resources& request, double work);
  // An autoscaler launches no node of the offer for such a task while an empty one stands there.
  bool is_never_launched(const Commodity& commodity, const Resources& request, const NodeClass& offer) {
    return std::isinf(wait_for_twins(commodity, request, offer));
  }
  // Some node holds it now, if it may run there.
  bool any_now(const Commodity& commodity, const Resources& request);
  // A task of such a request starts on the offer's node, or has its turn there later. True: the node's room is promised
  // to it.
  bool take(const PlaceOffer& offer, const Resources& request, double seconds);
  // A task that the plan starts elsewhere leaves its room then.
  void add_end(double at, NodeId node, const Resources& request) { later_.add_end(at, node, request); }

 private:
  bool may_take(const Commodity& commodity, const Resources& request, ClassId c);
  struct Asked {
    const Commodity& commodity;
    const Resources& request;
    double work;
  };
  // The progress of a request in its search for room in a class.
  struct Look {
    double least = 0;       // USD per CPU-second: no place in the class is cheaper, beside what its zone costs
    std::size_t first = 0;  // open node: none before it holds the request, as room only shrinks
    LaterRoom::Search later;
  };
  // Those of a request and a constraint in all classes.
  struct Looks {
    IdVector<ClassId, Look> in;
    IdVector<ZoneId, std::vector<ClassId>> order;  // heaps of the classes that may take the tasks, the least first
  };
  struct Dearer {
    const Looks& looks;
    bool operator()(ClassId a, ClassId b) const {
      return std::tie(looks.in[a].least, a) > std::tie(looks.in[b].least, b);
    }
  };
  Looks& looks_for(const Commodity& commodity, const Resources& request);
  // The classes with room now for such a request, each with its first open node as in Look. Room only shrinks.
  using Open = std::vector<std::pair<ClassId, std::size_t>>;
  Open& open_for(const Commodity& commodity, const Resources& request);
  // A node to be launched, or one that is there, now or later. None: there is no room, or only for more than `most`.
  std::optional<PlaceOffer> launch(ClassId c, const Asked& asked, double most);
  std::optional<PlaceOffer> place(ClassId c, const Asked& asked, double most, Look& look);
  // The first node of the class with room, on which a task that ends in `end` seconds breaks no promise.
  NodeId open_node(ClassId c, const Resources& request, double end, std::size_t& first);
  // Seconds until such a task ends that starts now; 0 where no promise depends on it.
  double end_now(ClassId c, const Commodity& commodity, const Resources& request, double work) const;
  double price_on(ClassId c, const Commodity& commodity, NodeId node) const;
  double wait_for_twins(const Commodity& commodity, const Resources& request, const NodeClass& offer);

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  IdVector<NodeId, Resources>& free_;
  LaterRoom later_;
  PromisedRoom& promised_;
  IdVector<ClassId, std::vector<NodeId>> open_;  // nodes with some room, paid for the longest first
  Resources most_of_all_{Cores(0), Mebibytes(0), 0};
  IdVector<ClassId, Resources> most_;            // of each resource on one of them, at the beginning
  std::map<std::tuple<Resources, bool, ConstraintId>, Open> open_for_;  // looked up only
  std::map<std::tuple<Resources, bool, ConstraintId, double>, Looks>
      looks_;  // of a request that any class or a constraint's may take, and its urgency; looked up only
};

}  // namespace lips
