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
  return solver::write_mps(builder.program());
}

}  // namespace lips::cmd
