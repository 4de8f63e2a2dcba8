// The content of a running operator's page about its cluster, made of one state of it. Plans in a question's terms;
// carries nothing out.
#pragma once

#include <functional>
#include <string>

#include "advice/question.h"
#include "base/result.h"
#include "records/epoch_record.h"
#include "telemetry/status/overview.h"

namespace lips::cmd {

// All but when waiting tasks start.
Result<Overview> overview_of(const EpochRecord& record, const advice::Question& question);
// Adds that, and orders the queue by it. Plans many times; asks `goes_on` before each.
Result<void> add_forecast(const advice::Question& question, Overview& overview, const std::function<bool()>& goes_on);

// invalid_input: there is no such job or pod.
Result<JobView> job_view_of(const EpochRecord& record, const std::string& job);

}  // namespace lips::cmd
