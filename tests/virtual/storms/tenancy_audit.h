// Looks at what becomes of the strange tenant's pods and of orders of nodes: nobody is told where another's data are,
// and no more nodes are ordered than tasks wait.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/virtual/storms/strangers.h"
#include "virtual/scenario_settings.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster::storms {

class TenancyAudit {
 public:
  // This and the cluster outlive the run.
  void watch(VirtualKubernetes& cluster) {
    cluster.server().objects().listen(pods, [this](const ObjectChange& change) { look(change); });
  }
  // From now on, once a minute.
  void count_orders(VirtualKubernetes& cluster) {
    cluster.loop().at(cluster.loop().now() + std::chrono::minutes(1), [this, &cluster] {
      if (cluster.over()) return;
      count(cluster);
      count_orders(cluster);
    });
  }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  static constexpr const char* pods = "/api/v1/pods";
  static constexpr int patience = 5;  // minutes

  // A map that named others' data from its creation on is never bound: they let the scenario's pools read it alone.
  void look(const ObjectChange& change) {
    const Json& pod = *change.now.json;
    const Json& metadata = look_in(pod, "metadata");
    if (text_in(metadata, "namespace") != Strangers::name_space) return;
    const std::string uid = text_in(metadata, "uid"),
                      data = text_in(look_in(metadata, "annotations"), "lips.dev/dataset");
    if (text_in(look_in(metadata, "annotations"), "lips.dev/stage") == "reduce") return;  // reads what maps make
    if (change.type == ChangeType::added) named_[uid] = data;
    const auto named = named_.find(uid);
    if (named == named_.end()) return;
    if (named->second != data) return void(named_.erase(named));
    const bool bound = change.before && !text_in(look_in(pod, "spec"), "nodeName").empty() &&
                       text_in(look_in(*change.before, "spec"), "nodeName").empty();
    if (bound && data.starts_with(std::string(data_name_space) + '/') &&
        text_in(look_in(pod, "spec"), "schedulerName") == "lips")
      violations_.push_back(fmt::format("{} is bound and reads {}", key_of(pod), data));
  }

  void count(VirtualKubernetes& cluster) {
    int orders = 0, waiting = 0;
    for (const auto& [key, stored] : cluster.server().objects().all(pods)) {
      const Json& pod = *stored.json;
      if (!text_in(look_in(pod, "spec"), "nodeName").empty()) continue;
      if (key.starts_with(std::string(operator_name_space) + '/'))
        ++orders;
      else
        ++waiting;
    }
    too_many_ = orders > waiting ? too_many_ + 1 : 0;
    if (too_many_ == patience)
      violations_.push_back(fmt::format("{} nodes are ordered for {} pods that wait", orders, waiting));
  }

  std::map<std::string, std::string> named_;  // the data that a pod named when it was made, by uid
  int too_many_ = 0;                          // minutes in a row
  std::vector<std::string> violations_;
};

}  // namespace lips::virtual_cluster::storms
