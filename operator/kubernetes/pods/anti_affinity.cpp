#include "kubernetes/pods/anti_affinity.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {

namespace {

// Takes something away from what is filed at each of the places, which exist, and forgets those where nothing is left.
template <class Places, class Map, class Take>
void unfile(const Places& places, Map& filed, Take take) {
  for (const auto& place : places) {
    const auto at = filed.find(place);
    take(at->second);
    if (at->second.terms.empty() && at->second.pods.empty()) filed.erase(at);
  }
}

std::set<std::string> without(const std::set<std::string>& all, const std::set<std::string>& others) {
  std::set<std::string> left;
  std::set_difference(all.begin(), all.end(), others.begin(), others.end(), std::inserter(left, left.end()));
  return left;
}

}  // namespace

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

// Those of the requirement that the fewest values meet.
std::vector<AntiAffinity::Place> AntiAffinity::places_of(const AntiAffinityTerm& term) {
  if (!term.selector) return {};
  if (term.namespace_selector || term.namespaces.size() != 1) return {Place{}};
  const std::string& name_space = term.namespaces.front();
  const LabelRequirement* fewest = nullptr;
  for (const LabelRequirement& requirement : *term.selector)
    if (requirement.op == LabelRequirement::Operator::in &&
        (!fewest || requirement.values.size() < fewest->values.size()))
      fewest = &requirement;
  if (!fewest) return {{name_space, "", ""}};
  std::set<Place> places;  // a value may be named twice
  for (const std::string& value : fewest->values) places.emplace(name_space, fewest->key, value);
  return {places.begin(), places.end()};
}

std::vector<AntiAffinity::Place> AntiAffinity::places_of(const Alike& pods) {
  std::vector<Place> places{Place{}, {pods.name_space, "", ""}};
  for (const auto& [key, value] : pods.labels.labels) places.emplace_back(pods.name_space, key, value);
  return places;
}

void AntiAffinity::note(const AntiAffinityTerm& term, const std::string& node, bool here) {
  const auto [known, is_new] = terms_.try_emplace(term);
  Reach& reach = known->second;
  if (is_new)
    for (const Place& place : places_of(term)) filed_[place].terms.insert(&*known);
  if (here ? reach.nodes[node]++ > 0 : --reach.nodes[node] > 0) return;
  if (!here) reach.nodes.erase(node);
  look_at(term, reach);
  if (!reach.nodes.empty()) return;
  unfile(places_of(term), filed_, [&](Filed& filed) { filed.terms.erase(&*known); });
  terms_.erase(known);
}

void AntiAffinity::look_at(const AntiAffinityTerm& term, Reach& reach) {
  std::set<std::string> domains;
  for (const auto& [name, count] : reach.nodes) {
    const NodeRecord* record = nodes_.find(name);
    const std::string* domain = record && record->node ? find_text(record->node->labels, term.topology_key) : nullptr;
    if (domain) domains.insert(*domain);
  }
  if (domains == reach.domains) return;
  count(term, without(domains, reach.domains), true);
  count(term, without(reach.domains, domains), false);
  reach.domains = std::move(domains);
}

bool AntiAffinity::Alike::count(const std::string& key, const std::string& domain, bool more) {
  std::map<std::string, std::size_t>& of_key = terms[key];
  if (more) return of_key[domain]++ == 0;
  if (--of_key[domain] > 0) return false;
  of_key.erase(domain);
  return true;
}

void AntiAffinity::count(const AntiAffinityTerm& term, const std::set<std::string>& domains, bool more) {
  if (domains.empty()) return;
  for (const Place& place : places_of(term)) {
    const auto filed = filed_.find(place);
    if (filed == filed_.end()) continue;
    for (Alike* pods : filed->second.pods) {
      if (!selects(term, *pods)) continue;
      for (const std::string& domain : domains)
        if (pods->count(term.topology_key, domain, more)) changed_.alike.insert(pods);
    }
  }
}

AntiAffinity::Alike& AntiAffinity::counted(const std::string& name_space, const TextMap& labels) {
  const auto [known, is_new] = alike_.try_emplace({name_space, labels});
  Alike& pods = known->second;
  if (!is_new) return pods;
  pods.name_space = name_space, pods.labels.labels = labels;
  for (const Place& place : places_of(pods)) {
    Filed& filed = filed_[place];
    filed.pods.insert(&pods);
    for (const Term* term : filed.terms)
      if (selects(term->first, pods))
        for (const std::string& domain : term->second.domains) pods.count(term->first.topology_key, domain, true);
  }
  return pods;
}

void AntiAffinity::forget_counts() {
  alike_.clear();
  changed_ = {{}, {}, true};
  for (auto filed = filed_.begin(); filed != filed_.end();) {
    filed->second.pods.clear();
    filed = filed->second.terms.empty() ? filed_.erase(filed) : std::next(filed);
  }
}

void AntiAffinity::forget_counts_in(const std::string& name_space) {
  changed_.namespaces.insert(name_space);
  for (auto known = alike_.lower_bound({name_space, {}}); known != alike_.end() && known->first.first == name_space;) {
    Alike& pods = known->second;
    changed_.alike.erase(&pods);
    unfile(places_of(pods), filed_, [&](Filed& filed) { filed.pods.erase(&pods); });
    known = alike_.erase(known);
  }
}

void AntiAffinity::update(const Namespace& name_space) {
  const auto [known, is_new] = namespaces_.try_emplace(name_space.meta.name);
  if (!is_new && known->second.labels == name_space.labels) return;
  known->second.labels = name_space.labels;
  forget_counts_in(name_space.meta.name);
}

void AntiAffinity::forget_namespace(const std::string& name) {
  if (namespaces_.erase(name) > 0) forget_counts_in(name);
}

bool AntiAffinity::is_about(const AntiAffinityTerm& term, const std::string& name_space) const {
  if (std::binary_search(term.namespaces.begin(), term.namespaces.end(), name_space)) return true;
  if (!term.namespace_selector) return false;
  const auto known = namespaces_.find(name_space);
  return known == namespaces_.end() || meets_all(*term.namespace_selector, known->second);
}

bool AntiAffinity::selects(const AntiAffinityTerm& term, const Alike& pods) const {
  return term.selector && is_about(term, pods.name_space) && meets_all(*term.selector, pods.labels);
}

bool AntiAffinity::may_concern(const Changes& changes, const std::string& name_space, const TextMap& labels) const {
  if (changes.all || changes.namespaces.contains(name_space)) return true;
  const auto known = alike_.find({name_space, labels});
  return known == alike_.end() || changes.alike.contains(&known->second);
}

AntiAffinity::Changes AntiAffinity::take_changed() {
  if (std::exchange(nodes_seen_, nodes_.version()) != nodes_.version())
    for (auto& [term, reach] : terms_) look_at(term, reach);
  return std::exchange(changed_, {});
}

std::vector<LabelRequirement> AntiAffinity::against(const std::string& name_space, const TextMap& labels) {
  std::vector<LabelRequirement> result;
  for (const auto& [key, domains] : counted(name_space, labels).terms) {
    if (domains.empty()) continue;
    LabelRequirement& requirement = result.emplace_back(LabelRequirement{key, LabelRequirement::Operator::not_in, {}});
    for (const auto& [domain, terms] : domains) requirement.values.push_back(domain);
  }
  return result;
}

}  // namespace lips::kubernetes
