#include "kubernetes/adapter/node_claims.h"

#include <set>
#include <utility>

#include "kubernetes/pods/node_pool.h"
#include "model/node_labels.h"

namespace lips::kubernetes {

ListWatchOptions NodeClaims::watched() {
  ListWatchOptions options;
  options.path = "/apis/karpenter.sh/v1/nodeclaims";
  return options;
}

std::optional<LaunchedNode> node_to_come(const NodeClaim& claim) {
  const std::string* type = find_text(claim.labels, node_label::instance_type);
  const std::string* zone = find_text(claim.labels, node_label::zone);
  const std::string* kind = find_text(claim.labels, node_label::capacity_type);
  const std::string* pool = find_text(claim.labels, node_pool_label);
  if (claim.deleting || claim.initialized || !type || !zone || !kind || !pool) return std::nullopt;
  return LaunchedNode{*pool,
                      *type,
                      *zone,
                      *kind == "spot" ? CapacityType::spot : CapacityType::on_demand,
                      Cores(static_cast<double>(amount_of(claim.allocatable, "cpu")) / 1000),
                      claim.created,
                      claim.provider_id};
}

void NodeClaims::put(const std::string& name, std::optional<NodeClaim> claim) {
  const std::optional<LaunchedNode> node = claim ? node_to_come(*claim) : std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (node)
      to_come_.insert_or_assign(name, *node);
    else if (to_come_.erase(name) == 0)
      return;
  }
  news_ = true;
  around_.wake();
}

void NodeClaims::changed(const ObjectMeta& meta, std::string_view json) {
  Result<NodeClaim> claim = decoder_.decode(json);
  if (claim) return put(meta.name, *std::move(claim));
  around_.telemetry.on_rejected(plural, "malformed");
  around_.log.warning("cannot decode an object", {{"why", claim.error().message}});
  put(meta.name, std::nullopt);
}

void NodeClaims::complete(std::uint64_t) {
  if (std::exchange(listed_, true)) around_.telemetry.on_watch(plural, WatchTrouble::relisted);
}

void NodeClaims::failed(const Error& error) {
  around_.telemetry.on_watch(plural, WatchTrouble::restarted);
  if (!listed_ && !std::exchange(has_failed_, true))
    around_.log.warning("cannot list NodeClaims: plans know of no nodes on their way until that works",
                        {{"why", error.message}});
}

bool NodeClaims::any() {
  const std::lock_guard lock(mutex_);
  return !to_come_.empty();
}

std::vector<LaunchedNode> NodeClaims::to_come(const NodeCache& nodes) {
  std::vector<LaunchedNode> found;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, node] : to_come_) found.push_back(node);
  }
  if (found.empty()) return found;
  std::set<std::string> ready;
  for (const auto& [name, record] : nodes.all())
    if (record.node && record.node->ready) ready.insert(record.node->provider_id);
  std::erase_if(
      found, [&](const LaunchedNode& node) { return !node.provider_id.empty() && ready.contains(node.provider_id); });
  return found;
}

}  // namespace lips::kubernetes
