// Nodes that an autoscaler would launch, and requests of tasks for such nodes.
#pragma once

#include <cstdint>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"

namespace lips {

// Nodes of one type in one zone, spot or on demand.
struct Offer {
  NodeId like;               // has their properties; takes no task itself
  std::uint32_t left = 0;    // could be launched now; 0: sold out
  Duration boot{};           // from the launch until tasks start; billed
  Duration idle{};           // how long an empty node is kept; billed
  double interruptions = 0;  // per node and hour
  static constexpr auto fields = field_names("like", "left", "boot", "idle", "interruptions");
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
