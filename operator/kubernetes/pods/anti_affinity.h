// The required anti-affinity of pods that are on nodes, whoever placed them: which domains they keep other pods out of.
// The domains are counted for each set of labels that was asked for. A term that comes or goes changes only the counts
// of those that it selects, and is found by a label that it names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kubernetes/pods/namespace.h"
#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {

class AntiAffinity {
  struct Alike;

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
  std::vector<LabelRequirement> against(const std::string& name_space, const TextMap& labels);
  // The pods for which against() says something else than at the last call, and perhaps others.
  struct Changes {
    std::set<const Alike*> alike;
    std::set<std::string> namespaces;
    bool all = false;
    bool empty() const { return alike.empty() && namespaces.empty() && !all; }
  };
  Changes take_changed();
  bool may_concern(const Changes& changes, const std::string& name_space, const TextMap& labels) const;

  // The sets of labels that are counted for. Those of pods that are gone are forgotten with the others; those that are
  // asked for again are counted anew.
  std::size_t counted_for() const { return alike_.size(); }
  void forget_counts();

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
  using Term = Terms::value_type;
  // Pods of one namespace with the same labels.
  struct Alike {
    std::string name_space;
    NodeProfile labels;                                               // those alone
    std::map<std::string, std::map<std::string, std::size_t>> terms;  // by key and domain: how many keep them out
    // Says whether they are kept out of other domains than before.
    bool count(const std::string& key, const std::string& domain, bool more);
  };
  // A namespace with a key and a value of a label in it; without a label all pods there, without anything all pods. A
  // term is filed where each pod that it selects is.
  using Place = std::tuple<std::string, std::string, std::string>;
  struct Filed {
    std::set<const Term*> terms;
    std::set<Alike*> pods;
  };

  bool selects(const AntiAffinityTerm& term, const Alike& pods) const;
  bool is_about(const AntiAffinityTerm& term, const std::string& name_space) const;
  static std::vector<Place> places_of(const AntiAffinityTerm& term);
  static std::vector<Place> places_of(const Alike& pods);
  void note(const AntiAffinityTerm& term, const std::string& node, bool here);
  void look_at(const AntiAffinityTerm& term, Reach& reach);
  void count(const AntiAffinityTerm& term, const std::set<std::string>& domains, bool more);
  Alike& counted(const std::string& name_space, const TextMap& labels);
  void forget_counts_in(const std::string& name_space);

  const NodeCache& nodes_;
  std::map<std::string, Placed> pods_;  // by namespace/name
  Terms terms_;
  std::map<std::pair<std::string, TextMap>, Alike> alike_;  // by namespace and labels
  std::map<Place, Filed> filed_;
  std::map<std::string, NodeProfile> namespaces_;  // by name; their labels alone
  Changes changed_;                                // since take_changed()
  std::uint64_t nodes_seen_ = 0;
};

}  // namespace lips::kubernetes
