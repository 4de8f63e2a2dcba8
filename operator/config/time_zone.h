// A zone of the time zone database by its name, such as Europe/Paris: how far its clocks are from UTC at a time.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace lips {

class TimeZone {
 public:
  TimeZone() = default;  // UTC
  // not_found: the database has no zone of that name. "" and "UTC" are UTC.
  static Result<TimeZone> named(const std::string& name);

  // Its clocks show the time in UTC and this.
  Duration offset(TimePoint time) const { return offset_ ? offset_(time) : Duration(0); }

 private:
  std::function<Duration(TimePoint)> offset_;  // none: UTC
};

}  // namespace lips
