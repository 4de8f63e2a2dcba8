// How much work arrives: a memory of past arrivals that fades.
#pragma once

#include <cmath>

#include "base/fields.h"
#include "base/units.h"

namespace lips {

struct ArrivalMemory {
  CpuSeconds work;    // that has arrived, faded to `until`
  TimePoint until{};  // the last arrival
  static constexpr auto fields = field_names("work", "until");
  friend bool operator==(const ArrivalMemory&, const ArrivalMemory&) = default;

  static constexpr Duration span = std::chrono::hours(3);  // fades to 1/e

  bool any() const { return work.value() > 0; }
  void count(CpuSeconds more, TimePoint now) {
    work = faded(now) + more;
    until = std::max(until, now);
  }
  CpuSeconds faded(TimePoint now) const {
    return work * std::exp(-to_seconds(std::max(Duration(0), now - until)) / to_seconds(span));
  }
  // CPU-seconds of work a second; too low until `span` has passed since the first arrival.
  double rate(TimePoint now) const { return faded(now).value() / to_seconds(span); }
};

}  // namespace lips
