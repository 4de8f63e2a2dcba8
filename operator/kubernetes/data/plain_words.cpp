#include "kubernetes/data/plain_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace lips::kubernetes {

std::string size_words(std::int64_t bytes) {
  constexpr std::array<const char*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string zone_words(const DataSetStatus& status, const StoreMap& stores) {
  std::set<std::string> zones;
  for (const HeldBlocks& held : status.replicas) {
    const auto store = stores.find(held.store);
    if (held.blocks.empty() || store == stores.end()) continue;
    const DataStoreSpec& spec = store->second.spec;
    zones.insert(!spec.zone.empty() ? spec.zone : !spec.region.empty() ? spec.region : held.store);
  }
  std::string words;
  for (const std::string& zone : zones) words += (words.empty() ? "" : ", ") + zone;
  return words;
}

// A read in the new zone would have cost as much as the copy, byte for byte: the first one earns it.
DataMoveStatus with_words(const DataMoveSpec& move, DataMoveStatus status, const DataStoreResource* to,
                          std::optional<UsdPerMebibyte> price) {
  const bool begun = status.phase != MovePhase::none && status.phase != MovePhase::pending;
  if (!begun || move.to.empty() || !status.size_text.empty()) return status;
  status.size_text = size_words(status.bytes);
  if (!to || !price) return status;
  const Usd cost = *price * Mebibytes(static_cast<double>(status.bytes) / bytes_per_mebibyte);
  status.usd = cost.value() > 0 ? fmt::format("{:.2g}", cost.value()) : "0";
  status.pays_back = cost.value() > 0 ? "read once in " + (to->spec.zone.empty() ? move.to : to->spec.zone)
                                      : "at once: the transfer is free";
  return status;
}

namespace {

std::string target_words(const TargetReport& report) {
  std::string words;
  switch (report.kind) {
    case TargetKind::budget_per_day:
      words = fmt::format("budgetPerDay: {:.2f} of {:.2f} USD spent today, about {:.2f} foreseen", report.reached,
                          report.target, report.forecast);
      break;
    case TargetKind::mean_wait:
      words = fmt::format("meanWait: {:.0f} of {:.0f} s today, about {:.0f} s foreseen", report.reached, report.target,
                          report.forecast);
      break;
    case TargetKind::complete_by:
      words = fmt::format("completeBy: the work due takes {:.0f} of the {:.0f} s left", report.forecast, report.target);
      break;
  }
  return report.state == TargetState::cannot ? words + "; it cannot be held: " + report.why : words;
}

// From learning, which says nothing, to the worst.
TargetState worst_of(const std::vector<TargetReport>& reports) {
  TargetState worst = TargetState::learning;
  for (const TargetReport& report : reports) worst = std::max(worst, report.state);
  return worst;
}

ObjectCondition targets_condition(const std::vector<TargetReport>& reports) {
  constexpr EnumArray<TargetState, const char*> reasons{"Learning", "Held", "Behind", "CannotBeHeld"};
  const TargetState worst = worst_of(reports);
  ObjectCondition condition{condition_targets_held, ConditionStatus::no, reasons[worst], {}, {}, 0};
  if (worst == TargetState::held) condition.status = ConditionStatus::yes;
  if (worst == TargetState::learning) condition.status = ConditionStatus::unknown;
  for (const TargetReport& report : reports)
    condition.message += (condition.message.empty() ? "" : ". ") + target_words(report);
  return condition;
}

}  // namespace

PoolStatus pool_words(const PoolUse& use) {
  PoolStatus status;
  if (!use.targets.empty()) {
    status.targets = to_string(worst_of(use.targets));
    status.conditions.push_back(targets_condition(use.targets));
  }
  if (use.left_alone)
    status.conditions.push_back({condition_steered,
                                 ConditionStatus::no,
                                 std::string(to_string(use.left_alone->reason)),
                                 use.left_alone->why,
                                 {},
                                 0});
  status.cores = fmt::format("{:.1f}", use.cores.value());
  status.share = fmt::format("{:.0f}%", 100 * use.share);
  if (use.standing) {
    const PoolSharing& sharing = use.standing->sharing;
    const auto part = [](double share) { return fmt::format("{:.0f}%", 100 * share); };
    status.entitlement = part(sharing.entitlement), status.dominant_share = part(sharing.use);
    status.lent = part(sharing.lent), status.borrowed = part(sharing.borrowed);
    status.price_of_sharing = fmt::format("{:.4f}", sharing.price_of_sharing);
    if (const auto& since = use.standing->below_since)  // as the status keeps it, so that it is written once
      status.below_since = TimePoint(std::chrono::duration_cast<std::chrono::seconds>(since->time_since_epoch()));
  }
  status.usd_per_hour = fmt::format("{:.2f}", use.rate.value());
  status.running = static_cast<std::int64_t>(use.running);
  status.pending = static_cast<std::int64_t>(use.pending);
  return status;
}

}  // namespace lips::kubernetes
