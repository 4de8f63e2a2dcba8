#include "kubernetes/pods/anti_affinity.h"

#include <algorithm>
#include <utility>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {

void AntiAffinity::update(const ObjectMeta& pod, const std::string& node, const std::vector<AntiAffinityTerm>& terms) {
  const auto known = pods_.find(full_name(pod));
  if (known == pods_.end() && terms.empty()) return;
  Placed placed{node, terms};
  for (AntiAffinityTerm& term : placed.terms)
    if (term.namespaces.empty() && !term.namespace_selector) term.namespaces = {pod.name_space};
  if (known != pods_.end() && known->second == placed) return;
  forget(pod);
  if (terms.empty()) return;
  for (const AntiAffinityTerm& term : placed.terms) note(term, node, true);
  pods_[full_name(pod)] = std::move(placed);
}

void AntiAffinity::forget(const ObjectMeta& pod) {
  const auto known = pods_.find(full_name(pod));
  if (known == pods_.end()) return;
  for (const AntiAffinityTerm& term : known->second.terms) note(term, known->second.node, false);
  pods_.erase(known);
}

AntiAffinity::Terms& AntiAffinity::terms_of(const AntiAffinityTerm& term) {
  return term.namespace_selector || term.namespaces.size() != 1 ? of_all_ : of_one_[term.namespaces.front()];
}

void AntiAffinity::note(const AntiAffinityTerm& term, const std::string& node, bool here) {
  Terms& terms = terms_of(term);
  Reach& reach = terms[term];
  if (here ? reach.nodes[node]++ > 0 : --reach.nodes[node] > 0) return;
  if (!here) reach.nodes.erase(node);
  look_at(term, reach);
  if (!reach.nodes.empty()) return;
  terms.erase(term);
  if (terms.empty() && &terms != &of_all_) of_one_.erase(term.namespaces.front());
}

void AntiAffinity::look_at(const AntiAffinityTerm& term, Reach& reach) {
  std::set<std::string> domains;
  for (const auto& [name, count] : reach.nodes) {
    const NodeRecord* record = nodes_.find(name);
    const std::string* domain = record && record->node ? find_text(record->node->labels, term.topology_key) : nullptr;
    if (domain) domains.insert(*domain);
  }
  if (domains == reach.domains) return;
  reach.domains = std::move(domains);
  changed_.terms.insert(term);
}

void AntiAffinity::update(const Namespace& name_space) {
  const auto [known, is_new] = namespaces_.try_emplace(name_space.meta.name);
  if (!is_new && known->second.labels == name_space.labels) return;
  known->second.labels = name_space.labels;
  changed_.namespaces.insert(name_space.meta.name);
}

void AntiAffinity::forget_namespace(const std::string& name) {
  if (namespaces_.erase(name) > 0) changed_.namespaces.insert(name);
}

bool AntiAffinity::is_about(const AntiAffinityTerm& term, const std::string& name_space) const {
  if (std::binary_search(term.namespaces.begin(), term.namespaces.end(), name_space)) return true;
  if (!term.namespace_selector) return false;
  const auto known = namespaces_.find(name_space);
  return known == namespaces_.end() || meets_all(*term.namespace_selector, known->second);
}

bool AntiAffinity::selects(const AntiAffinityTerm& term, const std::string& name_space, const TextMap& labels) const {
  return term.selector && is_about(term, name_space) && meets_all(*term.selector, {labels, {}});
}

bool AntiAffinity::may_concern(const Changes& changes, const std::string& name_space, const TextMap& labels) const {
  return changes.namespaces.contains(name_space) ||
         std::any_of(changes.terms.begin(), changes.terms.end(),
                     [&](const AntiAffinityTerm& term) { return selects(term, name_space, labels); });
}

AntiAffinity::Changes AntiAffinity::take_changed() {
  if (std::exchange(nodes_seen_, nodes_.version()) != nodes_.version()) {
    for (auto& [term, reach] : of_all_) look_at(term, reach);
    for (auto& [name_space, terms] : of_one_)
      for (auto& [term, reach] : terms) look_at(term, reach);
  }
  return std::exchange(changed_, {});
}

std::vector<LabelRequirement> AntiAffinity::against(const std::string& name_space, const TextMap& labels) const {
  std::map<std::string, std::set<std::string>> domains;
  const auto collect = [&](const Terms& terms) {
    for (const auto& [term, reach] : terms)
      if (!reach.domains.empty() && selects(term, name_space, labels))
        domains[term.topology_key].insert(reach.domains.begin(), reach.domains.end());
  };
  collect(of_all_);
  if (const auto own = of_one_.find(name_space); own != of_one_.end()) collect(own->second);
  std::vector<LabelRequirement> result;
  for (const auto& [key, values] : domains)
    result.push_back({key, LabelRequirement::Operator::not_in, {values.begin(), values.end()}});
  return result;
}

}  // namespace lips::kubernetes
