#include <fmt/format.h>

#include "cmd/plan/plan_result.h"
#include "policies/lips_horizon/lips_horizon.h"
#include "policies/papers/lips_paper/paper_model_build.h"
#include "policies/papers/lips_paper/paper_model_snapshot.h"
#include "solver/mps.h"

namespace lips::cmd {

Result<std::string> program_as_mps(const ClusterSnapshot& cluster, const CostModel& costs, const std::string& policy,
                                   const PolicySettings& settings) {
  if (!policy.starts_with("lips"))
    return fail(
        ErrorCode::invalid_input,
        fmt::format("--export-mps: policy '{}' solves no linear program; policies that do begin with 'lips'", policy));
  if (cluster.pending_tasks == 0)
    return fail(ErrorCode::invalid_input, "--export-mps: no task is pending, so there is no linear program");
  if (policy == "lips") return solver::write_mps(lips_program_as_set({cluster, costs, 1, {}, nullptr}, settings));
  paper::Options options;
  options.overflow = !policy.starts_with("lips-offline");
  options.moves = policy != "lips-offline-simple";
  const bool offline = policy.starts_with("lips-offline");
  const Duration horizon = offline                            ? settings.paper.uptime
                           : settings.paper.epoch.count() > 0 ? settings.paper.epoch
                                                              : default_horizon;
  const paper::SnapshotInstance instance = paper::paper_instance(cluster, costs, horizon, paper::Granularity::classes);
  if (instance.instance.parts.empty())
    return fail(ErrorCode::invalid_input, "--export-mps: no task is pending, so there is no linear program");
  const paper::ModelBuilder builder(instance.instance, options, options.transfer);
  solver::LinearProgram program = builder.program();
  for (std::int32_t column = 0; column < program.columns(); ++column)
    program.set_cost(column, program.cost()[static_cast<std::size_t>(column)] / builder.units_per_dollar());
  return solver::write_mps(program);
}

}  // namespace lips::cmd
