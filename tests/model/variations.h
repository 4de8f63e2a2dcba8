// Values of the model with something in every field, and every way of changing one of them a little, from the
// descriptions of their structs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "model/extended_amounts.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips::testing {

template <class T>
concept IsOptional = requires(T value) { value.reset(); } && requires(T value) { value.has_value(); };
template <class T>
concept IsList = requires(T value) {
  value.push_back(*value.begin());
  value.items();
} || requires(T value) { value.pop_back(); };
template <class T>
concept IsText = std::is_same_v<T, std::string>;

// Something in every field, and no value twice where its type allows; two rows in every list.
template <class T>
void fill(T& value, std::uint32_t& next) {
  ++next;
  if constexpr (Described<T>) {
    each_field(value, [&](std::string_view, auto& member) { fill(member, next); });
  } else if constexpr (std::is_same_v<T, StripeSources>) {
    value = StripeSources({{BlockId(next), StoreId(next + 1)}, {BlockId(next + 2), StoreId(next)}});
  } else if constexpr (std::is_same_v<T, ExtendedAmounts>) {
    value = {{ResourceId(0), next}, {ResourceId(1), next + 1}};
  } else if constexpr (IsText<T>) {
    value = "text " + std::to_string(next);
  } else if constexpr (IsOptional<T>) {
    fill(value.emplace(), next);
  } else if constexpr (IsList<T>) {
    for (int row = 0; row < 2; ++row) {
      std::decay_t<decltype(*value.begin())> added{};
      fill(added, next);
      value.push_back(std::move(added));
    }
  } else if constexpr (requires { typename T::mapped_type; }) {
    value[typename T::key_type(next)] = {};
    fill(value.begin()->second, next);
  } else if constexpr (requires { value.first; }) {
    fill(value.first, next), fill(value.second, next);
  } else if constexpr (requires { value.fill({}); }) {
    for (auto& item : value) fill(item, next);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = true;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(1);
  } else if constexpr (std::is_arithmetic_v<T>) {
    value = static_cast<T>(next % 100);
  } else if constexpr (std::is_same_v<T, TimePoint>) {
    value = TimePoint(Duration(next));
  } else {
    value = T(next);
  }
}

template <class T>
T filled() {
  T value{};
  std::uint32_t next = 0;
  fill(value, next);
  return value;
}

// visit(path) once for each change that leaves all else as it is: of a number, a flag, a text, what an optional holds
// or that it holds something, a list's length, each of its rows. The value is as before afterwards.
template <class T, class Visit>
void each_variation(T& value, const std::string& path, const Visit& visit) {
  const auto with = [&](const T& other, const std::string& what) {
    const T before = value;
    value = other;
    visit(what);
    value = before;
  };
  if constexpr (Described<T>) {
    each_field(value, [&](std::string_view name, auto& member) {
      each_variation(member, (path.empty() ? "" : path + '.') + std::string(name), visit);
    });
  } else if constexpr (std::is_same_v<T, StripeSources>) {
    std::vector<StripeSource> sources(value.begin(), value.end());
    each_variation(sources, path, [&](const std::string& what) { with(StripeSources(sources), what); });
  } else if constexpr (std::is_same_v<T, ExtendedAmounts>) {
    const T entries = value;
    for (const auto& [resource, amount] : entries)
      for (const double other : {amount + 1, 0.0}) {
        T changed = value;
        changed.set(resource, other);
        with(changed, path + '[' + std::to_string(resource.index()) + ']');
      }
  } else if constexpr (IsText<T>) {
    with(value + "x", path);
  } else if constexpr (IsOptional<T>) {
    if (!value) return with(T(typename T::value_type{}), path + " present");
    with(T{}, path + " absent");
    each_variation(*value, path, visit);
  } else if constexpr (IsList<T>) {
    T longer = value;
    longer.push_back(value.begin() == value.end() ? std::decay_t<decltype(*value.begin())>{} : *value.begin());
    with(std::move(longer), path + " longer");
    std::size_t row = 0;
    for (auto& item : value) each_variation(item, path + '[' + std::to_string(row++) + ']', visit);
  } else if constexpr (requires { typename T::mapped_type; }) {
    if (!value.empty()) with(T{}, path + " empty");
    for (auto& [key, item] : value) each_variation(item, path + "[key]", visit);
  } else if constexpr (requires { value.first; }) {
    each_variation(value.first, path + ".first", visit), each_variation(value.second, path + ".second", visit);
  } else if constexpr (requires { value.fill({}); }) {
    std::size_t row = 0;
    for (auto& item : value) each_variation(item, path + '[' + std::to_string(row++) + ']', visit);
  } else if constexpr (std::is_same_v<T, bool>) {
    with(!value, path);
  } else if constexpr (std::is_enum_v<T>) {
    with(static_cast<T>(static_cast<int>(value) ^ 1), path);
  } else if constexpr (std::is_arithmetic_v<T>) {
    with(static_cast<T>(value + 1), path);
  } else if constexpr (requires { value.time_since_epoch(); }) {
    with(value + Duration(1), path);
  } else if constexpr (requires { value.count(); }) {
    with(value + Duration(1), path);
  } else if constexpr (requires { value.bits(); }) {
    with(T(value.bits() ^ 1), path);
  } else if constexpr (requires { value.index(); }) {
    with(T(value.valid() && value.index() > 0 ? value.index() - 1 : value.valid() ? 1 : 0), path);
  } else {
    with(T(value.value() + 1), path);
  }
}

}  // namespace lips::testing
