#include "experiments/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace lips::experiments {

namespace {

constexpr double unbounded = 1e9, nothing = 1e-9;

// Three significant digits below 1, one decimal above.
std::string number(double value) {
  const double size = std::abs(value);
  if (size < nothing) return "0";
  if (size >= 1000) return fmt::format("{:.0f}", value);
  return size >= 1 ? fmt::format("{:.1f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

Spread spread(std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), *least, *most};
}

Spread exactly(double value) { return {value, value, value}; }

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agree:
      return "agree";
    case Verdict::differ:
      return "differ";
    case Verdict::not_comparable:
      break;
  }
  return "cannot be compared";
}

bool Claim::agrees() const {
  return !ours.empty() &&
         std::ranges::all_of(ours, [&](const Spread& of) { return of.mean >= low && of.mean <= high; });
}

std::vector<Spread> extremes(const std::vector<Spread>& sweep) {
  const auto [least, most] = std::ranges::minmax_element(sweep, {}, &Spread::mean);
  return {*least, *most};
}

std::string ours_text(const Claim& claim) {
  std::string text;
  for (const Spread& of : claim.ours) {
    text += (text.empty() ? "" : " .. ") + number(of.mean);
    if (of.least != of.most) text += fmt::format(" ({} to {})", number(of.least), number(of.most));
  }
  if (text.empty()) return "-";
  return claim.unit.empty() ? text : text + " " + claim.unit;
}

std::string band_text(const Claim& claim) {
  if (!claim.comparable) return "-";
  if (claim.low == claim.high) return fmt::format("{:g}", claim.low);
  if (claim.low <= -unbounded) return fmt::format("at most {:g}", claim.high);
  if (claim.high >= unbounded) return fmt::format("at least {:g}", claim.low);
  return fmt::format("{:g} to {:g}", claim.low, claim.high);
}

std::string verdict_text(const Claim& claim) {
  return fmt::format("{}{}{}", to_string(claim.verdict()), claim.other_reading ? " (another reading)" : "",
                     claim.reason.empty() ? "" : ": " + claim.reason);
}

std::string claims_table(std::span<const Claim> claims) {
  std::string text =
      "| test | what | printed | agrees within | ours: mean (seeds: least to greatest) | "
      "|\n|---|---|---|---|---|---|\n";
  for (const Claim& claim : claims)
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} |\n", claim.test, claim.what, claim.printed,
                   band_text(claim), ours_text(claim), verdict_text(claim));
  return text;
}

}  // namespace lips::experiments
