#include "twin/recorded_services.h"

#include <algorithm>
#include <set>

#include "twin/find_or_add.h"

namespace lips::twin {

namespace {

std::set<std::string> labels_of(const ClusterSnapshot& cluster) {
  std::set<std::string> keys;
  for (const NodeProfile& profile : cluster.profiles)
    for (const auto& [key, value] : profile.labels) keys.insert(key);
  return keys;
}

// A record has only labels that some task selects on. Returns whether any requirement went.
bool drop_unknown(const std::set<std::string>& keys, std::vector<LabelRequirement>& requirements) {
  using Operator = LabelRequirement::Operator;
  return std::erase_if(requirements, [&](const LabelRequirement& requirement) {
           const bool needs_it = requirement.op != Operator::not_in && requirement.op != Operator::does_not_exist;
           return needs_it && !keys.contains(requirement.key);
         }) > 0;
}

bool drop_unknown(const std::set<std::string>& keys, PlacementConstraint& constraint) {
  bool dropped = drop_unknown(keys, constraint.required);
  for (auto& term : constraint.any_of) dropped |= drop_unknown(keys, term);
  for (auto& volume : constraint.volumes)
    for (auto& term : volume) dropped |= drop_unknown(keys, term);
  return dropped;
}

bool somewhere(const ClusterSnapshot& cluster, const simulation::Service& service) {
  for (const NodeId node : cluster.nodes.ids())
    if (cluster.eligible(service.constraint, node) && fits(service.request, cluster.nodes[node].capacity)) return true;
  return false;
}

}  // namespace

// New ones came after the record before. A controller that wants fewer pods takes the youngest.
void RecordedServices::change(Seen& seen, std::uint32_t pods, TimePoint came, TimePoint now) const {
  std::uint32_t sum = 0;
  for (const auto& [since, count] : seen.there) sum += count;
  if (pods > sum) seen.there.emplace_back(std::clamp(came, before_, now), pods - sum);
  for (; sum > pods;) {
    auto& [since, count] = seen.there.back();
    const std::uint32_t gone = std::min(count, sum - pods);
    seen.ended.push_back({since, now, gone});
    count -= gone, sum -= gone;
    if (count == 0) seen.there.pop_back();
  }
}

void RecordedServices::add(TimePoint now, const std::optional<std::vector<ServicePods>>& services) {
  if (!began_) began_ = now;
  before_ = last_, last_ = std::max(last_, TimePoint(now - *began_));
  known_ &= services.has_value();
  if (!services) return;
  struct Here {
    std::uint32_t pods = 0;
    TimePoint newest{};
    bool placed = false;
  };
  std::map<Key, Here> all;
  for (const ServicePods& service : *services) {
    Here& here = all[{service.workload, service.request, service.extended, service.constraint}];
    here.pods += service.pods(), here.newest = std::max(here.newest, TimePoint(service.newest - *began_));
    here.placed |= !service.on.empty();
  }
  for (auto& [key, seen] : seen_)
    if (!all.contains(key)) change(seen, 0, last_, last_);
  for (const auto& [key, here] : all) {
    Seen& seen = seen_[key];
    seen.placed |= here.placed;
    change(seen, here.pods, here.newest, last_);
  }
}

RecordedServices::Placed RecordedServices::place(ClusterSnapshot& cluster) const {
  Placed result;
  const std::set<std::string> keys = labels_of(cluster);
  for (const auto& [key, seen] : seen_) {
    const auto& [workload, request, extended, wanted] = key;
    simulation::Service service{workload, request, ConstraintId::none(), 0, {}, {}};
    bool no_amounts = false;  // a record has only resources that some task asks for
    for (const auto& [name, amount] : extended) {
      const auto known = std::ranges::find(cluster.extended_names.items(), name);
      no_amounts |= known == cluster.extended_names.items().end();
      if (known != cluster.extended_names.items().end())
        service.request.extended.set(
            ResourceId(static_cast<std::uint32_t>(known - cluster.extended_names.items().begin())), amount);
    }
    PlacementConstraint constraint = wanted;
    const bool dropped = seen.placed && drop_unknown(keys, constraint);
    if (constraint != PlacementConstraint{}) service.constraint = find_or_add(cluster.constraints, constraint, equal);
    std::vector<Span> spans = seen.ended;
    for (const auto& [since, count] : seen.there) spans.push_back({since, last_, count});
    std::ranges::stable_sort(spans, {}, &Span::from);
    const bool fits_somewhere = somewhere(cluster, service);
    result.any_label += dropped && fits_somewhere, ++result.workloads;
    result.no_amounts += no_amounts && fits_somewhere;
    for (const Span& span : spans) {
      (fits_somewhere ? result.pods : result.nowhere) += span.pods;
      if (!fits_somewhere || span.until <= span.from) continue;
      service.pods = span.pods, service.from = span.from, service.until = span.until;
      result.services.push_back(service);
    }
  }
  std::ranges::stable_sort(result.services, {}, &simulation::Service::from);
  return result;
}

}  // namespace lips::twin
