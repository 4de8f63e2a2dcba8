// Looks at every change of a virtual cluster's pods: each is bound once, and only where kube-scheduler's filters let
// it, as far as whoever binds it can know.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "virtual/kube_filters.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {

class BindingAudit {
 public:
  // Two lists in a row may get no answer, each for a minute.
  static constexpr Duration two_lists = std::chrono::seconds(130);
  // `until_known`: a scheduler may not know so long that another has bound a pod, or that a node says something else.
  explicit BindingAudit(Duration until_known = two_lists) : until_known_(until_known) {}
  // This outlives the cluster.
  void watch(VirtualKubernetes& cluster) {
    ObjectStore& objects = cluster.server().objects();
    objects.listen("/api/v1/pods", [this, &cluster](const ObjectChange& change) { look(cluster, change); });
    objects.listen("/api/v1/nodes", [this, &cluster](const ObjectChange& change) {
      if (change.before && marks_of(*change.before) != marks_of(*change.now.json))
        marked_[key_of(*change.now.json)] = cluster.loop().now();
    });
  }
  std::size_t bound() const { return bound_.size(); }
  const std::vector<std::string>& violations() const { return violations_; }
  // The store is of an earlier time: what was bound since then may be bound again.
  void begin_anew() { bound_.clear(), there_.clear(); }

 private:
  struct Bound {
    KubePod pod;
    TimePoint at;
  };

  static Json marks_of(const Json& node) {
    return Json::array({look_in(node, "spec"), look_in(look_in(node, "metadata"), "labels")});
  }

  void look(VirtualKubernetes& cluster, const ObjectChange& change) {
    const KubePod pod = read_kube_pod(*change.now.json);
    if (change.type == ChangeType::deleted || pod.ended) {
      for (auto& [node, pods] : there_) pods.erase(pod.uid);
      return;
    }
    // One that came with its node, as the source of a copy, is not bound.
    if (pod.node.empty() || !change.before || !text_in(look_in(*change.before, "spec"), "nodeName").empty()) return;
    if (!bound_.insert(pod.uid).second) violations_.push_back(pod.key + " is bound twice");
    const StoredObject* node = cluster.server().objects().find("/api/v1/nodes", pod.node);
    if (node) judge(pod, read_kube_node(*node->json), cluster.loop().now());  // else it has gone since
    there_[pod.node][pod.uid] = {pod, cluster.loop().now()};
  }

  void judge(const KubePod& pod, KubeNode node, TimePoint now) {
    KubeRoom room;
    room.node = std::move(node);
    std::string others;
    for (const auto& [uid, other] : there_[pod.node]) {
      if (other.pod.scheduler != pod.scheduler && now - other.at < until_known_) continue;
      room.put(other.pod);
      others += ' ' + other.pod.key;
    }
    const auto marked = marked_.find(pod.node);
    const bool may_be_new = marked != marked_.end() && now - marked->second < until_known_;
    for (const std::string& why : may_be_new ? filter_resources(pod, room) : why_filtered(pod, room))
      violations_.push_back(fmt::format("{} is bound to {}, with{}: {}", pod.key, pod.node, others, why));
  }

  const Duration until_known_;
  std::map<std::string, std::map<std::string, Bound>> there_;  // by node and uid
  std::map<std::string, TimePoint> marked_;                    // the last change of a node's labels, taints or state
  std::set<std::string> bound_;                                // uids
  std::vector<std::string> violations_;
};

}  // namespace lips::virtual_cluster
