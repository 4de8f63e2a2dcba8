// Work that a file announces: a list that a person or another program keeps (docs/kubernetes.md#work-to-come).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "config/cron_schedule.h"
#include "config/time_zone.h"

namespace lips::kubernetes {

struct Announcement {
  std::string job;              // NAMESPACE/NAME
  std::optional<TimePoint> at;  // once; none: at the times of its schedule
  std::optional<CronSchedule> schedule;
  TimeZone zone;  // of the schedule
  double chance = 1;
  CpuSeconds work;
  std::string data_set;  // NAMESPACE/NAME; empty: reads nothing
  double fraction = 1;   // of each block that it reads
  Mebibytes shuffle{};   // what its maps leave for its reduces

  std::string name_space() const { return job.substr(0, job.find('/')); }
  // The times of [from, to) at which it should come, in order.
  std::vector<TimePoint> within(TimePoint from, TimePoint to) const;
};

// Replaced as a whole; null: none.
using AnnouncedWork = std::shared_ptr<const std::vector<Announcement>>;

struct Announcements {
  std::vector<Announcement> entries;  // those without an error
  std::vector<std::string> errors;    // with file, line, field, what was found and what is allowed
};

Announcements parse_announcements(const std::string& file, const std::string& text);

}  // namespace lips::kubernetes
