// A list of announcements: an entry is good or named in an error, and its times lie in the span that was asked for.
#include "kubernetes/adapter/announcements.h"

#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(announcements, json) {
  const Announcements read = parse_announcements("expected.yaml", std::string(input));
  const TimePoint from(std::chrono::hours(24 * 20'000)), to = from + std::chrono::hours(4);
  for (const Announcement& entry : read.entries) {
    FUZZ_CHECK(!entry.name_space().empty() && entry.job.size() > entry.name_space().size() + 1);
    FUZZ_CHECK(entry.at.has_value() != entry.schedule.has_value());
    FUZZ_CHECK(entry.work.value() >= 0 && entry.chance >= 0 && entry.chance <= 1);
    FUZZ_CHECK(entry.fraction >= 0 && entry.fraction <= 1);
    for (const TimePoint at : entry.within(from, to)) FUZZ_CHECK(at >= from && at < to);
  }
  for (const std::string& error : read.errors) FUZZ_CHECK(error.starts_with("expected.yaml"));
  return read.errors.empty();
}

}  // namespace lips::kubernetes
