// Where two values of the model differ, from the descriptions of their structs: whatever a struct holds is compared,
// exactly, but for wall times.
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/fields.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips::testing {

// Without a path, and so without its cost.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, StageTimes>) {
    return true;
  } else if constexpr (Described<T>) {
    return std::apply(
        [&](const auto&... left) {
          return std::apply([&](const auto&... right) { return (same(left, right) && ...); }, members(b));
        },
        members(a));
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (requires { typename T::mapped_type; } || std::is_convertible_v<const T&, std::string_view>) {
    return a == b;
  } else if constexpr (std::ranges::range<const T>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& left, const auto& right) { return same(left, right); });
  } else {
    return a == b;
  }
}

// The path of the first difference, such as "jobs[3].memory.home"; "" when there is none.
template <class T>
std::string difference(const T& a, const T& b, const std::string& path = "") {
  if (same(a, b)) return "";
  const std::string here = path.empty() ? "the value" : path;
  if constexpr (Described<T>) {
    std::string found;
    std::apply(
        [&](const auto&... left) {
          std::apply(
              [&](const auto&... right) {
                std::size_t i = 0;
                const auto inner = [&] { return (path.empty() ? "" : path + '.') + std::string(T::fields[i++]); };
                ((found = found.empty() ? difference(left, right, inner()) : found), ...);
              },
              members(b));
        },
        members(a));
    return found;
  } else if constexpr (requires { a.has_value(); }) {
    return a && b ? difference(*a, *b, path) : here;
  } else if constexpr (requires { typename T::mapped_type; }) {
    return here;
  } else if constexpr (std::ranges::range<const T> && !std::is_convertible_v<const T&, std::string_view>) {
    if (std::ranges::size(a) != std::ranges::size(b)) return here + ": another number of rows";
    auto right = b.begin();
    std::size_t row = 0;
    for (auto left = a.begin(); left != a.end(); ++left, ++right, ++row) {
      using Row = std::decay_t<decltype(*left)>;
      if (std::string found = difference<Row>(*left, *right, path + '[' + std::to_string(row) + ']'); !found.empty())
        return found;
    }
    return here;
  } else {
    return here;
  }
}

}  // namespace lips::testing
