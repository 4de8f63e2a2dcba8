// The facts of each plan, as metrics and as figures of the page.
#pragma once

#include "telemetry/metrics/decided_plan.h"
#include "telemetry/metrics/metric_registry.h"
#include "telemetry/metrics/operator_figures.h"

namespace lips {

void tell_plan(const DecidedPlan& decided, MetricRegistry& registry, OperatorFigures& figures);
// Those that wait, by reason.
void tell_pending(const DecidedPlan& decided, MetricRegistry& registry, OperatorFigures& figures);

}  // namespace lips
