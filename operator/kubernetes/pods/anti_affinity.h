// The required anti-affinity of pods that are on nodes, whoever placed them: which domains they keep other pods out of.
#pragma once

#include <cstdint>
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

  // The domains that a pod with these labels must avoid, as requirements on a node's labels. New labels of a node count
  // from take_changed() on.
  std::vector<LabelRequirement> against(const std::string& name_space, const TextMap& labels) const;
  // Terms that keep pods out of other domains than at the last call: against() says something else only for pods that
  // one of them selects.
  std::set<AntiAffinityTerm> take_changed();
  static bool selects(const AntiAffinityTerm& term, const std::string& name_space, const TextMap& labels);

 private:
  struct Placed {
    std::string node;
    std::vector<AntiAffinityTerm> terms;
    friend bool operator==(const Placed&, const Placed&) = default;
  };
  struct Reach {
    std::map<std::string, std::size_t> nodes;  // how many pods with the term are on each
    std::set<std::string> domains;
  };
  using Terms = std::map<AntiAffinityTerm, Reach>;
  Terms& terms_of(const AntiAffinityTerm& term);
  void note(const AntiAffinityTerm& term, const std::string& node, bool here);
  void look_at(const AntiAffinityTerm& term, Reach& reach);

  const NodeCache& nodes_;
  std::map<std::string, Placed> pods_;   // by namespace/name
  Terms of_all_;                         // that concern every namespace, or several
  std::map<std::string, Terms> of_one_;  // that concern one, by its name
  std::set<AntiAffinityTerm> changed_;   // since take_changed()
  std::uint64_t nodes_seen_ = 0;
};

}  // namespace lips::kubernetes
