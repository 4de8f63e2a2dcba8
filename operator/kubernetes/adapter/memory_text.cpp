#include "kubernetes/adapter/memory_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/fields.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t any_time = std::int64_t{1} << 61;  // microseconds; the difference of two fits
constexpr double most_slots = 1e15;

template <class T>
Json said(const T& value) {
  if constexpr (Described<T>) {
    Json json = Json::object();
    const T at_start{};
    std::apply(
        [&](const auto&... usual) {
          std::apply(
              [&](const auto&... member) {
                std::size_t i = 0;
                const auto one = [&](const auto& is, const auto& was) {
                  const std::string_view name = T::fields[i++];
                  if constexpr (!requires { is.valid(); })  // ids change with every resync
                    if (!(is == was)) json[name] = said(is);
                };
                (one(member, usual), ...);
              },
              members(value));
        },
        members(at_start));
    return json;
  } else if constexpr (requires { value.has_value(); }) {
    return said(*value);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else if constexpr (requires { value.time_since_epoch(); }) {
    return value.time_since_epoch().count();
  } else if constexpr (requires { value.count(); }) {
    return value.count();
  } else {
    return value;
  }
}

// Reads a whole number within the range of the field.
bool read_whole(const Json& json, std::int64_t least, std::int64_t most, std::int64_t& value) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(any_time)) return false;
  value = json.get<std::int64_t>();
  return value >= least && value <= most;
}

// Returns whether the text was valid; if not, leaves the value unchanged.
template <class T>
bool understand(const Json& json, T& value) {
  std::int64_t whole = 0;
  if constexpr (Described<T>) {
    if (!json.is_object()) return false;
    each_field(value, [&](std::string_view name, auto& member) {
      if constexpr (!requires { member.valid(); })
        if (const auto found = json.find(name); found != json.end()) understand(*found, member);
    });
    return true;
  } else if constexpr (requires { value.has_value(); }) {
    typename T::value_type inner{};
    if (!understand(json, inner)) return false;
    value = inner;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
  } else if constexpr (std::is_same_v<T, Locality>) {
    if (!read_whole(json, 0, enum_size<Locality> - 1, whole)) return false;
    value = static_cast<Locality>(whole);
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    if (!read_whole(json, -2, 2, whole)) return false;
    value = static_cast<std::int8_t>(whole);
  } else if constexpr (std::is_integral_v<T>) {
    if (!read_whole(json, 0, std::numeric_limits<T>::max(), whole)) return false;
    value = static_cast<T>(whole);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number() || !(json.get<double>() >= 0 && json.get<double>() <= most_slots)) return false;
    value = json.get<double>();
  } else if constexpr (requires { value.push_back({}); }) {
    T items;
    if (!json.is_array()) return false;
    for (const Json& item : json)
      if (!understand(item, items.emplace_back())) return false;
    value = std::move(items);
  } else if constexpr (requires { value.time_since_epoch(); }) {
    if (!read_whole(json, -any_time, any_time, whole)) return false;
    value = T(Duration(whole));
  } else {
    if (!read_whole(json, 0, any_time, whole)) return false;
    value = T(whole);
  }
  return true;
}

Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

}  // namespace

std::string memory_text(const JobMemory& memory, const std::string& home) {
  Json json = said(memory);
  if (memory.home_decided || !home.empty()) json["home"] = home;
  if (!memory.home_decided && !home.empty())
    json["homeDecided"] = false;  // a home without this field counts as decided
  return json.empty() ? "" : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StoredMemory read_memory(const std::string& text) {
  StoredMemory stored;
  const Json json = parsed(text);
  if (!json.is_object()) return stored;
  understand(json, stored.memory);
  if (const auto home = json.find("home"); home != json.end() && home->is_string()) {
    stored.home = home->get<std::string>();
    if (!json.contains("homeDecided")) stored.memory.home_decided = true;
  }
  return stored;
}

std::string shares_text(const StoredShares& stored) {
  Json json = said(stored.shares);
  json["pools"] = stored.pools;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<StoredShares> read_shares(const std::string& text) {
  const Json json = parsed(text);
  if (!json.is_object() || !json.contains("pools") || !json["pools"].is_array()) return std::nullopt;
  StoredShares stored;
  understand(json, stored.shares);
  for (const Json& pool : json["pools"]) stored.pools.push_back(pool.is_string() ? pool.get<std::string>() : "");
  if (stored.shares.slots.size() != stored.pools.size() + 1) return std::nullopt;
  return stored;
}

std::string debts_text(const std::vector<TargetDebt>& debts) {
  Json json = Json::array();
  for (const TargetDebt& debt : debts)
    json.push_back({{"pool", debt.pool}, {"budget", debt.budget}, {"wait", debt.wait}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<TargetDebt> read_debts(const std::string& text) {
  std::vector<TargetDebt> debts;
  const Json json = parsed(text);
  if (!json.is_array()) return debts;
  const auto number = [](const Json& of, const char* key) {
    const auto found = of.find(key);
    return found != of.end() && found->is_number() && std::isfinite(found->get<double>()) ? found->get<double>() : 0;
  };
  for (const Json& debt : json)
    if (debt.is_object() && debt.contains("pool") && debt["pool"].is_string())
      debts.push_back({debt["pool"].get<std::string>(), number(debt, "budget"), number(debt, "wait")});
  return debts;
}

}  // namespace lips::kubernetes
