// The required anti-affinity of pods that are on nodes, whoever placed them: which domains they keep other pods out of.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/pods/namespace.h"
#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {

class AntiAffinity {
 public:
  explicit AntiAffinity(const NodeCache& nodes) : nodes_(nodes) {}

  // A pod on a node with its terms; without terms it is forgotten.
  void update(const ObjectMeta& pod, const std::string& node, const std::vector<AntiAffinityTerm>& terms);
  void forget(const ObjectMeta& pod);

  // The labels of a namespace, which selectors of namespaces meet or not. One whose labels nobody knows meets them all.
  void update(const Namespace& name_space);
  void forget_namespace(const std::string& name);

  // The domains that a pod with these labels must avoid, as requirements on a node's labels. New labels of a node count
  // from take_changed() on.
  std::vector<LabelRequirement> against(const std::string& name_space, const TextMap& labels) const;
  // Terms that keep pods out of other domains than at the last call, and namespaces with other labels: against() says
  // something else only for pods that may_concern() names.
  struct Changes {
    std::set<AntiAffinityTerm> terms;
    std::set<std::string> namespaces;
    bool empty() const { return terms.empty() && namespaces.empty(); }
  };
  Changes take_changed();
  bool may_concern(const Changes& changes, const std::string& name_space, const TextMap& labels) const;

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
  bool selects(const AntiAffinityTerm& term, const std::string& name_space, const TextMap& labels) const;
  bool is_about(const AntiAffinityTerm& term, const std::string& name_space) const;
  Terms& terms_of(const AntiAffinityTerm& term);
  void note(const AntiAffinityTerm& term, const std::string& node, bool here);
  void look_at(const AntiAffinityTerm& term, Reach& reach);

  const NodeCache& nodes_;
  std::map<std::string, Placed> pods_;             // by namespace/name
  Terms of_all_;                                   // that concern every namespace, or several
  std::map<std::string, Terms> of_one_;            // that concern one, by its name
  std::map<std::string, NodeProfile> namespaces_;  // by name; their labels alone
  Changes changed_;                                // since take_changed()
  std::uint64_t nodes_seen_ = 0;
};

}  // namespace lips::kubernetes
