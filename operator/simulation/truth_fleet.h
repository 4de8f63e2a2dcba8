// The elastic nodes of a simulated cluster: launches, boots, interrupts and removes them as an autoscaler with
// Karpenter's view decides. Knows no policy and no plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulation/autoscaler.h"
#include "simulation/run_listener.h"
#include "simulation/world.h"

namespace lips::simulation {

class TruthFleet {
 public:
  TruthFleet(World& world, const Peers& peers);

  // Takes the requests of the last plan; absent: every waiting task requests any node. One that names no offer is for
  // any node. `marked`: whose plans ask for nodes marks tasks so that they are not evicted.
  void request(const std::optional<std::vector<NodeRequest>>& requests, bool marked = true);
  // Call at the end of every instant: waiting pods open a batch.
  void open_batch();
  void handle(const SimEvent& event);

 private:
  enum class State : std::uint8_t { absent, booting, up, draining };  // draining: cordoned, and about to go
  struct Place {
    State state = State::absent;
    std::uint32_t launch = 0;  // its number; events of an earlier launch are void
    std::uint32_t offer = 0;
    TimePoint nominated_until{};  // waiting pods are expected to come
  };
  Place* place(NodeId node) {
    return node.index() < place_of_.size() && place_of_[node.index()] > 0 ? &places_[place_of_[node.index()] - 1]
                                                                          : nullptr;
  }
  NodeId node_of(std::size_t place) const { return nodes_[place]; }
  bool current(const SimEvent& event);
  bool any_wait() const;
  std::vector<PodsAlike> pending() const;
  std::vector<PodsAlike> tasks_that_wait() const;
  std::vector<PodsAlike> all_that_wait() const;
  void tell_left();
  std::vector<PodsAlike> pods_on(NodeId node) const;
  std::vector<NodeRoom> rooms(std::span<const NodeId> without) const;
  std::vector<NodeRoom> rooms_to_come() const;
  std::vector<OfferRoom> offers() const;
  void buy();
  void launch(std::uint32_t offer);
  void boot(NodeId node);
  void give_notice(NodeId node);
  bool is_out(std::uint32_t offer) const;
  void begin_outage(const SpotOutage& outage);
  void go(NodeId node, RunListener::Gone why);
  void consolidate();
  void validate();
  bool consolidatable(NodeId node);
  bool holds_one_to_stay(NodeId node) const;
  bool can_be_emptied(std::span<const NodeId> nodes) const;
  std::vector<NodeId> underutilized(std::vector<NodeId> used) const;
  std::size_t allowed() const;

  World& world_;
  const Peers& peers_;
  const Fleet& fleet_;
  Packing packing_;
  std::vector<Place> places_;
  std::vector<NodeId> nodes_;            // by place
  std::vector<std::uint32_t> place_of_;  // by node: place + 1; 0: a fixed node
  std::optional<std::vector<NodeRequest>> requests_;
  bool tasks_marked_ = false;         // they are not to be evicted
  IdVector<OfferId, bool> sold_out_;  // as last reported to policies
  std::vector<std::uint32_t> out_;    // by zone: outages of spot nodes
  bool launched_or_gone_ = false;     // a node was launched, came up or went, or an outage, since the last look
  std::size_t there_ = 0;             // number of taken places
  LaunchLimits limits_;               // what those nodes leave
  LaunchLimits told_limits_;          // as last reported to policies
  TimePoint batch_opened_ = TimePoint::max();
  std::uint32_t batch_ = 0;  // the newest; events of older ones are void
  bool polling_ = false;
  std::vector<NodeId> candidates_;  // nodes that go unless something changes before the validation
  bool candidates_empty_ = false;
  TimePoint candidates_since_{};
};

}  // namespace lips::simulation
