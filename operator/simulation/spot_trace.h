// When no spot node could be had in a zone: spells in which probes found none, or lost the one they had. Format of the
// availability traces of "Can't Be Late" (Wu et al., NSDI 2024): zone, from_s, until_s, running (0 or 1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace lips::simulation {

struct SpotTrace {
  struct Outage {
    std::size_t zone = 0;  // index in `zones`
    TimePoint from{}, until{};
  };
  std::vector<std::string> zones;  // in the order of the trace
  std::vector<Outage> outages;     // of each zone in turn, by time; none of them touch
};
// `file` is named in errors.
Result<SpotTrace> parse_spot_trace(const std::string& file, std::string_view csv);

}  // namespace lips::simulation
