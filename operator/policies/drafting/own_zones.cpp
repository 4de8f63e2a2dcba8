#include "policies/drafting/own_zones.h"

#include <algorithm>

namespace lips {

ZoneSet own_zones(const Job& job, const TaskGroup& group) {
  if (group.reads) return group.zones;
  ZoneSet own;
  if (group.kind != TaskKind::reduce || job.map_output.empty()) return own;
  const auto most = std::max_element(job.map_output.begin(), job.map_output.end());
  if (most->value() > 0) own.insert(ZoneId(static_cast<std::uint32_t>(most - job.map_output.begin())));
  return own;
}

}  // namespace lips
