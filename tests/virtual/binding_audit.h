// Looks at every change of a virtual cluster's pods: each is bound once, and only where there is room by the API's own
// words.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "virtual/kube_objects.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {

class BindingAudit {
 public:
  // This outlives the cluster.
  void watch(VirtualKubernetes& cluster) {
    ObjectStore& objects = cluster.server().objects();
    objects.listen("/api/v1/pods", [this, &objects](const ObjectChange& change) { look(objects, change); });
  }
  std::size_t bound() const { return bound_.size(); }

 private:
  void look(const ObjectStore& objects, const ObjectChange& change) {
    const KubePod pod = read_kube_pod(*change.now.json);
    if (change.type == ChangeType::deleted || pod.ended) {
      if (const auto found = there_.find(pod.uid); found != there_.end()) {
        rooms_[found->second.node].take_away(found->second);
        there_.erase(found);
      }
      return;
    }
    // One that came with its node, as the source of a copy, is not bound.
    if (pod.node.empty() || !change.before || !text_in(look_in(*change.before, "spec"), "nodeName").empty()) return;
    EXPECT_TRUE(bound_.insert(pod.uid).second) << pod.key << " is bound twice";
    there_[pod.uid] = pod;
    KubeRoom& room = rooms_[pod.node];
    room.put(pod);
    const StoredObject* node = objects.find("/api/v1/nodes", pod.node);
    if (!node) return;  // it has gone since
    const KubeAmounts has = read_kube_node(*node->json).allocatable;
    EXPECT_LE(room.taken.cpu, has.cpu) << pod.node << " with " << pod.key;
    EXPECT_LE(room.taken.memory, has.memory) << pod.node << " with " << pod.key;
    EXPECT_LE(room.pods, has.of("pods")) << pod.node << " with " << pod.key;
    for (const auto& [resource, amount] : room.taken.others) EXPECT_LE(amount, has.of(resource)) << pod.node;
  }

  std::map<std::string, KubePod> there_;   // by uid
  std::map<std::string, KubeRoom> rooms_;  // by node
  std::set<std::string> bound_;            // uids
};

}  // namespace lips::virtual_cluster
