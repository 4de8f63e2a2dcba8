// Work that is announced and has not come: a job that a schedule, a suspended object or a person has named in advance.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"

namespace lips {

// Nobody counts on work that is later than this.
inline constexpr Duration longest_delay_of_expected = std::chrono::minutes(30);

struct ExpectedWork {
  std::string job;    // whose arrival ends the announcement; one that reads several data sets has several announcements
  TimePoint at{};     // when it should come
  double chance = 1;  // that it comes
  CpuSeconds work;    // if it does
  DataSetId input;    // none: reads nothing
  double fraction = 1;  // of each block that it reads
  Mebibytes shuffle{};  // what its maps leave for its reduces
  static constexpr auto fields = field_names("job", "at", "chance", "work", "input", "fraction", "shuffle");
  friend bool operator==(const ExpectedWork&, const ExpectedWork&) = default;

  // Says whether it should come within `reach`, and is not too late.
  bool counts(TimePoint now, Duration reach) const {
    return at <= now + reach && at + longest_delay_of_expected >= now;
  }
};

// By time, then job, then input.
inline void sort_expected(std::vector<ExpectedWork>& all) {
  const auto rank = [](const ExpectedWork& work) { return std::tie(work.at, work.job, work.input); };
  std::sort(all.begin(), all.end(), [&](const ExpectedWork& a, const ExpectedWork& b) { return rank(a) < rank(b); });
}

}  // namespace lips
