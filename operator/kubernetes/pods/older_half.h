// Keeps a table of what was learned from growing without end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace lips::kubernetes {

// Drops the entries that were used least recently, about half of them. Each has `used`, a number that grows.
template <class Map>
void drop_older_half(Map& entries) {
  std::vector<std::uint64_t> used;
  for (const auto& [name, entry] : entries) used.push_back(entry.used);
  const auto middle = used.begin() + std::ssize(used) / 2;
  std::nth_element(used.begin(), middle, used.end());
  std::erase_if(entries, [oldest = *middle](const auto& entry) { return entry.second.used < oldest; });
}

}  // namespace lips::kubernetes
