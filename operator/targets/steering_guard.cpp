#include "targets/steering_guard.h"

#include <fmt/format.h>

namespace lips {

namespace {

constexpr Duration refused_for = std::chrono::minutes(1);  // one bad plan strands nobody
constexpr Duration calm_for = std::chrono::minutes(5);     // before LiPS steers again
constexpr double overspent_by = 1.05;                      // the price of waiting holds a budget this closely

}  // namespace

void SteeringGuard::planned(TimePoint now, bool passed, const std::vector<TargetReport>& reports) {
  if (!passed) {
    if (!refused_since_) refused_since_ = now;
    refused_last_ = now;
    plans_refused_ |= now - *refused_since_ >= refused_for;
  } else if (refused_since_ && (!plans_refused_ || now - *refused_last_ >= calm_for)) {
    refused_since_.reset();
    plans_refused_ = false;
  }
  overspent_.clear();
  for (const TargetReport& report : reports)
    if (report.kind == TargetKind::budget_per_day && report.reached > overspent_by * report.target)
      overspent_[report.pool] = fmt::format(
          "{:.2f} USD of the {:.2f} USD of this day are spent; steered again from midnight (UTC), or with a higher "
          "budget",
          report.reached, report.target);
}

std::optional<LeftAloneBecause> SteeringGuard::why_not(const std::string& pool) const {
  if (!falls_back_) return std::nullopt;
  if (plans_refused_)
    return LeftAloneBecause{LeftAlone::plans_refused,
                            "no plan has passed its checks for a minute; steered again after five minutes without a "
                            "refused plan"};
  if (overspent_.empty()) return std::nullopt;
  for (const std::string& whose : {pool, std::string()})
    if (const auto found = overspent_.find(whose); found != overspent_.end())
      return LeftAloneBecause{LeftAlone::budget_overspent, found->second};
  return std::nullopt;
}

}  // namespace lips
