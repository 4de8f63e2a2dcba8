// The manifests of examples/, as JSON: what `kubectl apply` would send.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lips::kubernetes {

// Plain scalars are numbers and booleans where they read as such; quoted ones stay text.
inline nlohmann::json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& entry : node) object[entry.first.as<std::string>()] = json_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& item : node) list.push_back(json_of(item));
    return list;
  }
  if (node.IsNull()) return nullptr;
  const auto text = node.as<std::string>();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  const auto number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::json(text);
}

struct ExampleObject {
  std::string file;
  nlohmann::json json;
  std::string kind() const { return json.value("kind", ""); }
};

// All objects of all manifests, in the order of the files' names.
inline std::vector<ExampleObject> example_objects() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(LIPS_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<ExampleObject> objects;
  for (const auto& file : files)
    for (const YAML::Node& document : YAML::LoadAllFromFile(file.string()))
      objects.push_back({file.filename().string(), json_of(document)});
  return objects;
}

}  // namespace lips::kubernetes
