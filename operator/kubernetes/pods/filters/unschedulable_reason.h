// Why a pod is not placed for now: the reason of its condition.
#pragma once

#include <cstdint>
#include <string_view>

namespace lips::kubernetes {

enum class UnschedulableReason : std::uint8_t {
  none,
  unschedulable,  // no node will do; autoscalers look for this reason
  not_honoured,   // it has a constraint that this scheduler does not know
  scheduling_gated,
  volume_not_ready,
  volume_not_provided,  // a claim got no volume on the chosen node
  group_not_ready,      // its PodGroup is not there
  bad_annotation,
  data_set_not_ready,
  data_changed,    // since its job began: no part is left for it, or parts that nobody reads
  blocks_missing,  // no store has a replica of what it reads
  binding_refused,
  pool_not_allowed,
  input_too_long,
  node_ordered,  // it waits for a node that an autoscaler is to launch where the plan wants it
};
std::string_view to_string(UnschedulableReason reason);

}  // namespace lips::kubernetes
