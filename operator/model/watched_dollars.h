// Dollars of pods of other schedulers, where they run and where LiPS would have put them: what one look adds to a job,
// and sums by day, namespace and job. Plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_array.h"
#include "base/units.h"

namespace lips {

// Node dollars are a pod's share of its node: cores that it requests, over all cores, for its time.
struct WatchedDollars {
  Usd elastic = Usd(0);          // nodes that go when they are empty
  Usd fixed = Usd(0);            // nodes that are paid for anyway: not on the invoice of a pod
  Usd transfer = Usd(0);         // reads across zones
  Usd shuffle = Usd(0);          // exchanged within a job across zones, where somebody says how much
  Usd shuffle_assumed = Usd(0);  // the same where nobody says: so many bytes for each CPU-second
  Usd all_shuffle() const { return shuffle + shuffle_assumed; }
  Usd invoice() const { return elastic + transfer + all_shuffle(); }
  friend bool operator==(const WatchedDollars&, const WatchedDollars&) = default;
  WatchedDollars& operator+=(const WatchedDollars& other);
  WatchedDollars& operator-=(const WatchedDollars& other);
};
inline constexpr std::array<std::pair<std::string_view, Usd WatchedDollars::*>, 5> watched_terms{
    {{"elastic", &WatchedDollars::elastic},
     {"fixed", &WatchedDollars::fixed},
     {"transfer", &WatchedDollars::transfer},
     {"shuffle", &WatchedDollars::shuffle},
     {"shuffle_assumed", &WatchedDollars::shuffle_assumed}}};

inline WatchedDollars& WatchedDollars::operator+=(const WatchedDollars& other) {
  for (const auto& [name, term] : watched_terms) this->*term += other.*term;
  return *this;
}
inline WatchedDollars& WatchedDollars::operator-=(const WatchedDollars& other) {
  for (const auto& [name, term] : watched_terms) this->*term -= other.*term;
  return *this;
}

enum class WatchOutcome : std::uint8_t {
  compared,      // the plan would have started it, too
  would_wait,    // it had ended before the plan would have started it
  not_honoured,  // it asks for something that LiPS does not support
  found,         // it ran before it was watched
  not_planned,   // there was no plan: too many pods, or the policy failed
};
inline constexpr EnumArray<WatchOutcome, std::string_view> watch_outcome_names{"compared", "would-wait", "not-honoured",
                                                                               "found", "not-planned"};
constexpr std::string_view to_string(WatchOutcome outcome) { return watch_outcome_names[outcome]; }

// Dollars up to now. Of a pod that is not compared, those `planned` are those `actual`.
struct WatchedSum {
  EnumArray<WatchOutcome, std::uint64_t> pods{};  // that ended
  std::uint64_t running = 0;                      // pods, now
  WatchedDollars actual, planned;
  Duration actual_wait{}, planned_wait{};  // from when they were first seen; of compared pods that ended
  friend bool operator==(const WatchedSum&, const WatchedSum&) = default;
  WatchedSum& operator+=(const WatchedSum& other) {
    for (const WatchOutcome outcome : enumerators<WatchOutcome>) pods[outcome] += other.pods[outcome];
    running += other.running;
    actual += other.actual, planned += other.planned;
    actual_wait += other.actual_wait, planned_wait += other.planned_wait;
    return *this;
  }
};

// Since the last look; `running`: as of this one. Dollars may fall, when the plan for a pod becomes known.
struct WatchedChange {
  std::string name_space, job;
  WatchedSum more;
};

struct WatchedRow {
  std::string day;  // 2026-11-22, in UTC: in which it was spent, and the pods ended
  std::string name_space, job;
  WatchedSum sum;
};

}  // namespace lips
