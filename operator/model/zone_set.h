// A set of zones as bits; a cluster has at most 64 zones.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "base/ids.h"

namespace lips {

class ZoneSet {
 public:
  static constexpr std::uint32_t max_zones = 64;
  constexpr ZoneSet() = default;
  constexpr explicit ZoneSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr ZoneSet of(ZoneId zone) { return ZoneSet(std::uint64_t{1} << zone.index()); }
  constexpr void insert(ZoneId zone) { bits_ |= std::uint64_t{1} << zone.index(); }
  constexpr bool contains(ZoneId zone) const { return (bits_ >> zone.index()) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr auto operator<=>(ZoneSet, ZoneSet) = default;
  friend constexpr ZoneSet operator|(ZoneSet a, ZoneSet b) { return ZoneSet(a.bits_ | b.bits_); }
  friend constexpr ZoneSet operator-(ZoneSet a, ZoneSet b) { return ZoneSet(a.bits_ & ~b.bits_); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace lips
