#include <fmt/format.h>

#include "cmd/plan_result.h"
#include "policies/paper_model_build.h"
#include "policies/paper_model_snapshot.h"
#include "solver/mps.h"

namespace lips::cmd {

Result<std::string> program_as_mps(const ClusterSnapshot& cluster, const CostModel& costs, const std::string& policy,
                                   Duration horizon) {
  if (!policy.starts_with("lips"))
    return fail(
        ErrorCode::invalid_input,
        fmt::format("--export-mps: the policy '{}' solves no linear program; those that do begin with 'lips'", policy));
  paper::Options options;
  options.overflow = !policy.starts_with("lips-offline");
  options.moves = policy != "lips-offline-simple";
  const paper::SnapshotInstance instance = paper::paper_instance(cluster, costs, horizon, paper::Granularity::classes);
  if (instance.instance.parts.empty())
    return fail(ErrorCode::invalid_input, "--export-mps: nothing is pending, so there is no linear program");
  const paper::ModelBuilder builder(instance.instance, options, options.transfer);
  solver::LinearProgram program = builder.program();
  for (std::int32_t column = 0; column < program.columns(); ++column)
    program.set_cost(column, program.cost()[static_cast<std::size_t>(column)] / builder.units_per_dollar());
  return solver::write_mps(program);
}

}  // namespace lips::cmd
