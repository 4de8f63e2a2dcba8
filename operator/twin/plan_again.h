// The plan of a record, made again. Knows no file.
#pragma once

#include <string>

#include "base/result.h"
#include "model/plan.h"
#include "policies/policy.h"
#include "records/epoch_record.h"

namespace lips::twin {

// Plans that fail the check are replaced, as in the operator, which recorded the replacement.
Result<Plan> plan_again(const EpochRecord& record, const std::string& policy, const Stopwatch* stopwatch = nullptr);

}  // namespace lips::twin
