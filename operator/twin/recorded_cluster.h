// The cluster of a journal as the start of a simulation: without jobs and without copies that LiPS made; its fixed
// nodes with the times at which they were away; what an autoscaler may launch as offers. Knows no jobs and no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/service_pods.h"
#include "model/snapshot.h"
#include "simulation/fleet.h"
#include "simulation/scenario.h"

namespace lips::twin {

// The most nodes of an offer at once.
inline constexpr std::uint32_t most_offered = 100;

class RecordedCluster {
 public:
  // Records in the order in which they were made. `services`: pods among those of others that are load of their own.
  void add(const ClusterSnapshot& record, const std::vector<ServicePods>& services);

  struct Start {
    ClusterSnapshot cluster;
    simulation::Fleet fleet;
    std::vector<simulation::NodeFailure> failures;  // by time
    std::size_t fixed = 0;                          // nodes
    std::size_t never_up = 0;                       // fixed nodes that are left out: none of the records could use them
    std::size_t elsewhere = 0;                      // nodes that are left out: their zone is not in the last record
    bool elastic_stay = false;                      // elastic nodes are taken as fixed: the journal has no offers
  };
  // Its zones, racks and limits are those of the last record.
  Start start(const ClusterSnapshot& last) const;

  std::size_t elastic_at_first() const { return elastic_at_first_; }  // nodes that were there in the first record
  std::size_t price_changes() const { return price_changes_; }        // of nodes and offers, from record to record

 private:
  // By names: ids may differ from record to record.
  struct SeenNode {
    Node node;
    std::string zone, rack;
    NodeProfile profile;
    std::vector<std::pair<std::string, double>> extended;
    bool elastic = false, ever_up = false;
    std::optional<TimePoint> down_since;
    std::vector<simulation::NodeFailure> away;
    std::size_t record = 0;  // that has it
  };
  struct SeenStore {
    DataStore store;
    std::string zone, node;
  };
  struct SeenDataSet {
    DataSet data_set;
    std::vector<Mebibytes> sizes;                                     // of blocks, parity blocks too
    std::vector<std::vector<std::pair<std::string, bool>>> replicas;  // of each: store, extra
    bool whole = false;                                               // each block has a replica
  };
  using OfferKey = std::tuple<std::string, std::string, CapacityType, Resources>;

  static OfferKey key_of(const ClusterSnapshot& record, const Node& like);
  // The room of services on a node.
  struct Taken {
    Resources plain{Cores(0), Mebibytes(0), 0};
    std::map<std::string, double> extended;
  };
  using TakenOn = std::unordered_map<std::string, Taken>;

  static TakenOn taken_by(const std::vector<ServicePods>& services);
  Node without_services(const ClusterSnapshot& record, Node node) const;
  std::uint32_t launched_like(const ClusterSnapshot& record, const Node& like) const;
  static SeenNode seen(const ClusterSnapshot& record, const Node& node);
  void add_nodes(const ClusterSnapshot& record);
  bool lost_data(const ClusterSnapshot& record, const std::string& node) const;
  void add_offers(const ClusterSnapshot& record);
  void add_data(const ClusterSnapshot& record);
  void place_nodes(bool offers, Start& start, std::unordered_map<std::string, NodeId>& places) const;
  void place_offers(const ClusterSnapshot& last, Start& start) const;
  void place_data(const std::unordered_map<std::string, NodeId>& places, ClusterSnapshot& cluster) const;

  TakenOn taken_;  // in the last record
  std::size_t records_ = 0, elastic_at_first_ = 0, price_changes_ = 0;
  TimePoint began_{};
  std::vector<SeenNode> nodes_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::map<OfferKey, std::uint32_t> most_;  // nodes of an offer, there or to come
  std::map<OfferKey, UsdPerHour> offer_price_;
  std::vector<SeenStore> stores_;
  std::unordered_map<std::string, std::size_t> store_of_;
  std::vector<SeenDataSet> data_sets_;
  std::unordered_map<std::string, std::size_t> data_set_of_;
};

}  // namespace lips::twin
