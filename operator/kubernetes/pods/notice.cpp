#include "kubernetes/pods/notice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {
namespace {

// AKS tells its events apart by the message: after a reboot or a freeze the machine is there again.
bool ends_the_node(std::string_view message) {
  constexpr std::array events{"Preempt Scheduled", "Terminate Scheduled", "Redeploy Scheduled"};
  return std::any_of(events.begin(), events.end(),
                     [&](const char* event) { return message.find(event) != std::string_view::npos; });
}

bool gives_notice(std::string_view condition, std::string_view message) {
  constexpr std::array of_aks{"PreemptScheduled", "PreemptionScheduled", "RedeployScheduled", "TerminateScheduled"};
  return std::find(of_aks.begin(), of_aks.end(), condition) != of_aks.end() ||
         (condition == "VMEventScheduled" && ends_the_node(message));
}

}  // namespace

std::string notice_of(const Node& node) {
  if (node.deleting) return "deletion";
  if (find_text(node.labels, "aws-node-termination-handler/event-id")) return "event-id";
  const std::string* maintenance = find_text(node.labels, "cloud.google.com/active-node-maintenance");
  if (maintenance && *maintenance == "ONGOING") return "active-node-maintenance";
  for (const auto& [condition, message] : node.conditions)
    if (gives_notice(condition, message)) return condition;
  // All that aws-node-termination-handler does by default when a cloud takes a machine back.
  return node.unschedulable && is_spot(node) ? "cordon" : "";
}

}  // namespace lips::kubernetes
