// Text with units as people write it: 90s, 1h30m, 128Mi, 64MB, 0.34 USD/h. Values outside the ranges of ranges.h are
// refused. Knows no file.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace lips {

// The whole text has to be a finite decimal number.
std::optional<double> parse_number(std::string_view text);
// Sums of numbers with ms, s, m, h or d; or 0.
std::optional<Duration> parse_duration(std::string_view text);
// "06:00", from 00:00 to 24:00: since the midnight before; 00:00 is 24:00, the next one; "": 0.
std::optional<Duration> parse_time_of_day(std::string_view text);
std::string time_of_day(Duration since_midnight);
// A number with B, KB, MB, GB, TB (powers of 1000), Ki, Mi, Gi, Ti or KiB ... TiB (of 1024); or 0.
std::optional<Mebibytes> parse_size(std::string_view text);
// A number, alone or followed by the unit (as "0.34 USD/h").
std::optional<double> parse_amount(std::string_view text, std::string_view unit);

// A number with Mbit/s, Gbit/s, MB/s or MiB/s; or 0.
std::optional<MebibytesPerSecond> parse_bandwidth(std::string_view text);

// The name most similar to `word`, or nothing when none is similar.
template <class Names>
std::string_view most_alike(std::string_view word, const Names& names);
int edit_distance(std::string_view a, std::string_view b);

template <class Names>
std::string_view most_alike(std::string_view word, const Names& names) {
  std::string_view best;
  int least = static_cast<int>(word.size()) / 3 + 2;
  for (std::string_view name : names) {
    const auto longer = static_cast<int>(word.size()) - static_cast<int>(name.size());
    if (std::abs(longer) >= least) continue;  // each letter too many is an edit
    if (const int distance = edit_distance(word, name); distance < least) least = distance, best = name;
  }
  return best;
}

}  // namespace lips
