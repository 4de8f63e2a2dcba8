// Nodes that an autoscaler would launch, and requests of tasks for such nodes.
#pragma once

#include <cstdint>
#include <limits>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/nodes.h"

namespace lips {

// The resources that the nodes of all offers within it may have together, beside those that are there.
struct LaunchLimit {
  static constexpr std::uint32_t any_number = std::numeric_limits<std::uint32_t>::max();
  static constexpr double any_amount = 1e18;

  std::uint32_t nodes = any_number;
  Cores cores{any_amount};
  Mebibytes memory{any_amount};
  static constexpr auto fields = field_names("nodes", "cores", "memory");

  // How many nodes of that size it allows.
  std::uint32_t most(const Resources& capacity) const;
  void take(const Resources& capacity, std::uint32_t count);
  void give_back(const Resources& capacity, std::uint32_t count);
  friend bool operator==(const LaunchLimit&, const LaunchLimit&) = default;
};

using LaunchLimits = IdVector<LimitId, LaunchLimit>;

// Nodes of one type in one zone, spot or on demand.
struct Offer {
  NodeId like;               // has their properties; takes no task itself
  std::uint32_t left = 0;    // could be launched now, whatever others do; 0: sold out
  Duration boot{};           // from the launch until tasks start; billed
  Duration idle{};           // how long an empty node is kept; billed
  double interruptions = 0;  // per node and hour
  LimitId within = {};       // none: no limit but `left`
  // The size of its machine, of which the kubelet keeps a part: it counts against the limit. 0 cores: what `like` has.
  Cores cores{};
  Mebibytes memory{};
  static constexpr auto fields =
      field_names("like", "left", "boot", "idle", "interruptions", "within", "cores", "memory");
  friend bool operator==(const Offer&, const Offer&) = default;
};

// The task is to start on a node of the offer's zone and capacity type. Its type is the autoscaler's choice.
struct NodeRequest {
  TaskId task;
  OfferId offer;
  // Above 0 the nodes are not for the task, which may run already, but for so many peers of it that have not arrived
  // (WholeJob::each).
  std::uint32_t to_come = 0;
  static constexpr auto fields = field_names("task", "offer", "toCome");
  friend bool operator==(const NodeRequest&, const NodeRequest&) = default;
};

}  // namespace lips
