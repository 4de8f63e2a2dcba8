// Ranges of quantities in inputs, for all readers. Within these, sums and quotients of inputs stay finite, spans fit
// the clock, and work, sizes and prices fit a linear program.
#pragma once

#include "base/units.h"

namespace lips {

// Both ends are included.
struct NumberRange {
  double least, most;
  constexpr bool contains(double number) const { return number >= least && number <= most; }  // false for NaN
};
inline constexpr NumberRange any_number{-1e12, 1e12};
inline constexpr NumberRange not_negative{0, 1e12};
inline constexpr NumberRange positive{1e-9, 1e12};
inline constexpr NumberRange share_range{0, 1};
inline constexpr NumberRange core_range{1e-3, 1e6};
inline constexpr NumberRange speed_range{1e-6, 1e6};
inline constexpr NumberRange price_range{0, 1e9};              // dollars per unit of anything
inline constexpr NumberRange work_range{0, 1e9};               // CPU-seconds of a task: 30 years of a core
inline constexpr NumberRange work_per_mebibyte_range{0, 1e6};  // CPU-seconds

inline constexpr Duration longest_duration = std::chrono::hours(24) * 36525;  // a hundred years
// 0, or from a byte to an exbibyte.
inline constexpr Mebibytes smallest_size{1 / bytes_per_mebibyte}, largest_size{bytes_per_mebibyte * bytes_per_mebibyte};
// 0, or from a byte a second to a pebibyte a second.
inline constexpr MebibytesPerSecond slowest_bandwidth{1 / bytes_per_mebibyte}, fastest_bandwidth{1024.0 * 1048576};

constexpr bool in_range(Mebibytes size) {
  return size == Mebibytes(0) || (size >= smallest_size && size <= largest_size);
}
constexpr bool in_range(MebibytesPerSecond bandwidth) {
  return bandwidth == MebibytesPerSecond(0) || (bandwidth >= slowest_bandwidth && bandwidth <= fastest_bandwidth);
}

// Texts for "allowed" in error messages.
inline constexpr const char* allowed_durations =
    "a duration such as 90s, 10m or 1h30m (units ms, s, m, h, d), at most 36525d";
inline constexpr const char* allowed_times_of_day = "a time of day in UTC from 00:00 to 24:00, such as 06:00";
inline constexpr const char* allowed_sizes =
    "a size such as 128Mi, 10Gi or 64MB (units B, KB, MB, GB, TB, Ki, Mi, Gi, Ti), 0 or from 1B to 1048576Ti";
inline constexpr const char* allowed_bandwidths =
    "a bandwidth such as 1Gbit/s or 120MiB/s (units MiB/s, MB/s, Mbit/s, Gbit/s), at most 1073741824MiB/s; or 0: no "
    "limit";

}  // namespace lips
