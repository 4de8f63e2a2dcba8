// Looks once a minute at the scenario's pods that wait: one that has waited long says why.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/time_text.h"
#include "tests/virtual/storms/strangers.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster::storms {

class ReasonsAudit {
 public:
  static constexpr Duration long_enough = std::chrono::minutes(10);

  // This and the cluster outlive the run.
  void watch(VirtualKubernetes& cluster) {
    cluster.loop().at(cluster.loop().now() + std::chrono::minutes(1), [this, &cluster] {
      if (cluster.over()) return;
      look(cluster);
      watch(cluster);
    });
  }
  std::vector<std::string> violations() const {
    std::vector<std::string> said;
    for (const auto& [pod, since] : silent_) said.push_back(pod + " waits and says no reason");
    return said;
  }

 private:
  void look(VirtualKubernetes& cluster) {
    for (const auto& [key, stored] : cluster.server().objects().all("/api/v1/pods")) {
      const Json& pod = *stored.json;
      if (key.starts_with(std::string(Strangers::name_space) + '/') || is_on_its_way(pod) || silent_.contains(key))
        continue;
      const auto created = kubernetes::parse_time(text_in(look_in(pod, "metadata"), "creationTimestamp"));
      if (created && cluster.loop().now() - *created > long_enough && !says_why(pod)) silent_[key] = *created;
    }
  }
  // Pods of the operator itself belong to movers, or order nodes.
  static bool is_on_its_way(const Json& pod) {
    const std::string phase = text_in(look_in(pod, "status"), "phase");
    const Json& labels = look_in(look_in(pod, "metadata"), "labels");
    return !text_in(look_in(pod, "spec"), "nodeName").empty() || phase == "Succeeded" || phase == "Failed" ||
           !text_in(labels, "app.kubernetes.io/managed-by").empty();
  }
  static bool says_why(const Json& pod) {
    for (const Json& condition : look_in(look_in(pod, "status"), "conditions"))
      if (text_in(condition, "type") == "PodScheduled" && text_in(condition, "status") == "False")
        return !text_in(condition, "message").empty();
    return false;
  }

  std::map<std::string, TimePoint> silent_;  // by pod; since its creation
};

}  // namespace lips::virtual_cluster::storms
