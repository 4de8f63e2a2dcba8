// The third step of the pipeline: which task on which node. Knows no share and no order.
#pragma once

#include <vector>

#include "policies/drafting/draft.h"
#include "policies/papers/lsap/locality_cost.h"

namespace lips::pipeline {

// The job's next task beside its input, else on the nearest node with room; no task when nothing takes one.
Assignment nearest_place(Draft& draft, JobId job);

// Assigns the tasks to idle slots at least transfer time (Guo, Fox, Zhou); returns those that found no slot.
std::vector<TaskId> assign_by_lsap(Draft& draft, const std::vector<TaskId>& tasks, const PolicySettings& settings);

// Exchanges the nodes of the planned tasks that start now among those of equal price, speed and zone, at least transfer
// time: dollars stay what they are, or fall.
void exchange_by_lsap(const PolicyInput& input, const PolicySettings& settings, Plan& plan);

}  // namespace lips::pipeline
