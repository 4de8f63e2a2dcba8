#include "kubernetes/pods/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

constexpr std::string_view pods_resource = "pods";

std::string list_of(const std::map<std::string, std::size_t>& reasons) {
  std::vector<std::pair<std::string, std::size_t>> order(reasons.begin(), reasons.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", order[i].second, order[i].first);
  if (order.size() > most) text += fmt::format(", and {} more reasons", order.size() - most);
  return text;
}

}  // namespace

NodesForDiagnosis::NodesForDiagnosis(const NodeCache& nodes, const PodClasses& classes) {
  columns_[std::string(pods_resource)] = 0;
  for (const auto& [name, record] : nodes.all())
    if (record.node)
      for (const auto& [resource, amount] : record.node->allocatable) columns_.try_emplace(resource, columns_.size());
  using Key = std::tuple<NodeProfile, bool, bool, bool>;
  std::map<Key, ProfileId> known;
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node) continue;
    NodeProfile profile = profile_of(*record.node);
    std::erase_if(profile.labels, [&](const auto& entry) { return !classes.label_keys().contains(entry.first); });
    const Key key{profile, record.node->deleting, record.node->ready, record.node->unschedulable};
    const auto [place, added] = known.try_emplace(key);
    if (added) {
      place->second = alike_.push_back({*record.node, {}});
      profiles_.push_back(std::move(profile));
    }
    alike_[place->second].rows.push_back(count_++);
    add_row(record);
  }
  eligible_.emplace(profiles_);
}

NodesForDiagnosis::Sieve NodesForDiagnosis::sieve_for(const PodNeeds& needs) const {
  Sieve sieve;
  for (const Filter& filter : filters()) {
    if (filter.by_node) continue;
    sieve.emplace_back(&filter, std::nullopt);
    if (filter.accepts) sieve.back().second = filter.accepts(needs, *eligible_);
  }
  return sieve;
}

// The filter that keeps the pod off all nodes of that profile and state.
const Filter* NodesForDiagnosis::rejecting(const Sieve& sieve, const PodNeeds& needs, ProfileId id,
                                           std::string& why) const {
  const ResourceAmounts nothing;
  for (const auto& [filter, accepted] : sieve) {
    if (accepted)
      why = accepted->contains(id) ? "" : filter->words;
    else
      why = filter->rejects(needs, {alike_[id].example, profiles_[id], nothing});
    if (!why.empty()) return filter;
  }
  return nullptr;
}

void NodesForDiagnosis::add_row(const NodeRecord& record) {
  ResourceAmounts taken = record.of_others();
  const NodeProfile none;
  for (std::vector<std::int64_t>& left : left_) {
    const std::size_t begin = left.size();
    left.resize(begin + columns_.size());
    for (const auto& [resource, column] : columns_)
      left[begin + column] = left_of({*record.node, none, taken}, resource);
    add(taken, record.ours);
  }
}

std::vector<NodesForDiagnosis::ResourceRequest> NodesForDiagnosis::requests_of(const PodNeeds& needs) const {
  std::vector<ResourceRequest> requests{{0, 1, std::string(pods_resource)}};
  for (const auto& [resource, amount] : needs.requests) {
    if (amount <= 0) continue;
    const auto column = columns_.find(resource);
    if (column != columns_.end())
      requests.push_back({static_cast<std::ptrdiff_t>(column->second), amount, resource});
    else if (!resource.starts_with(volumes_of_driver))  // no node has a limit
      requests.push_back({-1, amount, resource});
  }
  return requests;
}

Diagnosis NodesForDiagnosis::diagnose(const PodNeeds& needs, bool with_ours, std::size_t& nodes_examined) const {
  if (count_ == 0) return {true, "0/0 nodes are available: the cluster has no nodes. What helps: add nodes"};
  const std::vector<ResourceRequest> requests = requests_of(needs);
  const std::vector<std::int64_t>& left = left_[with_ours ? 1 : 0];
  std::vector<std::size_t> lacking_of(requests.size());
  std::map<std::string, std::size_t> reasons;
  std::map<std::string_view, std::size_t> advice;
  const Sieve sieve = sieve_for(needs);
  for (const ProfileId id : alike_.ids()) {
    const Alike& alike = alike_[id];
    ++nodes_examined;
    std::string why;
    if (const Filter* filter = rejecting(sieve, needs, id, why)) {
      reasons[why] += alike.rows.size();
      advice[filter->advice] += alike.rows.size();
      continue;
    }
    for (const std::size_t row : alike.rows) {
      ++nodes_examined;
      const std::int64_t* has = &left[row * columns_.size()];
      const auto lacks = std::find_if(requests.begin(), requests.end(), [&](const ResourceRequest& one) {
        return one.column < 0 || one.amount > has[one.column];
      });
      if (lacks == requests.end()) return {};
      ++lacking_of[static_cast<std::size_t>(lacks - requests.begin())];
    }
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (lacking_of[i] == 0) continue;
    reasons[i == 0 ? "Too many pods" : lacking(requests[i].name)] += lacking_of[i];
    advice[resource_filter.advice] += lacking_of[i];
  }
  const auto best =
      std::max_element(advice.begin(), advice.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return {true, fmt::format("0/{} nodes are available: {}. What helps: {}", count_, list_of(reasons), best->first)};
}

Diagnosis diagnose(const PodNeeds& needs, const NodeCache& nodes, bool with_ours) {
  PodClasses classes;
  classes.intern(needs);
  std::size_t examined = 0;
  return NodesForDiagnosis(nodes, classes).diagnose(needs, with_ours, examined);
}

}  // namespace lips::kubernetes
