#include "kubernetes/pods/anti_affinity.h"

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {

void AntiAffinity::update(const ObjectMeta& pod, const std::string& node, const std::vector<AntiAffinityTerm>& terms) {
  const auto known = pods_.find(full_name(pod));
  if (known == pods_.end() && terms.empty()) return;
  Placed placed{node, terms};
  for (AntiAffinityTerm& term : placed.terms)
    if (term.namespaces.empty() && !term.any_namespace) term.namespaces = {pod.name_space};
  if (known != pods_.end() && known->second == placed) return;
  forget(pod);
  if (terms.empty()) return;
  for (const AntiAffinityTerm& term : placed.terms) ++terms_[term][node];
  pods_[full_name(pod)] = std::move(placed);
  ++version_;
}

void AntiAffinity::forget(const ObjectMeta& pod) {
  const auto known = pods_.find(full_name(pod));
  if (known == pods_.end()) return;
  for (const AntiAffinityTerm& term : known->second.terms) {
    const auto nodes = terms_.find(term);
    if (--nodes->second[known->second.node] == 0) nodes->second.erase(known->second.node);
    if (nodes->second.empty()) terms_.erase(nodes);
  }
  pods_.erase(known);
  ++version_;
}

std::vector<LabelRequirement> AntiAffinity::against(const std::string& name_space, const TextMap& labels) const {
  std::map<std::string, std::set<std::string>> domains;
  const NodeProfile pod{labels, {}};
  for (const auto& [term, nodes] : terms_) {
    if (!term.any_namespace && !std::binary_search(term.namespaces.begin(), term.namespaces.end(), name_space))
      continue;
    if (!term.selector || !meets_all(*term.selector, pod)) continue;
    for (const auto& [name, count] : nodes) {
      const NodeRecord* record = nodes_.find(name);
      const std::string* domain = record ? find_text(record->node->labels, term.topology_key) : nullptr;
      if (domain) domains[term.topology_key].insert(*domain);
    }
  }
  std::vector<LabelRequirement> result;
  for (const auto& [key, values] : domains)
    result.push_back({key, LabelRequirement::Operator::not_in, {values.begin(), values.end()}});
  return result;
}

}  // namespace lips::kubernetes
