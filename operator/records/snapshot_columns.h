// The fields of the structs in the model that a snapshot file keeps, and how it writes them as numbers. Writer and
// reader both use this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/data.h"
#include "model/snapshot.h"

namespace lips {

// The reader derives these fields from others, or finds them elsewhere.
template <class Row>
constexpr bool worked_out(std::string_view) {
  return false;
}
template <>
constexpr bool worked_out<DataStore>(std::string_view name) {
  return name == "used";
}
template <>
constexpr bool worked_out<DataSet>(std::string_view name) {
  return name == "size" || name == "pool";  // pools: rows of their own
}

template <>
constexpr bool worked_out<Pool>(std::string_view name) {
  // Rows of their own, of the pools that have some.
  return name == "targets" || name == "waitingFactor" || name == "reclaim" || name == "unpaidRoom";
}

// A text, a whole number (ids, -1 for none; times in microseconds; flags and kinds), or a number.
template <class T>
auto cell_of(const T& value) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, double>)
    return value;
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    return static_cast<std::int64_t>(value);
  else if constexpr (requires { value.valid(); })
    return value.valid() ? static_cast<std::int64_t>(value.index()) : std::int64_t{-1};
  else if constexpr (requires { value.time_since_epoch(); })
    return static_cast<std::int64_t>(value.time_since_epoch().count());
  else if constexpr (requires { value.count(); })
    return static_cast<std::int64_t>(value.count());
  else
    return value.value();
}

// Calls visit(name, get) for each field that the file keeps; get(row) is a reference to it. A field of a nested struct
// has both names: n of code is codeN.
template <class Row, class Visit>
void each_kept_field(const Visit& visit) {
  const auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    constexpr std::string_view name = Row::fields[I];
    const auto get = [](auto& row) -> auto& { return std::get<I>(members(row)); };
    using Member = std::remove_cvref_t<std::tuple_element_t<I, decltype(members(std::declval<Row&>()))>>;
    if constexpr (worked_out<Row>(name)) {
      return;
    } else if constexpr (Described<Member>) {
      each_kept_field<Member>([&](std::string_view inner, auto get_inner) {
        std::string both = std::string(name) + std::string(inner);
        both[name.size()] = static_cast<char>(both[name.size()] - 'a' + 'A');
        visit(both, [=](auto& row) -> auto& { return get_inner(get(row)); });
      });
    } else {
      visit(name, get);
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (one(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<Row::fields.size()>{});
}

// These fields of a job's memory are columns of the jobs; the others are cells of /jobs/memories.
constexpr bool is_column_of_memory(std::string_view name) {
  return name == "home" || name == "passedOverSince" || name == "lastLocality";
}

// Structs that the file keeps by hand. If you add a field, write it, read it, and count it here.
static_assert(ClusterSnapshot::fields.size() == 34 && NodeProfile::fields.size() == 2 &&
              PlacementConstraint::fields.size() == 4 && LabelRequirement::fields.size() == 3 &&
              Toleration::fields.size() == 4 && Node::fields.size() == 14 && Resources::fields.size() == 4 &&
              Block::fields.size() == 5 && Replica::fields.size() == 3 && Job::fields.size() == 27 &&
              WholeJob::fields.size() == 16 && JobInput::fields.size() == 2 && Task::fields.size() == 11 &&
              TaskGroup::fields.size() == 11 && RunningTask::fields.size() == 7 && JobLocality::fields.size() == 2 &&
              Zone::fields.size() == 1 && Offer::fields.size() == 8 && LaunchLimit::fields.size() == 3);

}  // namespace lips
