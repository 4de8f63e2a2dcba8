// The schedule of a CronJob, as Kubernetes reads it: five fields (minute, hour, day of the month, month, day of the
// week) with lists, ranges, steps and names, or @hourly, @daily, @weekly, @monthly, @yearly, by the clocks of a time
// zone; or @every with a duration, counted from the last start.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/time_zone.h"

namespace lips {

class CronSchedule {
 public:
  // The error names the field, what was found and what is allowed.
  static Result<CronSchedule> parse(std::string_view text);

  bool counts_from_last_start() const { return every_.has_value(); }  // and not by clocks

  // The minutes of [from, to) at which it starts, in order. What clocks skip does not start, and what they show twice
  // starts twice, as in Kubernetes. `since`: the start from which @every counts.
  std::vector<TimePoint> within(TimePoint from, TimePoint to, const TimeZone& zone = {}, TimePoint since = {}) const;

 private:
  bool matches(TimePoint shown) const;  // the minute that the clocks show

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;     // 1-31
  std::bitset<13> months_;   // 1-12
  std::bitset<7> weekdays_;  // 0: Sunday
  // Where both name some days only, a day of either matches.
  std::optional<Duration> every_;  // instead of all these
  bool any_day_ = false, any_weekday_ = false;
};

}  // namespace lips
