#include "twin/regime.h"

#include <utility>

namespace lips::twin {

Result<RegimeRun> run_regime(const RecordedDay& day, const Policy& policy, const std::string& name,
                             const simulation::RunOptions& options, const RunKubeScheduler& alone) {
  const bool bound_by_policy = !day.watched && name == day.scenario.policies.front();
  RegimeRun run;
  if (alone && !bound_by_policy)
    if (std::optional<Result<simulation::RunResult>> ran = alone(day.scenario, name, options)) {
      if (*ran) return RegimeRun{**std::move(ran), ""};
      if (ran->error().code != ErrorCode::invalid_input) return tl::unexpected(ran->error());
      run.stood_in = ran->error().message;
    }
  Result<simulation::RunResult> ran = simulation::run(day.scenario, policy, name, options);
  if (!ran) return tl::unexpected(ran.error());
  run.result = *std::move(ran);
  return run;
}

simulation::Assumption stand_in(const std::string& why) {
  return {"queue of kube-scheduler", "jobs are served in the order of their arrival", why};
}

}  // namespace lips::twin
