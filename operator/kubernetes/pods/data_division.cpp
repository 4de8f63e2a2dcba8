#include "kubernetes/pods/data_division.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace lips::kubernetes {
namespace {

bool read_member(const nlohmann::json& json, const char* key, std::string& text) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return false;
  text = found->get<std::string>();
  return !text.empty();
}

bool read_member(const nlohmann::json& json, const char* key, std::uint32_t& number) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return false;
  const auto whole = found->get<std::uint64_t>();
  number = static_cast<std::uint32_t>(whole);
  return whole <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

std::string division_text(const SaidDivision& said) {
  const DataDivision& division = said.division;
  const nlohmann::ordered_json json{{"job", said.job},           {"data", said.data_set},     {"tasks", division.tasks},
                  {"first", division.first},   {"blocks", division.blocks}, {"contents", division.contents}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<SaidDivision> read_division(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  SaidDivision said;
  DataDivision& division = said.division;
  const bool whole = json.is_object() && read_member(json, "job", said.job) &&
                     read_member(json, "data", said.data_set) && read_member(json, "tasks", division.tasks) &&
                     read_member(json, "first", division.first) &&
                     read_member(json, "blocks", division.blocks) && read_member(json, "contents", division.contents);
  return whole && division.tasks > 0 && division.tasks <= division.blocks ? std::optional(said) : std::nullopt;
}

}  // namespace lips::kubernetes
