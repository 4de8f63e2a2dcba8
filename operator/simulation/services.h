// Pods that run beside the tasks for a time that no scheduler changes, such as those of services: load that every
// regime carries. A value; knows no cluster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/nodes.h"

namespace lips::simulation {

// Identical pods that come and end together, wherever they are then.
struct Service {
  std::string name;
  Resources request;
  ConstraintId constraint;
  std::uint32_t pods = 1;
  TimePoint from{}, until{};
};

inline TimePoint last_end(const std::vector<Service>& services) {
  TimePoint last{};
  for (const Service& service : services) last = std::max(last, service.until);
  return last;
}

// The score by which kube-scheduler places them.
enum class ServiceScore : std::uint8_t { least_allocated, most_allocated };

// A cluster whose kube-scheduler packs tasks packs services too; beside any other policy it has its default.
inline ServiceScore score_beside(std::string_view policy) {
  return policy == "most-allocated" ? ServiceScore::most_allocated : ServiceScore::least_allocated;
}

}  // namespace lips::simulation
