// The progress of the Jobs and pods that carry out moves. Knows no JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_array.h"
#include "base/result.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

inline constexpr const char* move_label = "lips.dev/move";     // the DataMove's uid
inline constexpr const char* role_label = "lips.dev/role";     // a WorkRole
inline constexpr const char* store_label = "lips.dev/store";   // of a pod that serves one or looks at it: its uid
inline constexpr const char* data_set_label = "lips.dev/for";  // uid of the DataSet that is discovered or cleared

enum class WorkRole : std::uint8_t { copy, source, drop, clean, list, purge, serve, look };
inline constexpr EnumArray<WorkRole, std::string_view> work_role_names{"copy", "source", "drop",  "clean",
                                                                       "list", "purge",  "serve", "look"};
constexpr std::string_view to_string(WorkRole role) { return work_role_names[role]; }

struct WorkJob {
  enum class State : std::uint8_t { running, succeeded, failed };
  ObjectMeta meta;
  TextMap labels;
  std::optional<WorkRole> role;  // by its label; none: not one of ours
  State state = State::running;
  bool deleting = false;
  std::string why;  // it failed
};

struct WorkPod {
  ObjectMeta meta;
  TextMap labels;
  std::optional<WorkRole> role;  // by its label; none: not one of ours
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
