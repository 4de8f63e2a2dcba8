#include "kubernetes/pods/node_annotations.h"

#include <fmt/format.h>

#include <string_view>

#include "config/quantities.h"

namespace lips::kubernetes {

namespace {

constexpr const char *price_key = "lips.dev/usd-per-hour", *fleet_key = "lips.dev/fleet";
constexpr double most_usd_per_hour = 1e5;  // for a node; more is a mistake, and would spoil the plan for all

std::string wrong(const char* key, const std::string& found, std::string_view allowed) {
  return fmt::format("{}: found '{}'; allowed: {}", key, std::string_view(found).substr(0, 100), allowed);
}

}  // namespace

std::optional<UsdPerHour> stated_price(const Node& node) {
  const std::string* text = find_text(node.annotations, price_key);
  const std::optional<double> price = text ? parse_number(*text) : std::nullopt;
  return price && *price >= 0 && *price <= most_usd_per_hour ? std::optional(UsdPerHour(*price)) : std::nullopt;
}

std::string wrong_note(const Node& node) {
  if (const std::string* price = find_text(node.annotations, price_key); price && !stated_price(node))
    return wrong(price_key, *price, "a number of USD an hour from 0 to 100000, such as 0.2");
  if (const std::string* fleet = find_text(node.labels, fleet_key); fleet && *fleet != "fixed" && *fleet != "elastic")
    return wrong(fleet_key, *fleet, "fixed, elastic");
  return "";
}

std::string WrongNotes::fresh(const Node& node) {
  std::string note = wrong_note(node);
  if (note.empty()) {
    said_.erase(node.meta.name);
    return "";
  }
  std::string& said = said_[node.meta.name];
  if (said == note) return "";
  return said = std::move(note);
}

}  // namespace lips::kubernetes
