// The place of a row in a table that may not have it yet. Knows no table.
#pragma once

#include "base/ids.h"

namespace lips::twin {

template <class IdType, class T, class Same>
IdType find_or_add(IdVector<IdType, T>& table, const T& wanted, Same same) {
  for (const IdType id : table.ids())
    if (same(table[id], wanted)) return id;
  return table.push_back(wanted);
}

inline constexpr auto equal = [](const auto& a, const auto& b) { return a == b; };
inline constexpr auto of_one_name = [](const auto& a, const auto& b) { return a.name == b.name; };

}  // namespace lips::twin
