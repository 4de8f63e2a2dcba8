// Dollars of pods of other schedulers, where they ran and where LiPS would have put them: of one pod, and added up by
// day, namespace and job. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/units.h"

namespace lips {

// Node dollars are a pod's share of its node: cores that it requests, over all cores, for its time.
struct WatchedDollars {
  Usd elastic;   // nodes that go when they are empty
  Usd fixed;     // nodes that are paid for anyway: not on the invoice of a pod
  Usd transfer;  // reads across zones
  Usd invoice() const { return elastic + transfer; }
  WatchedDollars& operator+=(const WatchedDollars& other) {
    elastic += other.elastic, fixed += other.fixed, transfer += other.transfer;
    return *this;
  }
};

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

// A pod that has ended. Unless it is compared, `planned` equals `actual`.
struct WatchedEnd {
  std::string name_space, job;
  WatchOutcome outcome = WatchOutcome::compared;
  WatchedDollars actual, planned;
  Duration actual_wait{}, planned_wait{};  // from when it was first seen; of compared pods
};

struct WatchedSum {
  EnumArray<WatchOutcome, std::uint64_t> pods{};
  WatchedDollars actual, planned;
  Duration actual_wait{}, planned_wait{};
  void add(const WatchedEnd& end) {
    ++pods[end.outcome];
    actual += end.actual, planned += end.planned;
    actual_wait += end.actual_wait, planned_wait += end.planned_wait;
  }
  WatchedSum& operator+=(const WatchedSum& other) {
    for (const WatchOutcome outcome : enumerators<WatchOutcome>) pods[outcome] += other.pods[outcome];
    actual += other.actual, planned += other.planned;
    actual_wait += other.actual_wait, planned_wait += other.planned_wait;
    return *this;
  }
};

struct WatchedRow {
  std::string day;  // 2026-11-22, in UTC: on which the pods ended
  std::string name_space, job;
  WatchedSum sum;
};

}  // namespace lips
