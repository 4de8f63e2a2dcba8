// Arrays with one element for each enumerator, indexed by the enum alone. For enums that number their enumerators from
// 0 without gaps.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lips {

// g++ and clang print an enumerator by its name and any other value as a cast: "(lips::Locality)5".
template <auto value>
consteval bool is_enumerator() {
  constexpr std::string_view printed = __PRETTY_FUNCTION__;
  constexpr char after = printed[printed.rfind(')') + 1];
  return after < '0' || after > '9';
}

template <class Enum, std::size_t from = 0>
consteval std::size_t count_enumerators() {
  if constexpr (is_enumerator<static_cast<Enum>(from)>())
    return count_enumerators<Enum, from + 1>();
  else
    return from;
}

template <class Enum>
  requires std::is_enum_v<Enum>
inline constexpr std::size_t enum_size = count_enumerators<Enum>();

// In their order: for (const Locality level : enumerators<Locality>)
template <class Enum>
inline constexpr auto enumerators = [] {
  std::array<Enum, enum_size<Enum>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}();

template <class Enum, class T>
class EnumArray {
 public:
  constexpr EnumArray() = default;
  template <class... Values>
    requires(sizeof...(Values) == enum_size<Enum> && (std::convertible_to<Values, T> && ...))
  // NOLINTNEXTLINE(google-explicit-constructor): a list of values becomes one, as with std::array
  constexpr EnumArray(Values&&... values) : items_{static_cast<T>(std::forward<Values>(values))...} {}

  constexpr T& operator[](Enum at) { return items_[static_cast<std::size_t>(at)]; }
  constexpr const T& operator[](Enum at) const { return items_[static_cast<std::size_t>(at)]; }
  static constexpr std::size_t size() { return enum_size<Enum>; }
  constexpr auto begin() { return items_.begin(); }
  constexpr auto end() { return items_.end(); }
  constexpr auto begin() const { return items_.begin(); }
  constexpr auto end() const { return items_.end(); }
  friend constexpr bool operator==(const EnumArray&, const EnumArray&) = default;

 private:
  std::array<T, enum_size<Enum>> items_{};
};

}  // namespace lips
