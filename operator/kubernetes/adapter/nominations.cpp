#include "kubernetes/adapter/nominations.h"

namespace lips::kubernetes {
namespace {

// A pod that is named this node already is not told again.
void tell(const std::string& pod, const std::string& node, const PodCache& pods, Binder& binder) {
  const auto known = pods.ours().find(pod);
  if (known == pods.ours().end()) return;
  const PodRecord& record = *known->second;
  if (record.state != PodState::waiting || record.steered || record.nominated == node) return;
  binder.nominate(record.meta, node);
}

}  // namespace

void nominate(const std::map<std::string, std::string>& nodes, const PodCache& pods, Binder& binder) {
  for (const std::string& pod : pods.nominated())
    if (!nodes.contains(pod)) tell(pod, "", pods, binder);
  for (const auto& [pod, node] : nodes) tell(pod, node, pods, binder);
}

}  // namespace lips::kubernetes
