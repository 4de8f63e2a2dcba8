#include "kubernetes/pods/instance_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "model/node_labels.h"

namespace lips::kubernetes {
namespace {

constexpr std::array<std::string_view, 6> aws_names{"category", "cpu", "family", "generation", "memory", "size"};

constexpr std::pair<std::string_view, std::string_view> old_keys[] = {
    {"beta.kubernetes.io/arch", arch_label},  {node_label::old_instance_type, node_label::instance_type},
    {"beta.kubernetes.io/os", os_label},      {node_label::old_region, node_label::region},
    {node_label::old_zone, node_label::zone}, {"topology.ebs.csi.aws.com/zone", node_label::zone}};

// "m6gd.2xlarge": m, 6, gd, m6gd, 2xlarge. "u-12tb1.metal": u, 1.
struct InstanceName {
  std::string_view category, generation, features, family, size;
  // Graviton has a g behind the generation; a1 came before that rule.
  bool arm() const { return features.find('g') != std::string_view::npos || family == "a1"; }
};

std::optional<InstanceName> parsed(std::string_view type) {
  const auto take = [](std::string_view& text, auto belongs) {
    const auto end = std::find_if_not(text.begin(), text.end(), belongs);
    const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(taken.size());
    return taken;
  };
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t dot = type.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  InstanceName name;
  name.family = type.substr(0, dot), name.size = type.substr(dot + 1);
  std::string_view rest = name.family;
  name.category = take(rest, letter);
  if (rest.starts_with('-')) {
    rest.remove_prefix(1);
    if (take(rest, digit).empty() || take(rest, letter) != "tb") return std::nullopt;
  }
  name.generation = take(rest, digit);
  name.features = take(rest, [&](char c) { return letter(c) || digit(c) || c == '-'; });
  const bool whole = rest.empty() && !name.category.empty() && !name.generation.empty() && !name.size.empty();
  if (!whole || name.category == "mac") return std::nullopt;
  return name;
}

}  // namespace

std::string aws_label(std::string_view provider, std::string_view name) {
  return std::string(provider) + "/instance-" + std::string(name);
}

std::string plain_key(const std::string& key) {
  for (const auto& [old, now] : old_keys)
    if (key == old) return std::string(now);
  for (const std::string_view name : aws_names)
    if (key == aws_label(eks_auto_mode, name)) return aws_label(karpenter_on_aws, name);
  return key;
}

bool tells_types_apart(std::string_view plain_key) {
  return plain_key == arch_label || std::any_of(aws_names.begin(), aws_names.end(), [&](std::string_view name) {
           return plain_key == aws_label(karpenter_on_aws, name);
         });
}

TextMap instance_labels(const std::string& instance_type, Cores cpu, Mebibytes memory) {
  TextMap labels{{node_label::instance_type, instance_type}, {os_label, "linux"}};
  if (const std::optional<InstanceName> name = parsed(instance_type)) {
    labels.emplace_back(arch_label, name->arm() ? "arm64" : "amd64");
    const auto add = [&](std::string_view key, std::string_view value) {
      labels.emplace_back(aws_label(karpenter_on_aws, key), value);
    };
    add("category", name->category), add("family", name->family), add("generation", name->generation);
    add("size", name->size);
    add("cpu", std::to_string(std::llround(cpu.value()))), add("memory", std::to_string(std::llround(memory.value())));
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace lips::kubernetes
