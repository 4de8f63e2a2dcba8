// The exchange of peers (model/peers.h) across zones, in parts: each task's is what the exchange costs more with it
// than without. The parts of all tasks of a job are its whole exchange.
#pragma once

#include <cstdint>
#include <map>

#include "model/costs.h"
#include "model/peers.h"
#include "model/snapshot.h"

namespace lips {

class PeerExchange {
 public:
  // 0 unless the task is a peer. Peers that are to come count as much as a worker.
  Usd add(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task, NodeId node);
  void remove(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task, NodeId node);
  // Says whether all known peers of the task's job were added.
  bool complete(const ClusterSnapshot& cluster, TaskId task) const;
  void forget(WholeJobId job) { sums_.erase(job); }
  void clear() { sums_.clear(); }

 private:
  struct Sum {
    PeersByZone in_zone;
    std::uint32_t tasks = 0;
    Usd told;
  };
  static Usd price(const CostModel& costs, const Job& job, const Sum& sum);

  std::map<WholeJobId, Sum> sums_;
};

}  // namespace lips
