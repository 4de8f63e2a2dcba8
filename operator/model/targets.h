// The wishes of a team for its work: at most so many dollars a day, at most so long a wait in the mean, done by a time
// of day. And how far each such target is held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_array.h"
#include "base/fields.h"
#include "base/units.h"

namespace lips {

inline constexpr Duration one_day = std::chrono::hours(24);

struct Targets {
  Usd budget_per_day;      // 0: none
  Duration mean_wait{};    // of a task, from when it could start until it does; 0: none
  Duration complete_by{};  // a time of day, UTC, for what arrived an hour before; 24 h: midnight; 0: none
  static constexpr auto fields = field_names("budgetPerDay", "meanWait", "completeBy");
  friend bool operator==(const Targets&, const Targets&) = default;
  bool any() const { return *this != Targets{}; }
};

// By how much a pool's targets are overdrawn, in days' worth: what holding them remembers (targets/price_control.h).
struct TargetDebt {
  std::string pool;  // empty: of all pools together
  double budget = 0, wait = 0;
  static constexpr auto fields = field_names("pool", "budget", "wait");
  friend bool operator==(const TargetDebt&, const TargetDebt&) = default;
};

// When one job has to be done, and when its tasks have to start at the latest.
struct JobDue {
  std::optional<TimePoint> complete_by, start_by;
  std::optional<TimePoint> ends_by = {};  // when its controller ends it: makes its wait dearer, and never cheaper
  static constexpr auto fields = field_names("completeBy", "startBy", "endsBy");
  friend bool operator==(const JobDue&, const JobDue&) = default;
  bool any() const { return complete_by || start_by || ends_by; }
};

enum class TargetKind : std::uint8_t { budget_per_day, mean_wait, complete_by };
inline constexpr EnumArray<TargetKind, std::string_view> target_names{"budget-per-day", "mean-wait", "complete-by"};
constexpr std::string_view to_string(TargetKind kind) { return target_names[kind]; }

enum class TargetState : std::uint8_t {
  learning,  // too little has arrived to foresee anything
  held,
  behind,  // the forecast is beyond the target, and the price of waiting can still move
  cannot   // be held; `why` says what it would take
};
inline constexpr EnumArray<TargetState, std::string_view> target_state_names{"learning", "held", "behind", "cannot"};
constexpr std::string_view to_string(TargetState state) { return target_state_names[state]; }

// The kinds of targets of one job.
enum class OwnTargetKind : std::uint8_t { complete_by, max_wait };
inline constexpr EnumArray<OwnTargetKind, std::string_view> own_target_names{to_string(TargetKind::complete_by),
                                                                             "max-wait"};
constexpr std::string_view to_string(OwnTargetKind kind) { return own_target_names[kind]; }

// From good to bad. Those of a pool's target, and one more: a job has one day only.
enum class OwnTargetState : std::uint8_t { held, behind, cannot, missed };
inline constexpr EnumArray<OwnTargetState, std::string_view> own_target_state_names{
    to_string(TargetState::held), to_string(TargetState::behind), to_string(TargetState::cannot), "missed"};
constexpr std::string_view to_string(OwnTargetState state) { return own_target_state_names[state]; }

// Dollars, or seconds. For complete_by: the time left until then, and the time that the work due takes at full speed.
struct TargetReport {
  std::string pool;  // empty: of all pools together
  TargetKind kind = TargetKind::budget_per_day;
  double target = 0;
  double reached = 0;   // of this day so far; complete_by: how late the work due last was done
  double forecast = 0;  // of a day at the present price of waiting
  double factor = 1;    // times the setting waitingPrice
  TargetState state = TargetState::learning;
  std::string why = {};  // where the state is `cannot`
  friend bool operator==(const TargetReport&, const TargetReport&) = default;
};

// By how much waiting becomes dearer, or cheaper, as a deadline comes near. With half of the time left needed it has
// its usual price, with a quarter an eighth of it; it rises to its bound as all of it is needed.
inline constexpr double cheapest_with_slack = 1.0 / 8, dearest_when_due = 32;
inline double deadline_factor(double needed, double left) {
  if (needed >= left) return dearest_when_due;
  const double ratio = needed / (left - needed);
  return std::clamp(ratio * ratio, cheapest_with_slack, dearest_when_due);
}
// Says whether it is done in time at full speed, and with a quarter of the time that it needs to spare.
inline TargetState deadline_state(double needed, double left) {
  if (needed > left) return TargetState::cannot;
  return needed * 1.25 > left ? TargetState::behind : TargetState::held;
}

}  // namespace lips
