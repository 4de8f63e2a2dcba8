// A figure that a paper prints, beside ours: what every reproduced experiment yields. Knows no paper, clock or file.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lips::experiments {

// Mean, least and greatest over seeds.
struct Spread {
  double mean = 0, least = 0, most = 0;
};
Spread spread(std::span<const double> values);  // of at least one value

struct Claim {
  std::string test;          // "4.2a"
  std::string what;          // setting and figure
  std::string printed;       // as the paper has it
  double low = 0, high = 0;  // that our mean must lie between to agree
  std::vector<Spread> ours;  // one a setting; two: the least and the greatest of a sweep
  std::string unit = "%";

  bool agrees() const;
};

// Smallest and largest mean of a sweep, each with its spread.
std::vector<Spread> extremes(const std::vector<Spread>& sweep);

// One line a claim: printed, ours as mean (least-greatest over seeds), agree or differ.
std::string claims_table(std::span<const Claim> claims);

}  // namespace lips::experiments
