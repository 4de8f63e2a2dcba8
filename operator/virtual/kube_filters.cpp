#include "virtual/kube_filters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace lips::virtual_cluster {
namespace {

constexpr std::size_t longest_label_value = 63;

std::optional<std::int64_t> as_number(const std::string& text) {
  std::int64_t value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

bool is_label_value(const std::string& text) {
  const auto plain = [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; };
  if (text.empty()) return true;
  return text.size() <= longest_label_value && plain(text.front()) && plain(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char letter) { return plain(letter) || letter == '-' || letter == '_' || letter == '.'; });
}

bool has(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// A rule that could not be written holds nowhere.
bool meets_label(const KubeRequirement& rule, const KubeNode& node) {
  const auto found = node.labels.find(rule.key);
  const bool there = found != node.labels.end();
  if (rule.op == "Exists") return rule.values.empty() && there;
  if (rule.op == "DoesNotExist") return rule.values.empty() && !there;
  if (rule.values.empty() || !std::all_of(rule.values.begin(), rule.values.end(), is_label_value)) return false;
  if (rule.op == "In") return there && has(rule.values, found->second);
  if (rule.op == "NotIn") return !there || !has(rule.values, found->second);
  if ((rule.op != "Gt" && rule.op != "Lt") || rule.values.size() != 1 || !there) return false;
  const auto limit = as_number(rule.values.front()), value = as_number(found->second);
  return limit && value && (rule.op == "Gt" ? *value > *limit : *value < *limit);
}

// The one field is metadata.name.
bool meets_field(const KubeRequirement& rule, const KubeNode& node) {
  if (rule.key != "metadata.name" || rule.values.size() != 1) return false;
  return rule.op == "In" ? rule.values.front() == node.name : rule.op == "NotIn" && rule.values.front() != node.name;
}

bool tolerates_any(const KubePod& pod, const KubeTaint& taint) {
  return std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                     [&](const KubeToleration& toleration) { return tolerates(toleration, taint); });
}

// Addresses that are none stand for all.
bool clash(const KubePort& one, const KubePort& other) {
  const auto all = [](const std::string& address) { return address.empty() || address == "0.0.0.0"; };
  return one.port == other.port && one.protocol == other.protocol &&
         (all(one.address) || all(other.address) || one.address == other.address);
}

}  // namespace

bool meets(const KubeTerm& term, const KubeNode& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  return std::all_of(term.labels.begin(), term.labels.end(),
                     [&](const auto& rule) { return meets_label(rule, node); }) &&
         std::all_of(term.fields.begin(), term.fields.end(), [&](const auto& rule) { return meets_field(rule, node); });
}

bool tolerates(const KubeToleration& toleration, const KubeTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

KubeReasons filter_unschedulable(const KubePod& pod, const KubeNode& node) {
  if (!node.unschedulable || tolerates_any(pod, {"node.kubernetes.io/unschedulable", "", "NoSchedule"})) return {};
  return {"node(s) were unschedulable"};
}

KubeReasons filter_taints(const KubePod& pod, const KubeNode& node) {
  const bool kept_away = std::any_of(node.taints.begin(), node.taints.end(), [&](const KubeTaint& taint) {
    return (taint.effect == "NoSchedule" || taint.effect == "NoExecute") && !tolerates_any(pod, taint);
  });
  return kept_away ? KubeReasons{"node(s) had untolerated taint(s)"} : KubeReasons{};
}

KubeReasons filter_node_affinity(const KubePod& pod, const KubeNode& node) {
  const bool selected = std::all_of(pod.selector.begin(), pod.selector.end(), [&](const auto& label) {
    const auto found = node.labels.find(label.first);
    return found != node.labels.end() && found->second == label.second;
  });
  const bool wanted = !pod.required || std::any_of(pod.required->begin(), pod.required->end(),
                                                   [&](const KubeTerm& term) { return meets(term, node); });
  return selected && wanted ? KubeReasons{} : KubeReasons{"node(s) didn't match Pod's node affinity/selector"};
}

KubeReasons filter_ports(const KubePod& pod, const KubeRoom& room) {
  for (const KubePort& wanted : pod.ports)
    for (const KubePort& taken : room.ports)
      if (clash(wanted, taken)) return {"node(s) didn't have free ports for the requested pod ports"};
  return {};
}

KubeReasons filter_resources(const KubePod& pod, const KubeRoom& room) {
  KubeReasons reasons;
  const KubeAmounts &has = room.node.allocatable, &asked = pod.requests;
  if (room.pods + 1 > has.of("pods")) reasons.emplace_back("Too many pods");
  if (asked.cpu > 0 && asked.cpu > has.cpu - room.taken.cpu) reasons.emplace_back("Insufficient cpu");
  if (asked.memory > 0 && asked.memory > has.memory - room.taken.memory) reasons.emplace_back("Insufficient memory");
  for (const auto& [name, amount] : asked.others)
    if (amount > 0 && amount > has.of(name) - room.taken.of(name)) reasons.push_back("Insufficient " + name);
  return reasons;
}

KubeReasons why_filtered(const KubePod& pod, const KubeRoom& room) {
  for (const auto filter : {filter_unschedulable, filter_taints, filter_node_affinity})
    if (KubeReasons reasons = filter(pod, room.node); !reasons.empty()) return reasons;
  for (const auto filter : {filter_ports, filter_resources})
    if (KubeReasons reasons = filter(pod, room); !reasons.empty()) return reasons;
  return {};
}

}  // namespace lips::virtual_cluster
