#include "tests/fuzz/mutated_json.h"

#include <array>
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

struct Places {
  std::vector<Json*> values;
  std::vector<std::string> keys;
};

void collect(Json& at, Places& places, int depth = 0) {
  places.values.push_back(&at);
  if (depth > 60) return;
  if (at.is_object())
    for (auto& [key, value] : at.items()) places.keys.push_back(key), collect(value, places, depth + 1);
  if (at.is_array())
    for (Json& value : at) collect(value, places, depth + 1);
}

template <class Items>
auto& any_of(Items& items, Random& random) {
  return items[random.below(items.size())];
}

void change_number(Json& value, Random& random) {
  const double number = value.get<double>();
  const std::array<double, 8> others{number + 1, number - 1,   -number,       number * 2,
                                     number / 2, number * 1e6, number * 1e-6, 0};
  const double changed = any_of(others, random);
  if (value.is_number_float())
    value = changed;
  else if (changed > -9e18 && changed < 9e18)
    value = static_cast<std::int64_t>(changed);
}

void change_text(Json& value, Random& random) {
  std::string text = value.get<std::string>();
  if (text.empty()) return;
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

void change_children(Json& value, const Places& places, Random& random) {
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
    if (random.below(2) == 0) value[any_of(places.keys, random)] = moved;
  }
}

void change_one(Json& root, Random& random) {
  Places places;
  collect(root, places);
  Json& value = *any_of(places.values, random);
  switch (random.below(6)) {
    case 0:
      value = Json(any_of(interesting(), random));
      break;
    case 1: {
      const Json other = *any_of(places.values, random);
      if (other.dump().size() < 4096) value = other;
      break;
    }
    case 2:
      change_children(value, places, random);
      break;
    default:
      if (value.is_number())
        change_number(value, random);
      else if (value.is_string())
        change_text(value, random);
      else if (value.is_boolean())
        value = !value.get<bool>();
      else
        change_children(value, places, random);
  }
}

}  // namespace

std::string mutated_json(std::string_view text, std::uint64_t seed) {
  try {
    Json root = Json::parse(text);
    Random random(seed);
    for (std::uint64_t left = 1 + random.below(4); left > 0; --left) change_one(root, random);
    return root.dump();
  } catch (const Json::exception&) {
    return std::string(text);
  }
}

}  // namespace lips::fuzz
