// A figure that a paper prints, beside ours: what every reproduced experiment yields. Knows no paper, clock or file.
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
Spread exactly(double value);                   // of something that nothing random enters

enum class Verdict : std::uint8_t { agree, differ, not_comparable };
std::string_view to_string(Verdict verdict);

struct Claim {
  std::string test;          // "4.2a"
  std::string what;          // setting and figure
  std::string printed;       // as the paper has it
  double low = 0, high = 0;  // that our mean must lie between to agree
  std::vector<Spread> ours;  // one a setting; two: the least and the greatest of a sweep
  std::string unit = "%";
  std::string reason = {};  // why it differs, or why it cannot be compared
  bool comparable = true;
  bool other_reading = false;  // beside the one that the text suggests or fits best; not counted

  bool agrees() const;
  Verdict verdict() const {
    return !comparable ? Verdict::not_comparable : agrees() ? Verdict::agree : Verdict::differ;
  }
};

// Smallest and largest mean of a sweep, each with its spread.
std::vector<Spread> extremes(const std::vector<Spread>& sweep);

// "83.1 (81.0 to 85.2) .. 84.0 (82.1 to 85.9) %"; a spread of nothing is one number.
std::string ours_text(const Claim& claim);
// "81.5 to 84.5", "at least 50"; bounds of 1e9 and more are none.
std::string band_text(const Claim& claim);
// "differ: why", "agree (another reading)"
std::string verdict_text(const Claim& claim);
// One line a claim: printed, ours as mean (least-greatest over seeds), agree, differ or cannot be compared.
std::string claims_table(std::span<const Claim> claims);

}  // namespace lips::experiments
