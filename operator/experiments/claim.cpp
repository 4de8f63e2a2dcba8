#include "experiments/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace lips::experiments {

Spread spread(std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), *least, *most};
}

bool Claim::agrees() const {
  return !ours.empty() &&
         std::ranges::all_of(ours, [&](const Spread& of) { return of.mean >= low && of.mean <= high; });
}

std::vector<Spread> extremes(const std::vector<Spread>& sweep) {
  const auto [least, most] = std::ranges::minmax_element(sweep, {}, &Spread::mean);
  return {*least, *most};
}

std::string claims_table(std::span<const Claim> claims) {
  std::string text =
      "| test | what | printed | agrees within | ours: mean (seeds: least to greatest) | "
      "|\n|---|---|---|---|---|---|\n";
  for (const Claim& claim : claims) {
    std::string ours;
    for (const Spread& of : claim.ours)
      fmt::format_to(std::back_inserter(ours), "{}{:.1f} ({:.1f} to {:.1f})", ours.empty() ? "" : " .. ", of.mean,
                     of.least, of.most);
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {:g} to {:g} | {} {} | {} |\n", claim.test, claim.what,
                   claim.printed, claim.low, claim.high, ours, claim.unit, claim.agrees() ? "agree" : "differ");
  }
  return text;
}

}  // namespace lips::experiments
