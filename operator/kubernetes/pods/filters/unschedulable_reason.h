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
  bad_annotation,
  data_set_not_ready,
  binding_refused,
  pool_not_allowed,
  input_too_long,
};
std::string_view to_string(UnschedulableReason reason);

}  // namespace lips::kubernetes
