#include "records/snapshot_eligibility_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/eligibility.h"

namespace lips {

using namespace json_tables;

namespace {

std::vector<LabelRequirement> requirements(const View& list) {
  std::vector<LabelRequirement> result;
  for (std::size_t i = 0, count = list.list(); i < count; ++i) {
    const View row = list.item(i);
    if (row.list() < 2) {
      row.problem("", fmt::format("{} cells", row.size()), "a key, an operator and values");
      continue;
    }
    LabelRequirement requirement;
    requirement.key = row.cell(0, Text{});
    const std::string name = row.cell(1, Text{});
    if (const auto op = parse_label_operator(name))
      requirement.op = *op;
    else
      row.problem("/1", '\'' + name + '\'', fmt::format("{}", fmt::join(label_operator_names, ", ")));
    for (std::size_t cell = 2; cell < row.size(); ++cell) requirement.values.push_back(row.cell(cell, Text{}));
    result.push_back(std::move(requirement));
  }
  return result;
}

nlohmann::ordered_json requirements_json(const std::vector<LabelRequirement>& requirements) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LabelRequirement& requirement : requirements) {
    nlohmann::ordered_json row = {requirement.key, to_string(requirement.op)};
    for (const std::string& value : requirement.values) row.push_back(value);
    list.push_back(std::move(row));
  }
  return list;
}

nlohmann::ordered_json terms_json(const std::vector<std::vector<LabelRequirement>>& terms) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::vector<LabelRequirement>& term : terms) list.push_back(requirements_json(term));
  return list;
}

}  // namespace

NodeProfile read_profile(const View& object) {
  NodeProfile profile;
  const View labels = object.at("labels");
  for (const auto& [key, ignored] : labels.json().items())
    profile.labels.emplace_back(key, labels.at(key).value(Text{}));
  const View taints = object.at("taints");
  for (std::size_t t = 0, rows = taints.rows(3); t < rows; ++t)
    profile.taints.push_back(
        {taints.item(t).cell(0, Text{}), taints.item(t).cell(1, Text{}), taints.item(t).cell(2, Text{})});
  std::sort(profile.labels.begin(), profile.labels.end());
  std::sort(profile.taints.begin(), profile.taints.end());
  return profile;
}

PlacementConstraint read_constraint(const View& object) {
  PlacementConstraint constraint;
  constraint.required = requirements(object.at("required"));
  const View terms = object.at("anyOf");
  for (std::size_t t = 0, rows = terms.list(); t < rows; ++t) constraint.any_of.push_back(requirements(terms.item(t)));
  if (object.json().contains("volumes")) {
    const View volumes = object.at("volumes");
    for (std::size_t v = 0, all = volumes.list(); v < all; ++v) {
      constraint.volumes.emplace_back();
      for (std::size_t t = 0, rows = volumes.item(v).list(); t < rows; ++t)
        constraint.volumes.back().push_back(requirements(volumes.item(v).item(t)));
    }
  }
  const View tolerations = object.at("tolerations");
  for (std::size_t t = 0, rows = tolerations.rows(4); t < rows; ++t) {
    const View row = tolerations.item(t);
    constraint.tolerations.push_back(
        {row.cell(0, Text{}), row.cell(2, Text{}), row.cell(3, Text{}), row.cell(1, Text{}) == "Exists"});
  }
  return constraint;
}

nlohmann::ordered_json constraint_json(const PlacementConstraint& constraint) {
  nlohmann::ordered_json json = {{"required", requirements_json(constraint.required)},
                                 {"anyOf", terms_json(constraint.any_of)},
                                 {"tolerations", nlohmann::ordered_json::array()}};
  for (const auto& terms : constraint.volumes) json["volumes"].push_back(terms_json(terms));
  for (const Toleration& toleration : constraint.tolerations)
    json["tolerations"].push_back(
        {toleration.key, toleration.exists ? "Exists" : "Equal", toleration.value, toleration.effect});
  return json;
}

}  // namespace lips
