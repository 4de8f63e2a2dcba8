#include "twin/plan_again.h"

#include <memory>

#include "controller/checked_policy.h"
#include "policies/registry/registry.h"

namespace lips::twin {

Result<Plan> plan_again(const EpochRecord& record, const std::string& policy, const Stopwatch* stopwatch) {
  const Result<std::unique_ptr<Policy>> made = make_policy(policy, record.settings);
  if (!made) return tl::unexpected(made.error());
  const CheckedPolicy checked(**made, [](const PlanFault&) {});
  return checked.decide({record.snapshot.cluster, record.snapshot.costs, record.seed, record.reporting, stopwatch});
}

}  // namespace lips::twin
