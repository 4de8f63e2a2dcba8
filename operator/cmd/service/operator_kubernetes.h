// The operator on a Kubernetes cluster: puts the adapter, the state and the controller together. Knows no option of the
// command line.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "cmd/service/epoch_recorder.h"
#include "cmd/service/state_endpoint.h"
#include "config/live_config.h"
#include "controller/adapter_observer.h"
#include "controller/observer.h"
#include "controller/waiting_pricer.h"
#include "kubernetes/adapter/announcements.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "model/cluster_state.h"
#include "model/pool_use.h"
#include "policies/policy.h"
#include "telemetry/status/status_server.h"

namespace lips::cmd {

struct KubernetesRun {
  std::string kubeconfig;    // empty: the pod's service account, else $KUBECONFIG, else ~/.kube/config
  const LiveConfig& live;    // config() at the start for what needs a restart; prices() again when generation() grows
  const LivePolicy& policy;  // the one of the configuration, whichever that is now; timed and recorded
  Observer& observer;        // of the controller
  EpochRecorder& recorder;
  WaitingPricer& pricer;
  AdapterObserver& adapter;
  Log& log;
  std::function<std::vector<PoolUse>()> pool_uses;          // for the statuses of Pools
  std::function<bool(const std::string& pool)> left_alone;  // as in kubernetes::ClusterSettings
  bool watches = false;                                     // and records what other schedulers do
  std::function<kubernetes::AnnouncedWork()> announced;     // by a file
  std::function<void(const PricesInUse&)> prices_in_use;    // at each listing, on the controller's thread
  std::function<void(OperatorFacts&)> state_facts;          // that the adapter does not know
  std::function<bool()> stop;                               // true soon after SIGTERM; call it at least once a second
  // Called about as often on the controller's thread, while the state is at rest.
  std::function<void(const ClusterSnapshot& cluster, TimePoint now, const StateEndpoint::NamePods& name_pods)> look;
};

// Decides by the cluster's API server who may read the operator's paths.
using Admit = std::function<Admission(const std::string& token, const std::string& path)>;
Result<Admit> admission_by_cluster(const std::string& kubeconfig);

// Until stop() (success), or a failure that a restart may mend. The clock of events in a real cluster.
TimePoint kubernetes_time();
// The name by which this process holds the Lease, as long as it lives: that of the pod or host, and digits.
const std::string& own_identity();
Result<void> run_on_kubernetes(const KubernetesRun& run);

// ---- the same lines for real and virtual clusters ----

// The settings of the configuration; `name` tells this process from others.
kubernetes::ClusterSettings cluster_settings(const KubernetesRun& run, const std::string& name);
// The run's look at the state, followed by `stop`. The cluster may come later; both outlive it.
std::function<bool()> look_and(const KubernetesRun& run, const ClusterState& state,
                               const std::unique_ptr<kubernetes::KubernetesCluster>& cluster,
                               std::function<bool()> stop);
// Plans until `stop`, and ends the requests in flight.
Result<void> control(const KubernetesRun& run, ClusterState& state, kubernetes::KubernetesCluster& cluster,
                     const std::function<bool()>& stop);

}  // namespace lips::cmd
