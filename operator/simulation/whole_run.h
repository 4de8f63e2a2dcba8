// A scenario as the bounds on whole runs see it: without failures, network and settings, but with the true work of
// every task.
#pragma once

#include "bounds/whole_run.h"
#include "simulation/scenario.h"
#include "simulation/true_work.h"

namespace lips::simulation {

// Refers to the scenario, which must outlive it.
inline WholeRun whole_run(const Scenario& scenario) {
  WholeRun run{scenario.cluster, scenario.costs, scenario.jobs, {}};
  std::uint32_t id = 0;
  for (const JobArrived& arrival : scenario.jobs)
    for (const Task& task : arrival.tasks) run.work.push_back(task.cpu * true_work_factor(scenario, TaskId(id++)));
  return run;
}

}  // namespace lips::simulation
