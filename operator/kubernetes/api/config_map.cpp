#include "kubernetes/api/config_map.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lips::kubernetes {

namespace {

std::string config_maps_of(const std::string& name_space) {
  return fmt::format("/api/v1/namespaces/{}/configmaps", percent_encoded(name_space));
}

}  // namespace

ApiRequest config_map_read(const std::string& name_space, const std::string& name) {
  ApiRequest request;
  request.path = config_maps_of(name_space) + '/' + percent_encoded(name);
  return request;
}

ApiRequest config_map_write(const std::string& name_space, const std::string& name, Verb verb, const TextMap& texts) {
  nlohmann::json object{{"data", nlohmann::json::object()}};
  for (const auto& [key, text] : texts) object["data"][key] = text;
  ApiRequest request;
  request.verb = verb;
  request.path = config_maps_of(name_space);
  if (verb == Verb::create)
    object["metadata"] = {{"name", name}};
  else
    request.path += '/' + percent_encoded(name);
  if (verb == Verb::patch) request.content_type = merge_patch;
  request.body = object.dump();
  request.repeatable = true;
  return request;
}

TextMap config_map_texts(const std::string& object) {
  TextMap texts;
  const auto json = nlohmann::json::parse(object, nullptr, false);
  if (!json.is_object() || !json.contains("data") || !json["data"].is_object()) return texts;
  for (const auto& [key, value] : json["data"].items())  // in the order of the keys
    if (value.is_string()) texts.emplace_back(key, value.get<std::string>());
  return texts;
}

}  // namespace lips::kubernetes
