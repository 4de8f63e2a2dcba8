// Runs a scenario through the adapter of real clusters: the operator's own lines between a policy and an API server, in
// virtual time. The bill is counted where simulation::run() counts it.
#pragma once

#include <functional>
#include <string>

#include "base/log.h"
#include "simulation/run.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {

struct ThroughOptions {
  Log* log = nullptr;                                         // of the adapter; none: it says nothing
  AdapterObserver* adapter = nullptr;                         // none: nobody looks at it
  std::function<bool()> stop;                                 // true: end now with a partial result
  std::function<void(const simulation::Progress&)> progress;  // called now and then
  const Stopwatch* stopwatch = nullptr;
  ClusterRules cluster;
  Storm storm;
  std::function<void(VirtualKubernetes&)> at_start = {};  // before there is an adapter
  std::function<void(VirtualKubernetes&)> at_end = {};    // while the adapter is still there
  // The process of the operator: its settings, its way to the cluster, and whether it ends now, so that the next
  // begins.
  std::function<void(kubernetes::ClusterSettings&)> adjust = {};
  std::function<kubernetes::ClusterLink(VirtualKubernetes&, const Storm&)> link = {};  // empty: link() of the cluster
  std::function<bool()> ends = {};
};

// An error if the scenario has what can_be_objects() refuses, or the policy fails.
Result<simulation::RunResult> run_through_kubernetes(const simulation::Scenario& scenario, const Policy& policy,
                                                     std::string policy_name, const ThroughOptions& options = {});

}  // namespace lips::virtual_cluster
