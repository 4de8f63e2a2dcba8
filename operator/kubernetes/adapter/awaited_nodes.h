// Nodes that were ordered and do not come. No API says that a cloud has none left: an order for which no node has come
// for so long counts as sold out for a while, twice as long each time, so that plans take the next best. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/units.h"
#include "kubernetes/adapter/node_order.h"
#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {

class AwaitedNodes {
 public:
  struct Patience {
    Duration beyond_boot{120'000'000};  // an autoscaler collects orders, asks the cloud, and tries other types
    Duration look_every{5'000'000};
    Duration first_pause{300'000'000}, longest_pause{3'600'000'000};
  };
  explicit AwaitedNodes(Patience patience) : patience_(patience) {}

  struct Given {  // an order that counts as sold out from now on
    NodeOrder order;
    Duration waited, pause;
  };
  // `standing`: the orders that an autoscaler can see now. `boot`: of a node. Back: what it has just given up.
  std::vector<Given> review(const std::set<NodeOrder>& standing, const NodeCache& nodes, Duration boot, TimePoint now);
  std::vector<NodeOrder> sold_out(TimePoint now) const;

 private:
  struct Wait {
    TimePoint since, asked;  // an order that vanishes for a moment still waits
    TimePoint closed_until{};
    int pauses = 0;
  };
  void note_nodes(const NodeCache& nodes, TimePoint now);
  bool came(const NodeOrder& order, const NodeCache& nodes, TimePoint since) const;

  const Patience patience_;
  std::map<NodeOrder, Wait> waits_;
  std::map<std::string, TimePoint> nodes_;  // first seen
};

}  // namespace lips::kubernetes
