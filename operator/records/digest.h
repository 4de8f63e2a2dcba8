// A fingerprint of values that changes with any bit of them; it does not resist deliberate forgery. The members of a
// struct come from its description, so no field can be left out.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/plan.h"

namespace lips {

class Digest {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, StageTimes>) {
      // Wall time: no decision depends on it.
    } else if constexpr (std::is_same_v<T, std::vector<Reclaim>>) {
      for (const Reclaim& reclaim : value) add(reclaim);  // as if there were no such list where it is empty
    } else if constexpr (Described<T>) {
      each_field(value, [this](std::string_view, const auto& member) { add(member); });
    } else if constexpr (std::is_floating_point_v<T>) {
      add_word(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      add_word(static_cast<std::uint64_t>(value));
    } else if constexpr (requires { value.index(); }) {
      add_word(value.index());
    } else if constexpr (requires { value.first, value.second; }) {
      add(value.first);
      add(value.second);
    } else if constexpr (requires { value.time_since_epoch(); }) {
      add(value.time_since_epoch().count());
    } else if constexpr (requires { value.has_value(); }) {
      add_word(value.has_value());
      if (value) add(*value);
    } else if constexpr (requires { value.value(); }) {
      add(value.value());
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      add_text(value);
    } else if constexpr (std::ranges::range<const T>) {
      add_word(std::ranges::size(value));
      for (const auto& item : value) add(item);
    } else {
      add(value.count());  // a span of time
    }
  }
  // The digest as 32 hexadecimal digits.
  std::string text() const;

 private:
  void add_word(std::uint64_t word) {
    first_ = (first_ ^ word) * 0x9e3779b97f4a7c15;
    first_ ^= first_ >> 32;
    second_ = (second_ + word) * 0xd6e8feb86659fd93;
    second_ ^= second_ >> 29;
  }
  void add_text(std::string_view text);

  std::uint64_t first_ = 0xcbf29ce484222325, second_ = 0x84222325cbf29ce4;
};

// Equal for plans that are equal bit for bit, except account.seconds.
std::string plan_digest(const Plan& plan);

// The digest in files of the first journal format.
std::string first_text_digest(std::string_view text);

}  // namespace lips
