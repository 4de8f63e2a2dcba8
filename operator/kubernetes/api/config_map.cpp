#include "kubernetes/api/config_map.h"

#include <nlohmann/json.hpp>

namespace lips::kubernetes {

TextMap config_map_texts(const std::string& object) {
  TextMap texts;
  const auto json = nlohmann::json::parse(object, nullptr, false);
  if (!json.is_object() || !json.contains("data") || !json["data"].is_object()) return texts;
  for (const auto& [key, value] : json["data"].items())  // in the order of the keys
    if (value.is_string()) texts.emplace_back(key, value.get<std::string>());
  return texts;
}

}  // namespace lips::kubernetes
