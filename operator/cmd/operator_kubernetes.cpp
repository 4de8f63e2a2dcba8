#include "cmd/operator_kubernetes.h"

namespace lips::cmd {

Result<void> run_on_kubernetes(const KubernetesRun&) {
  return fail(ErrorCode::unavailable, "this build has no adapter to Kubernetes; --cluster simulated:FILE has one");
}

}  // namespace lips::cmd
