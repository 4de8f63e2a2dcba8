// Dollars against waiting, a point for each price of waiting, and the choice among them. Pure; knows no simulation and
// no output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"

namespace lips::cmd {

// The room that a pool had while it wanted some, in core-seconds of its dominant resource.
struct PoolPart {
  std::string pool;
  double weight = 1, used = 0, entitled = 0;
  double longest_below = 0;  // seconds on end with less than 95 % of its share
};

struct CurvePoint {
  double waiting_price = 1;
  std::string variant;             // the other settings that it has, as --vary has them; empty: none
  bool present = false;            // as it is set now
  double dollars = 0;              // by the bill that counts
  double dollars_per_day = 0;      // over the longest run
  double invoice = 0, by_use = 0;  // dollars
  std::uint64_t jobs = 0;
  double completion_mean = 0, completion_p50 = 0, completion_p95 = 0, completion_max = 0;  // seconds
  double mean_wait = 0;                                                                    // seconds
  double makespan = 0;                                                                     // seconds
  std::vector<PoolPart> pools;
  std::string unfinished;  // why the run is no comparison; empty: every job finished
  bool dominated = false;  // another point costs no more and takes no longer, and is better in one of them
};

// knee: both dollars and wait are measured in parts of what lies between the least and the most of points that are not
// dominated; the sum is least.
enum class ChoiceRule : std::uint8_t { knee, hour, mean_wait, budget };
constexpr std::string_view to_string(ChoiceRule rule) {
  constexpr EnumArray<ChoiceRule, std::string_view> names{"knee", "hour", "mean-wait", "budget-per-day"};
  return names[rule];
}

struct Wish {
  ChoiceRule rule = ChoiceRule::knee;
  double amount = 0;  // hour: USD of an hour of a job; mean_wait: seconds; budget: USD a day
};

struct PriceChoice {
  std::size_t point = 0;
  bool held = true;  // the wish; the nearest to it if not
};

void mark_dominated(std::vector<CurvePoint>& points);
// None when no point counts. Expects mark_dominated().
std::optional<PriceChoice> choose(const std::vector<CurvePoint>& points, const Wish& wish);

}  // namespace lips::cmd
