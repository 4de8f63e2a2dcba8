// A figure printed in a paper, beside ours: the result of every reproduced experiment. Knows no paper, clock or file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lips::experiments {

// Mean, least and greatest over seeds.
struct Spread {
  double mean = 0, least = 0, most = 0;
};
Spread spread(std::span<const double> values);  // of at least one value
Spread exactly(double value);                   // of a figure without randomness

enum class Verdict : std::uint8_t { agree, differ, not_comparable };
std::string_view to_string(Verdict verdict);

struct Claim {
  std::string test;          // "4.2a"
  std::string what;          // setting and figure
  std::string printed;       // as printed in the paper
  double low = 0, high = 0;  // our mean agrees if it lies between them
  std::vector<Spread> ours;  // one for a setting; two: the least and the greatest of a sweep
  std::string unit = "%";
  std::string reason = {};  // why it differs, or why it cannot be compared
  bool comparable = true;
  bool other_reading = false;  // neither the reading that the text suggests nor the one that fits best; not counted
  std::string id = {};         // names the claim independently of its wording; empty: no test refers to it

  bool agrees() const;
  Verdict verdict() const {
    return !comparable ? Verdict::not_comparable : agrees() ? Verdict::agree : Verdict::differ;
  }
};

// Smallest and largest mean of a sweep, each with its spread.
std::vector<Spread> extremes(const std::vector<Spread>& sweep);

// "83.1 (81.0 to 85.2) .. 84.0 (82.1 to 85.9) %"; a spread of width 0 is one number.
std::string ours_text(const Claim& claim);
// "81.5 to 84.5", "at least 50"; a bound of 1e9 or more counts as none.
std::string band_text(const Claim& claim);
// "differ: why", "agree (another reading)"
std::string verdict_text(const Claim& claim);
// One line for each claim: printed, ours as mean (least-greatest over seeds), and agree, differ or cannot be compared.
std::string claims_table(std::span<const Claim> claims);

}  // namespace lips::experiments
