// Objects of the API as JSON values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lips::virtual_cluster {

using Json = nlohmann::json;

// A field of an object; empty or null where it is none, or another type.
inline std::string text_in(const Json& object, const char* field) {
  if (!object.is_object()) return "";
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
// The same without a copy.
inline const Json& look_in(const Json& object, const char* field) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(field);
  return found == object.end() ? nothing : *found;
}
inline Json part_in(const Json& object, const char* field) { return look_in(object, field); }

}  // namespace lips::virtual_cluster
