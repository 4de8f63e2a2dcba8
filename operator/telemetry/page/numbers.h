// Numbers as people read them, in ASCII. A value that is not finite is "-".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/units.h"

namespace lips::page {

std::string usd(double dollars);       // "$0.0042", "$123.40", "$12,345"
std::string percent(double fraction);  // "31 %", "0.4 %"
std::string duration(double seconds);  // "0.42 s", "3 min 20 s", "2 h 05 min", "1 d 4 h"
std::string foreseen(Duration span);   // a duration; "never" from longest_span on
std::string when(double seconds);      // "in 3 min 20 s", "0.42 s ago"
std::string epoch(double seconds);     // "600 s"; long ones as a duration
std::string hours(double seconds);     // "1.5": for columns whose head has the unit
std::string gigabytes(double value);   // "84 B", "961 kB", "0.52 GB", "1.9 PB"
std::string multiple(double value);    // "1.12"
std::string count(std::size_t value);  // "24,442"

struct Change {
  enum class Kind : std::uint8_t { unknown, same, less, more };  // unknown: there is nothing to compare with
  Kind kind = Kind::unknown;
  double fraction = 0;  // by how much less or more
};
Change change(double value, double base);
std::string to_string(const Change& change);  // "31 % less", "4 % more", "the same", "-"

}  // namespace lips::page
