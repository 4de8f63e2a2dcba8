// The use of a pool, how far its targets are held, and whether it is steered, as of the last plan. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/units.h"
#include "model/plan.h"
#include "model/targets.h"

namespace lips {

// Why a pool whose mode is steer is not steered at present.
enum class LeftAlone : std::uint8_t { plans_refused, budget_overspent };
inline constexpr EnumArray<LeftAlone, std::string_view> left_alone_names{"PlansRefused", "BudgetOverspent"};
constexpr std::string_view to_string(LeftAlone reason) { return left_alone_names[reason]; }

struct LeftAloneBecause {
  LeftAlone reason = LeftAlone::plans_refused;
  std::string why;
};

// A pool beside its share.
struct PoolStanding {
  PoolSharing sharing;
  std::optional<TimePoint> below_since = {};  // none: it uses all that it is entitled to, but for the grain of tasks
};

struct PoolUse {
  std::string pool;
  Cores cores;
  double share = 0;  // of all schedulable cores
  UsdPerHour rate;   // of what its tasks hold
  std::uint64_t running = 0, pending = 0;
  std::vector<TargetReport> targets = {};  // its own
  std::optional<LeftAloneBecause> left_alone = {};
  std::optional<PoolStanding> standing = {};  // none: the policy has no shares
};

}  // namespace lips
