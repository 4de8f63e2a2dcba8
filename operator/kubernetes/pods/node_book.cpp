#include "kubernetes/pods/node_book.h"

#include <algorithm>

#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

ResourceAmounts with_pod(const ResourceAmounts& requests) {
  ResourceAmounts result = requests;
  add(result, {{"pods", 1}});
  return result;
}

// A heartbeat changes the version alone.
bool alike(const Node& a, const Node& b) {
  const auto same_taint = [](const Taint& left, const Taint& right) {
    return left.key == right.key && left.value == right.value && left.effect == right.effect;
  };
  return a.meta.uid == b.meta.uid && a.deleting == b.deleting && a.unschedulable == b.unschedulable &&
         a.ready == b.ready && a.labels == b.labels && a.annotations == b.annotations &&
         a.allocatable == b.allocatable && a.internal_address == b.internal_address &&
         std::equal(a.taints.begin(), a.taints.end(), b.taints.begin(), b.taints.end(), same_taint);
}

}  // namespace

void NodeBook::see(Node node) {
  NodeRecord& record = nodes_[node.meta.name];
  if (record.node && alike(*record.node, node)) return;
  changed_.insert(node.meta.name);
  ++version_;
  record.node = std::move(node);
}

void NodeBook::forget(const std::string& name) {
  const auto record = nodes_.find(name);
  if (record == nodes_.end()) return;
  record->second.node.reset();
  changed_.insert(name);
  ++version_;
  drop_if_empty(name);
}

void NodeBook::take(const std::string& node, const ResourceAmounts& requests, Whose whose) {
  NodeRecord& record = nodes_[node];
  add(whose == Whose::ours ? record.ours : record.others, with_pod(requests));
  if (whose == Whose::others) changed_.insert(node);
}

void NodeBook::give_back(const std::string& node, const ResourceAmounts& requests, Whose whose) {
  NodeRecord& record = nodes_[node];
  subtract(whose == Whose::ours ? record.ours : record.others, with_pod(requests));
  if (whose == Whose::others) changed_.insert(node);
  drop_if_empty(node);
}

void NodeBook::drop_if_empty(const std::string& name) {
  const auto record = nodes_.find(name);
  const auto none = [](const ResourceAmounts& amounts) { return amount_of(amounts, "pods") == 0; };
  if (!record->second.node && none(record->second.others) && none(record->second.ours)) nodes_.erase(record);
}

const NodeRecord* NodeBook::find(const std::string& name) const {
  const auto record = nodes_.find(name);
  return record == nodes_.end() || !record->second.node ? nullptr : &record->second;
}

}  // namespace lips::kubernetes
