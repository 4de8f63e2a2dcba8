// The required anti-affinity of pods that are on nodes, whoever placed them: which domains they keep other pods out of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {

class AntiAffinity {
 public:
  explicit AntiAffinity(const NodeCache& nodes) : nodes_(nodes) {}

  // A pod on a node with its terms; without terms it is forgotten.
  void update(const ObjectMeta& pod, const std::string& node, const std::vector<AntiAffinityTerm>& terms);
  void forget(const ObjectMeta& pod);

  // The domains that a pod with these labels must avoid, as requirements on a node's labels.
  std::vector<LabelRequirement> against(const std::string& name_space, const TextMap& labels) const;

  bool empty() const { return terms_.empty(); }
  // Grows whenever the result of against() may have changed.
  std::uint64_t version() const { return version_ + nodes_.version(); }

 private:
  struct Placed {
    std::string node;
    std::vector<AntiAffinityTerm> terms;
    friend bool operator==(const Placed&, const Placed&) = default;
  };

  const NodeCache& nodes_;
  std::map<std::string, Placed> pods_;                                    // by namespace/name
  std::map<AntiAffinityTerm, std::map<std::string, std::size_t>> terms_;  // how many such pods by node
  std::uint64_t version_ = 0;
};

}  // namespace lips::kubernetes
