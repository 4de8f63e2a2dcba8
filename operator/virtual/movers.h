// The work of movers in a virtual cluster: a copy Job takes the time that the simulated cluster says, and its blocks
// are there when it ends; deletions and pods that serve a source are done at once. Scripts and bytes are not looked at:
// real movers have tests of their own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/plan.h"
#include "simulation/simulated_cluster.h"
#include "virtual/object_store.h"

namespace lips::virtual_cluster {

class Movers {
 public:
  // Ids by the names of objects.
  struct Names {
    std::map<std::string, StoreId> stores;
    std::map<std::string, DataSetId> data_sets;  // by "namespace/name"
  };
  // All outlive it; `advance` lets the simulated cluster's time catch up, `wrong` takes what must never happen.
  Movers(ObjectStore& objects, simulation::SimulatedCluster& truth, const ClusterSnapshot& cluster,
         std::function<void()> advance, std::vector<std::string>& wrong)
      : objects_(objects), truth_(truth), cluster_(cluster), advance_(std::move(advance)), wrong_(wrong) {}

  Names& names() { return names_; }
  // A Job or a pod that was created; does nothing for those that are no movers'.
  void start_job(const Json& job);
  void start_pod(const Json& pod);
  void take(const MoveEnded& ended);
  // The store was restored: a Job that is there again, and whose copies are over, ends again.
  void end_again(const Json& job);

 private:
  struct CopyJob {
    std::size_t left = 0;
    bool failed = false;
  };
  void copy(const std::string& job, const Json& move);
  void drop(const Json& move);
  void end(const std::string& job, bool succeeded);

  ObjectStore& objects_;
  simulation::SimulatedCluster& truth_;
  const ClusterSnapshot& cluster_;
  const std::function<void()> advance_;
  std::vector<std::string>& wrong_;
  Names names_;
  std::map<std::string, CopyJob> copies_;  // by the Job's key
  std::map<MoveId, std::string> copy_of_;  // the Job of a block's move
  std::uint32_t last_move_ = 0;
};

}  // namespace lips::virtual_cluster
