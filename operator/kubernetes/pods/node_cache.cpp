#include "kubernetes/pods/node_cache.h"

#include <algorithm>

#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/filters/filter.h"
#include "model/node_labels.h"

namespace lips::kubernetes {
namespace {

ResourceAmounts with_pod(const ResourceAmounts& requests) {
  ResourceAmounts result = requests;
  add(result, {{"pods", 1}});
  return result;
}

// A heartbeat changes only the version.
bool alike(const Node& a, const Node& b) {
  return a.meta.uid == b.meta.uid && a.deleting == b.deleting && a.unschedulable == b.unschedulable &&
         a.ready == b.ready && a.labels == b.labels && a.annotations == b.annotations &&
         a.allocatable == b.allocatable && a.internal_address == b.internal_address && a.taints == b.taints &&
         a.conditions == b.conditions;
}

void drop_limits(ResourceAmounts& allocatable) {
  std::erase_if(allocatable, [](const auto& entry) { return entry.first.starts_with(volumes_of_driver); });
}

}  // namespace

std::string instance_type_of(const Node& node) {
  for (const char* key : {node_label::instance_type, node_label::old_instance_type})
    if (const std::string* type = find_text(node.labels, key); type && !type->empty()) return *type;
  return "";
}

bool is_spot(const Node& node) {
  static constexpr std::pair<const char*, const char*> marks[] = {{node_label::capacity_type, "spot"},
                                                                  {"eks.amazonaws.com/capacityType", "SPOT"},
                                                                  {"cloud.google.com/gke-spot", "true"},
                                                                  {"cloud.google.com/gke-preemptible", "true"},
                                                                  {"kubernetes.azure.com/scalesetpriority", "spot"},
                                                                  {"node.kubernetes.io/lifecycle", "spot"}};
  return std::any_of(std::begin(marks), std::end(marks), [&](const auto& mark) {
    const std::string* text = find_text(node.labels, mark.first);
    return text && *text == mark.second;
  });
}

ResourceAmounts NodeRecord::of_others() const {
  ResourceAmounts sum = others;
  add(sum, nominated);
  return sum;
}

ResourceAmounts NodeRecord::taken() const {
  ResourceAmounts sum = of_others();
  add(sum, ours);
  return sum;
}

void NodeCache::update(Node node) {
  NodeRecord& record = nodes_[node.meta.name];
  drop_limits(node.allocatable);
  add(node.allocatable, record.volume_limits);
  if (record.node && alike(*record.node, node)) return;
  changed_.insert(node.meta.name);
  ++version_;
  record.node = std::move(node);
}

void NodeCache::forget(const std::string& name) {
  const auto record = nodes_.find(name);
  if (record == nodes_.end()) return;
  record->second.node.reset();
  changed_.insert(name);
  ++version_;
  drop_if_empty(name);
}

void NodeCache::take(const std::string& node, const ResourceAmounts& requests, Whose whose) {
  NodeRecord& record = nodes_[node];
  add(whose == Whose::ours ? record.ours : record.others, with_pod(requests));
  if (whose == Whose::daemons) add(record.daemons, with_pod(requests)), ++version_;
  if (whose != Whose::ours) changed_.insert(node);
}

void NodeCache::give_back(const std::string& node, const ResourceAmounts& requests, Whose whose) {
  NodeRecord& record = nodes_[node];
  subtract(whose == Whose::ours ? record.ours : record.others, with_pod(requests));
  if (whose == Whose::daemons) subtract(record.daemons, with_pod(requests)), ++version_;
  if (whose != Whose::ours) changed_.insert(node);
  drop_if_empty(node);
}

void NodeCache::adjust(const std::string& node, const ResourceAmounts& more) {
  add(nodes_[node].others, more);
  changed_.insert(node);
  drop_if_empty(node);
}

void NodeCache::limit_volumes(const std::string& node, ResourceAmounts limits) {
  NodeRecord& record = nodes_[node];
  if (record.volume_limits == limits) return drop_if_empty(node);
  record.volume_limits = std::move(limits);
  if (record.node) {
    drop_limits(record.node->allocatable);
    add(record.node->allocatable, record.volume_limits);
    changed_.insert(node);
    ++version_;
  }
  drop_if_empty(node);
}

void NodeCache::count(const Nomination& nomination, bool on) {
  NodeRecord& record = nodes_[nomination.node];
  if (on)
    add(record.nominated, with_pod(nomination.requests));
  else
    subtract(record.nominated, with_pod(nomination.requests));
  changed_.insert(nomination.node);
  drop_if_empty(nomination.node);
}

void NodeCache::nominate(const std::string& pod, Nomination nomination) {
  const auto known = nominations_.find(pod);
  if (known != nominations_.end() && known->second == nomination) return;
  forget_nomination(pod);
  if (counts(nomination)) count(nomination, true);
  nominations_[pod] = std::move(nomination);
}

void NodeCache::forget_nomination(const std::string& pod) {
  const auto known = nominations_.find(pod);
  if (known == nominations_.end()) return;
  if (counts(known->second)) count(known->second, false);
  nominations_.erase(known);
}

void NodeCache::count_nominations_from(std::int32_t least_priority) {
  const std::int32_t before = std::exchange(least_priority_, least_priority);
  if (before == least_priority) return;
  for (const auto& [pod, nomination] : nominations_) {
    const bool did = nomination.priority >= before, does = counts(nomination);
    if (did != does) count(nomination, does);
  }
}

void NodeCache::drop_if_empty(const std::string& name) {
  const auto record = nodes_.find(name);
  const auto none = [](const ResourceAmounts& amounts) { return amount_of(amounts, "pods") == 0; };
  const NodeRecord& what = record->second;
  if (!what.node && none(what.others) && none(what.ours) && none(what.nominated) && what.volume_limits.empty())
    nodes_.erase(record);
}

const NodeRecord* NodeCache::find(const std::string& name) const {
  const auto record = nodes_.find(name);
  return record == nodes_.end() || !record->second.node ? nullptr : &record->second;
}

}  // namespace lips::kubernetes
