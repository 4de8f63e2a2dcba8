// The knowledge of a running operator beside the snapshot of its cluster: the names of pods, its last plans, what was
// spent. Knows no format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/job_dollars.h"
#include "model/own_targets.h"
#include "model/targets.h"
#include "model/twin_report.h"

namespace lips {

struct PodOfTask {
  std::string name;  // "namespace/name"
  TaskId task;
};
// A pod that is no task: it is not to be placed.
struct HeldPod {
  std::string name, why;
};
struct PastPlan {
  TimePoint at{};
  std::string policy;
  std::uint64_t pending = 0, assigned = 0, moves = 0;
  Usd dollars;
  std::optional<Usd> cost, bound;  // of the model, where the policy solves a program
  double seconds = 0;              // wall time of the decision
  std::optional<double> gap() const {
    return cost && bound && bound->value() > 0 ? std::optional((*cost - *bound) / *bound) : std::nullopt;
  }
};
// The amounts that whole runs of an application have taken in the mean; without a whole one, at least.
struct LearnedApplication {
  std::string name;  // "namespace/application"
  std::uint32_t runs = 0;
  Mebibytes shuffle, input;
  std::uint32_t workers = 0;  // at once; 0: not known
};
struct LiveFacts {
  std::vector<NodeId> absent;  // nodes that the snapshot lists and that are not there: they may be bought
  std::vector<PodOfTask> pods;
  std::vector<HeldPod> held;
  std::vector<PastPlan> plans;  // oldest first
  std::vector<JobDay> ledger;   // by day, pool, job
  std::vector<TargetReport> targets;
  std::vector<OwnTargetReport> own_targets;      // of jobs, those at risk that are worst off
  std::vector<LearnedApplication> applications;  // by name
  TwinState twin;
};

}  // namespace lips
