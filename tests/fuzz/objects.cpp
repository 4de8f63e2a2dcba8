// Pods, nodes, namespaces, Jobs, PodGroups, NodePools and workflows as the API server has them, what pods' annotations
// say, what NodePools offer, and when the later steps of workflows begin.
#include "config/cron_schedule.h"
#include "kubernetes/adapter/fleet_offers.h"
#include "kubernetes/adapter/later_levels.h"
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/pods/argo_workflow.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/job_set.h"
#include "kubernetes/pods/namespace.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/pod_group.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

namespace {

NodePrices few_prices() {
  InstanceOffer size;
  size.region = "us-east-1", size.instance_type = "m6i.xlarge";
  size.vcpu = Cores(4), size.memory = Mebibytes(16384), size.price = UsdPerHour(0.2);
  return *NodePrices::make(PriceSheet({size}, {}, 0), {});
}

bool has_steps(const Result<Workflow>& workflow) {
  if (!workflow) return false;
  const IdVector<StepIndex, Duration> lasts(workflow->steps.size(), std::chrono::minutes(1));
  (void)later_begins(workflow->steps, lasts, TimePoint{});
  return !workflow->steps.empty();
}

}  // namespace

FUZZ_TARGET(objects, json) {
  static const NodePrices prices = few_prices();
  static NodePoolDecoder node_pools;
  static PodGroupDecoder pod_groups;
  static PodDecoder pods;
  static NodeDecoder nodes;
  static NamespaceDecoder namespaces;
  static JobDecoder jobs;
  static CronJobDecoder cron_jobs;
  static JobSetDecoder job_sets;
  static ArgoWorkflowDecoder argo;
  const auto pod = pods.decode(input);
  if (pod) (void)read_pod_annotations(*pod);
  const bool labelled = namespaces.decode(input).has_value();
  const bool taken = nodes.decode(input).has_value() || labelled;
  if (const auto job = jobs.decode(input))
    for (const auto& [key, value] : job->annotations) (void)read_memory(value);
  const auto cron = cron_jobs.decode(input);
  if (cron) (void)CronSchedule::parse(cron->schedule);
  const auto node_pool = node_pools.decode(input);
  if (node_pool) (void)pool_offers({*node_pool}, NodeCache(), {}, prices), (void)pool_limits({*node_pool}, {}, prices);
  if (node_pool) (void)pool_problems({*node_pool}, NodeCache(), {}, prices);
  const bool grouped = pod_groups.decode(input).has_value();
  const bool stepped = has_steps(job_sets.decode(input)) || has_steps(argo.decode(input));
  return taken || stepped || pod || grouped || node_pool || (cron && !cron->schedule.empty());
}

}  // namespace lips::kubernetes
