// The nodes for which a plan may still ask an autoscaler: nodes of an offer count against the offer, and against the
// limit that it shares with others.
#pragma once

#include <cstdint>

#include "model/snapshot.h"

namespace lips {

// The resources that a node of the offer counts against its limit.
Resources machine_of(const ClusterSnapshot& cluster, const Offer& offer);
// How many nodes of the offer could be launched now if no others were.
std::uint32_t nodes_left(const ClusterSnapshot& cluster, const Offer& offer);
// CPU-seconds of work a second of all nodes that could be launched together, at most.
double launchable_work_rate(const ClusterSnapshot& cluster);

class LaunchRoom {
 public:
  LaunchRoom() = default;
  explicit LaunchRoom(const ClusterSnapshot& cluster);  // outlives it

  std::uint32_t nodes(OfferId offer) const { return nodes(offer, 0, limits_); }
  void take(OfferId offer, std::uint32_t nodes) { take(offer, nodes, limits_), left_[offer] -= nodes; }

  // The same for a trial, whose limits the caller keeps: `taken` nodes of the offer are taken from them.
  const LaunchLimits& limits() const { return limits_; }
  std::uint32_t nodes(OfferId offer, std::uint32_t taken, const LaunchLimits& limits) const;
  void take(OfferId offer, std::uint32_t nodes, LaunchLimits& limits) const;

  // Room for one such task: on the nodes that were taken for tasks before, else on one more. False: the limit allows
  // none. The offer's own number does not count, because an autoscaler launches another type in its stead.
  bool take_for(OfferId offer, const Resources& request);

 private:
  bool allowed(OfferId offer) const;

  const ClusterSnapshot* cluster_ = nullptr;
  IdVector<OfferId, std::uint32_t> left_;
  LaunchLimits limits_;
  IdVector<OfferId, double> open_;  // nodes that were taken for tasks and that no task has, in fractions
};

}  // namespace lips
