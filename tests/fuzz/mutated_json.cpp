#include "tests/fuzz/mutated_json.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/random.h"

namespace lips::fuzz {

namespace {

using Json = nlohmann::ordered_json;

// Values at the borders of what readers take, and texts in the forms that fields have.
const std::vector<Json>& interesting() {
  static const std::vector<Json> values{nullptr,
                                        true,
                                        false,
                                        0,
                                        -0.0,
                                        1,
                                        -1,
                                        2,
                                        64,
                                        255,
                                        65536,
                                        2147483647,
                                        2147483648,
                                        4294967295,
                                        4294967296,
                                        std::int64_t{9223372036854775807},
                                        std::uint64_t{18446744073709551615u},
                                        std::int64_t{-9223372036854775807} - 1,
                                        0.1,
                                        1e-9,
                                        1e-300,
                                        1e9,
                                        1e12,
                                        1e18,
                                        1e300,
                                        1.7976931348623157e308,
                                        "",
                                        "0",
                                        "x",
                                        "-1",
                                        "1e300",
                                        "nan",
                                        "1Ei",
                                        "9223372036854775807",
                                        "1e-9B",
                                        "1B",
                                        "1Gi",
                                        "1048576Ti",
                                        "1ms",
                                        "36525d",
                                        "100m",
                                        "1Gbit/s",
                                        "2026-01-31T12:00:00Z",
                                        "9999-12-31T23:59:59.999999Z",
                                        "0-999999",
                                        "../../etc",
                                        "\x1b[31m",
                                        Json::array(),
                                        Json::object()};
  return values;
}

struct Place {
  Json* value;
  std::string key;  // under which it stands; of the array that holds it
};

void collect(Json& at, const std::string& key, std::vector<Place>& places, int depth = 0) {
  places.push_back({&at, key});
  if (depth > 60) return;
  if (at.is_object())
    for (auto& [name, value] : at.items()) collect(value, name, places, depth + 1);
  if (at.is_array())
    for (Json& value : at) collect(value, key, places, depth + 1);
}

std::vector<Place> places_of(Json& root) {
  std::vector<Place> places;
  collect(root, "", places);
  return places;
}

template <class Items>
auto& any_of(Items& items, Random& random) {
  return items[random.below(items.size())];
}

double changed_number(double number, Random& random) {
  const std::array<double, 10> others{number + 1,   number - 1, -number,       number * 2,    number / 2,
                                      number * 1.1, number / 3, number * 1000, number * 1e-6, 0};
  return any_of(others, random);
}

void change_number(Json& value, Random& random) {
  const double changed = changed_number(value.get<double>(), random);
  if (value.is_number_float())
    value = changed;
  else if (changed > -9e18 && changed < 9e18)
    value = static_cast<std::int64_t>(changed);
}

// "64Mi" with another number in front of its unit.
bool change_amount(std::string& text, Random& random) {
  const std::size_t from = text.find_first_of("0123456789");
  if (from == std::string::npos) return false;
  const std::size_t to = std::min(text.find_first_not_of("0123456789.", from), text.size());
  const double changed = changed_number(std::strtod(text.c_str() + from, nullptr), random);
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.6g", random.below(2) == 0 ? changed : std::trunc(changed));
  text.replace(from, to - from, digits.data());
  return true;
}

void change_text(Json& value, Random& random) {
  std::string text = value.get<std::string>();
  if (text.empty()) return;
  if (random.below(2) == 0 && change_amount(text, random)) {
    value = text;
    return;
  }
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0:
      text.erase(at, 1 + random.below(4));
      break;
    case 1:
      text.insert(at, 1, static_cast<char>(random.below(128)));
      break;
    case 2:
      text[at] = static_cast<char>('0' + random.below(10));
      break;
    default:
      text += text.substr(at);
  }
  value = text;
}

void change_children(Json& value, const std::vector<Place>& places, Random& random) {
  if (value.is_array() && !value.empty()) {
    const std::size_t at = random.below(value.size());
    if (random.below(2) == 0)
      value.erase(at);
    else
      value.push_back(Json(value[at]));
  } else if (value.is_object() && !value.empty()) {
    auto entry = value.begin();
    std::advance(entry, static_cast<std::ptrdiff_t>(random.below(value.size())));
    const Json moved = entry.value();
    if (random.below(2) == 0) value.erase(entry.key());
    if (const std::string& key = any_of(places, random).key; random.below(4) == 0 && !key.empty()) value[key] = moved;
  }
}

// Another value of the same kind, from a place with the same name if there is one: names of nodes for names of nodes.
void change_for_a_neighbour(Place& place, const std::vector<Place>& places, Random& random) {
  std::vector<const Json*> same_name, same_kind;
  for (const Place& other : places) {
    if (other.value == place.value || other.value->type() != place.value->type()) continue;
    same_kind.push_back(other.value);
    if (other.key == place.key) same_name.push_back(other.value);
  }
  const auto& from = !same_name.empty() && random.below(4) != 0 ? same_name : same_kind;
  if (from.empty()) return;
  const Json chosen = *any_of(from, random);
  if (chosen.dump().size() < 4096) *place.value = chosen;
}

void change_in_place(Json& value, const std::vector<Place>& places, Random& random) {
  if (value.is_number())
    change_number(value, random);
  else if (value.is_string())
    change_text(value, random);
  else if (value.is_boolean())
    value = !value.get<bool>();
  else
    change_children(value, places, random);
}

void change_one(Json& root, Random& random) {
  std::vector<Place> places = places_of(root);
  Place& place = any_of(places, random);
  switch (random.below(8)) {
    case 0:
      *place.value = Json(any_of(interesting(), random));
      break;
    case 1:
    case 2:
      change_for_a_neighbour(place, places, random);
      break;
    case 3:
      change_children(*place.value, places, random);
      break;
    default:
      change_in_place(*place.value, places, random);
  }
}

}  // namespace

std::string mutated_json(std::string_view text, std::uint64_t seed) {
  try {
    Json root = Json::parse(text);
    Random random(seed);
    do change_one(root, random);
    while (random.below(2) == 0);
    return root.dump();
  } catch (const Json::exception&) {
    return std::string(text);
  }
}

std::string crossed_json(std::string_view text, std::string_view other, std::uint64_t seed) {
  try {
    Json root = Json::parse(text), giver = Json::parse(other);
    Random random(seed);
    const std::vector<Place> takers = places_of(root), givers = places_of(giver);
    std::vector<std::pair<Json*, const Json*>> pairs;
    for (int tries = 0; tries < 200 && pairs.empty(); ++tries) {
      const Place& from = any_of(givers, random);
      if (!from.value->is_structured() || from.value->empty()) continue;
      for (const Place& to : takers)
        if (to.key == from.key && to.value->type() == from.value->type()) pairs.emplace_back(to.value, from.value);
    }
    if (pairs.empty()) return std::string(text);
    const auto& [to, from] = any_of(pairs, random);
    const auto entry = std::next(from->begin(), static_cast<std::ptrdiff_t>(random.below(from->size())));
    if (to->is_object())
      (*to)[entry.key()] = *entry;
    else
      to->push_back(*entry);
    return root.dump();
  } catch (const Json::exception&) {
    return std::string(text);
  }
}

}  // namespace lips::fuzz
