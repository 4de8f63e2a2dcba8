// Work that is announced and has not come: a job that a schedule, a suspended object or a person has named in advance.
#pragma once

#include <algorithm>
#include <cstdint>
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
  PoolId pool;          // of its tasks; none: not known
  static constexpr auto fields = field_names("job", "at", "chance", "work", "input", "fraction", "shuffle", "pool");
  friend bool operator==(const ExpectedWork&, const ExpectedWork&) = default;

  TimePoint until() const { return at + longest_delay_of_expected; }
  // Says whether it should come within `reach`, and is not too late.
  bool counts(TimePoint now, Duration reach) const { return at <= now + reach && until() >= now; }
};

// Room in a zone that a plan leaves to work that is expected and has not come.
struct KeptRoom {
  std::uint32_t expected = 0;  // its place in ClusterSnapshot::expected
  ZoneId zone;
  CpuSeconds work;
  static constexpr auto fields = field_names("expected", "zone", "work");
};

// By time, then job, then input.
inline void sort_expected(std::vector<ExpectedWork>& all) {
  const auto rank = [](const ExpectedWork& work) { return std::tie(work.at, work.job, work.input); };
  std::sort(all.begin(), all.end(), [&](const ExpectedWork& a, const ExpectedWork& b) { return rank(a) < rank(b); });
}

}  // namespace lips
