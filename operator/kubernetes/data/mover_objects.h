// The progress of the Jobs and pods that carry out moves. Knows no JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

inline constexpr const char* move_label = "lips.dev/move";     // the DataMove's uid
inline constexpr const char* role_label = "lips.dev/role";     // copy, source, drop, clean, list, serve
inline constexpr const char* store_label = "lips.dev/store";   // of a pod that serves one: its uid
inline constexpr const char* data_set_label = "lips.dev/for";  // uid of the DataSet that is discovered or cleared

struct WorkJob {
  enum class State : std::uint8_t { running, succeeded, failed };
  ObjectMeta meta;
  TextMap labels;
  State state = State::running;
  bool deleting = false;
  std::string why;  // it failed
};

struct WorkPod {
  ObjectMeta meta;
  TextMap labels;
  PodPhase phase = PodPhase::pending;
  std::string job;  // its owner
  std::string node, address;
  bool ready = false, deleting = false;
  bool prepared = false;  // all init containers have ended well
  std::string message;    // how the last container ended, or why none starts
};

Result<WorkJob> decode_work_job(std::string_view json);
Result<WorkPod> decode_work_pod(std::string_view json);

}  // namespace lips::kubernetes
