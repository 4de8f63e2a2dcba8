#include "config/commitments.h"

#include <fmt/format.h>

#include <cstdint>

#include "config/yaml_text.h"

namespace lips {

void read_commitment(YamlMap& fields, std::string_view key, std::vector<Commitments::Nodes>& reserved) {
  if (!fields.has(key)) return;
  reserved.clear();
  for (YamlMap& one : fields.maps(key)) {
    Commitments::Nodes nodes;
    if (one.require("instanceType")) nodes.instance_type = one.text("instanceType");
    nodes.zone = one.text("zone");
    nodes.count = static_cast<double>(one.integer("count", 1, 1, 1'000'000));
    one.finish();
    reserved.push_back(std::move(nodes));
  }
}

void read_commitment(YamlMap& fields, std::string_view key, SavingsPlan& plan) {
  std::optional<YamlMap> given = fields.map(key);
  if (!given) return;
  if (given->require("perHour")) plan.committed = UsdPerHour(given->amount("perHour", 0, "USD/h"));
  plan.discount = given->number("discount", plan.discount, {0, 0.9});
  given->finish();
}

std::string commitment_text(const std::vector<Commitments::Nodes>& reserved) {
  std::string list;
  for (const Commitments::Nodes& nodes : reserved) {
    list += fmt::format("{}{{instanceType: {}", list.empty() ? "" : ", ", quoted(nodes.instance_type));
    if (!nodes.zone.empty()) list += ", zone: " + quoted(nodes.zone);
    list += fmt::format(", count: {}}}", static_cast<std::int64_t>(nodes.count));
  }
  return "[" + list + "]";
}

std::string commitment_text(const SavingsPlan& plan) {
  return fmt::format("{{perHour: {}, discount: {}}}", plan.committed.value(), plan.discount);
}

}  // namespace lips
