// A number for each zone. Those of a few zones lie in the object: a plan for a million tasks has a million of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace lips {

class ByZone {
 public:
  using value_type = double;
  using const_iterator = const double*;

  ByZone() = default;
  explicit ByZone(std::size_t zones, double value = 0) { assign(zones, value); }
  explicit ByZone(std::span<const double> values) : ByZone(values.size()) {
    std::copy(values.begin(), values.end(), begin());
  }

  void assign(std::size_t zones, double value) {
    size_ = static_cast<std::uint32_t>(zones);
    if (size_ > few)
      many_.assign(zones, value);
    else
      few_.fill(value);
  }

  double& operator[](ZoneId zone) { return begin()[zone.index()]; }
  double operator[](ZoneId zone) const { return begin()[zone.index()]; }
  double* begin() { return size_ > few ? many_.data() : few_.data(); }
  double* end() { return begin() + size_; }
  const double* begin() const { return size_ > few ? many_.data() : few_.data(); }
  const double* end() const { return begin() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  IdVector<ZoneId, double>::Ids ids() const { return {size_}; }
  friend bool operator==(const ByZone& a, const ByZone& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::uint32_t few = 6;
  std::uint32_t size_ = 0;
  std::array<double, few> few_{};
  std::vector<double> many_;  // where there are more: all of them
};

}  // namespace lips
