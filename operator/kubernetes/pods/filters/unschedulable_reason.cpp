#include "kubernetes/pods/filters/unschedulable_reason.h"

namespace lips::kubernetes {

std::string_view to_string(UnschedulableReason reason) {
  switch (reason) {
    case UnschedulableReason::none:
      return "";
    case UnschedulableReason::unschedulable:
      return "Unschedulable";
    case UnschedulableReason::not_honoured:
      return "NotHonoured";
    case UnschedulableReason::scheduling_gated:
      return "SchedulingGated";
    case UnschedulableReason::volume_not_ready:
      return "VolumeNotReady";
    case UnschedulableReason::volume_not_provided:
      return "VolumeNotProvided";
    case UnschedulableReason::group_not_ready:
      return "GroupNotReady";
    case UnschedulableReason::bad_annotation:
      return "BadAnnotation";
    case UnschedulableReason::data_set_not_ready:
      return "DataSetNotReady";
    case UnschedulableReason::data_changed:
      return "DataChanged";
    case UnschedulableReason::blocks_missing:
      return "BlocksMissing";
    case UnschedulableReason::binding_refused:
      return "BindingRefused";
    case UnschedulableReason::pool_not_allowed:
      return "PoolNotAllowed";
    case UnschedulableReason::input_too_long:
      return "InputTooLong";
    case UnschedulableReason::node_ordered:
      return "NodeOrdered";
  }
  return "";
}

}  // namespace lips::kubernetes
