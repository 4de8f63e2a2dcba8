#include "model/nodes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace lips {

namespace {

constexpr double slack = 1e-7;

const std::string* find_label(const NodeProfile& profile, const std::string& key) {
  const auto found = std::lower_bound(profile.labels.begin(), profile.labels.end(), key,
                                      [](const auto& label, const std::string& name) { return label.first < name; });
  return found != profile.labels.end() && found->first == key ? &found->second : nullptr;
}

bool as_integer(const std::string& text, std::int64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

bool meets(const LabelRequirement& requirement, const NodeProfile& profile) {
  using Operator = LabelRequirement::Operator;
  const std::string* value = find_label(profile, requirement.key);
  const auto listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), *value) != requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::in:
      return value && listed();
    case Operator::not_in:
      return !value || !listed();
    case Operator::exists:
      return value != nullptr;
    case Operator::does_not_exist:
      return value == nullptr;
    case Operator::greater:
    case Operator::less: {
      std::int64_t have = 0, want = 0;
      if (!value || requirement.values.size() != 1 || !as_integer(*value, have) ||
          !as_integer(requirement.values[0], want))
        return false;
      return requirement.op == Operator::greater ? have > want : have < want;
    }
  }
  return false;
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (toleration.key.empty()) return toleration.exists;
  if (toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

}  // namespace

namespace {
bool extended_fit(const Resources& request, const Resources& free) {
  for (std::size_t i = 0; i < most_extended; ++i)
    if (request.extended[i] > 0 && request.extended[i] > free.extended[i] + slack) return false;
  return true;
}
}  // namespace

bool fits(const Resources& request, const Resources& free) {
  return request.cpu.value() <= free.cpu.value() + slack && request.memory.value() <= free.memory.value() + slack &&
         request.slots <= free.slots && extended_fit(request, free);
}

std::int64_t fit_count(const Resources& request, const Resources& free) {
  double count = request.slots > 0 ? static_cast<double>(free.slots) / request.slots : 1e9;
  if (request.cpu.value() > 0) count = std::min(count, (free.cpu.value() + slack) / request.cpu.value());
  if (request.memory.value() > 0) count = std::min(count, (free.memory.value() + slack) / request.memory.value());
  for (std::size_t i = 0; i < most_extended; ++i)
    if (request.extended[i] > 0) count = std::min(count, (free.extended[i] + slack) / request.extended[i]);
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(count)));
}

bool eligible(const PlacementConstraint& constraint, const NodeProfile& profile) {
  const auto met = [&](const LabelRequirement& requirement) { return meets(requirement, profile); };
  if (!std::all_of(constraint.required.begin(), constraint.required.end(), met)) return false;
  const auto any_met = [&](const std::vector<std::vector<LabelRequirement>>& terms) {
    return std::any_of(terms.begin(), terms.end(), [&](const std::vector<LabelRequirement>& term) {
      return !term.empty() && std::all_of(term.begin(), term.end(), met);
    });
  };
  if (!constraint.any_of.empty() && !any_met(constraint.any_of)) return false;
  if (!std::all_of(constraint.volumes.begin(), constraint.volumes.end(), any_met)) return false;
  return std::all_of(profile.taints.begin(), profile.taints.end(), [&](const Taint& taint) {
    if (taint.effect == "PreferNoSchedule") return true;
    return std::any_of(constraint.tolerations.begin(), constraint.tolerations.end(),
                       [&](const Toleration& toleration) { return tolerates(toleration, taint); });
  });
}

UsdPerCpuSecond full_packing_price(UsdPerHour price, Cores cpu, double speed) {
  return UsdPerCpuSecond(price.value() / 3600.0 / (cpu.value() * speed));
}

}  // namespace lips
