// The objects of a fake cluster, as its server writes them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/kubernetes/adapter/fake_cluster.h"

namespace lips::kubernetes {

std::string FakeCluster::node_text(const std::string& name, const FakeNode& node, int version) const {
  const std::string taints =
      node.taint.empty() ? "" : fmt::format(R"("taints":[{{"key":"{}","effect":"{}"}}],)", node.taint, node.effect);
  return fmt::format(
      R"({{"metadata":{{"name":"{0}","uid":"node-{0}","resourceVersion":"{1}","labels":{{"topology.kubernetes.io/zone":"{2}",)"
      R"("node.kubernetes.io/instance-type":"m5.xlarge","kubernetes.io/hostname":"{0}"{9}}}{8}}},"spec":{{{3}"unschedulable":{4}}},)"
      R"("status":{{"allocatable":{{"cpu":"{5}","memory":"{5}Gi","pods":"{6}"}},"conditions":[{{"type":"Ready","status":"{7}"}}]}}}})",
      name, version, node.zone, taints, node.cordoned, node.cpu, node.pods, node.ready ? "True" : "False",
      node.usd_per_hour.empty() ? ""
                                : fmt::format(R"(,"annotations":{{"lips.dev/usd-per-hour":"{}"}})", node.usd_per_hour),
      node.more);
}

std::string FakeCluster::pod_text(const std::string& name, const FakePod& pod) const {
  nlohmann::json metadata{{"name", name},
                          {"namespace", "default"},
                          {"uid", pod.uid},
                          {"resourceVersion", std::to_string(pod.version)},
                          {"creationTimestamp", "2026-03-01T10:00:00Z"},
                          {"annotations", pod.annotations}};
  if (!pod.labels.empty()) metadata["labels"] = pod.labels;
  if (!pod.driver.empty())
    metadata["ownerReferences"] = {
        {{"apiVersion", "v1"},
         {"kind", "Pod"},
         {"name", pod.driver},
         {"uid", pods_.contains(pod.driver) ? pods_.at(pod.driver).uid : "uid-of-" + pod.driver},
         {"controller", true}}};
  if (!pod.owner.empty()) {
    metadata["ownerReferences"] = {{{"apiVersion", pod.owner_kind == "Job" ? "batch/v1" : "apps/v1"},
                                    {"kind", pod.owner_kind},
                                    {"name", pod.owner},
                                    {"uid", "job-" + pod.owner},
                                    {"controller", true}}};
    if (pod.index >= 0) metadata["annotations"]["batch.kubernetes.io/job-completion-index"] = std::to_string(pod.index);
  }
  const std::string node = pod.node.empty() ? "" : fmt::format(R"("nodeName":"{}",)", pod.node);
  const std::string condition =
      pod.reason.empty()
          ? ""
          : fmt::format(R"(,"conditions":[{{"type":"PodScheduled","status":"False","reason":"{}"}}])", pod.reason);
  const std::string nominated = pod.nominated.empty() ? "" : fmt::format(R"(,"nominatedNodeName":"{}")", pod.nominated);
  std::string more;
  if (!pod.gates.empty()) {
    nlohmann::json gates = nlohmann::json::array();
    for (const std::string& gate : pod.gates) gates.push_back({{"name", gate}});
    more += fmt::format(R"("schedulingGates":{},)", gates.dump());
  }
  if (!pod.selector.empty()) more += fmt::format(R"("nodeSelector":{},)", nlohmann::json(pod.selector).dump());
  return fmt::format(
      R"({{"metadata":{},"spec":{{{}{}{}"schedulerName":"{}","containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{}","memory":"1Mi"}}}}}}]}},)"
      R"("status":{{"phase":"{}"{}{}{}}}}})",
      metadata.dump(), node, pod.spec, more, pod.scheduler, pod.cpu, pod.phase, condition, nominated, pod.status);
}

std::string FakeCluster::job_text(const std::string& name, const FakeJob& job) {
  nlohmann::json object{{"metadata",
                         {{"name", name},
                          {"namespace", "default"},
                          {"uid", "job-" + name},
                          {"resourceVersion", std::to_string(job.version)},
                          {"annotations", job.annotations}}},
                        {"spec", {{"completions", job.completions}}}};
  object.merge_patch(job.more);
  return object.dump();
}

}  // namespace lips::kubernetes
