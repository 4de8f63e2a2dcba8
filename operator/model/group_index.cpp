#include "model/group_index.h"

#include <algorithm>
#include <functional>

namespace lips {

namespace {

constexpr std::size_t few = 32;

bool alike(const TaskGroup& a, const TaskGroup& b) {
  return a.kind == b.kind && a.reads == b.reads && a.zones == b.zones && a.coming == b.coming &&
         a.degraded == b.degraded && a.data_set == b.data_set && a.cpu == b.cpu && a.input == b.input;
}

// Equal groups have equal hashes. Zones and kinds are left out: they differ too seldom to be worth the time.
std::size_t hash_of(const TaskGroup& group) {
  const std::size_t cpu = std::hash<double>{}(group.cpu.value()), input = std::hash<double>{}(group.input.value());
  std::size_t hash = (cpu ^ (cpu >> 29)) * 0x9e3779b97f4a7c15u + input;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u + group.data_set.index();
  return (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15u + group.zones.bits();
}

}  // namespace

std::uint32_t GroupIndex::find_or_add(JobId job, std::vector<TaskGroup>& groups, const TaskGroup& wanted) {
  const auto added = static_cast<std::uint32_t>(groups.size());
  if (groups.size() < few) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const TaskGroup& group) { return alike(group, wanted); });
    if (found != groups.end()) return static_cast<std::uint32_t>(found - groups.begin());
    groups.push_back(wanted);
    return added;
  }
  auto& index = jobs_[job];
  for (auto next = static_cast<std::uint32_t>(index.size()); next < added; ++next)
    index.emplace(hash_of(groups[next]), next);
  const std::size_t hash = hash_of(wanted);
  const auto [from, to] = index.equal_range(hash);
  for (auto entry = from; entry != to; ++entry)
    if (alike(groups[entry->second], wanted)) return entry->second;
  index.emplace(hash, added);
  groups.push_back(wanted);
  return added;
}

}  // namespace lips
