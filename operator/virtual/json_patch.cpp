#include "virtual/json_patch.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace lips::virtual_cluster {
namespace {

// The field by which the elements of a list merge (patchMergeKey of the Kubernetes types); empty: the list is replaced.
std::string_view merge_key(std::string_view list) {
  for (const char* by_name : {"schedulingGates", "containers", "initContainers", "volumes", "env"})
    if (list == by_name) return "name";
  if (list == "conditions") return "type";
  return list == "ownerReferences" ? "uid" : "";
}

void merge_lists(Json& list, const Json& patch, const std::string& key) {
  if (!list.is_array()) list = Json::array();
  for (const Json& change : patch) {
    const auto same = [&](const Json& each) { return each.value(key, Json()) == change.value(key, Json()); };
    const auto place = std::find_if(list.begin(), list.end(), same);
    if (change.value("$patch", "") == "delete") {
      if (place != list.end()) list.erase(place);
    } else if (place == list.end()) {
      strategic_merge_patch(list.emplace_back(), change);
    } else {
      strategic_merge_patch(*place, change);
    }
  }
}

// Those of the patch, then the others.
Json joined(const Json& list, const Json& patch) {
  Json result = patch;
  if (!list.is_array()) return result;
  for (const Json& each : list)
    if (std::find(patch.begin(), patch.end(), each) == patch.end()) result.push_back(each);
  return result;
}

Json without(const Json& list, const Json& words) {
  Json result = Json::array();
  for (const Json& each : list)
    if (std::find(words.begin(), words.end(), each) == words.end()) result.push_back(each);
  return result;
}

constexpr std::string_view taken_from = "$deleteFromPrimitiveList/";

}  // namespace

void merge_patch(Json& object, const Json& patch) { object.merge_patch(patch); }

void strategic_merge_patch(Json& object, const Json& patch) {
  if (!patch.is_object()) {
    object = patch;
    return;
  }
  if (!object.is_object()) object = Json::object();
  if (text_in(patch, "$patch") == "replace") object = Json::object();
  for (const auto& [field, change] : patch.items()) {
    if (field.starts_with(taken_from) && change.is_array()) {
      const std::string list = field.substr(taken_from.size());
      if (object.contains(list)) object[list] = without(object[list], change);
    }
    if (field.starts_with('$')) continue;
    const std::string_view key = change.is_array() ? merge_key(field) : "";
    if (change.is_null()) {
      object.erase(field);
    } else if (!key.empty()) {
      merge_lists(object[field], change, std::string(key));
      if (object[field].empty()) object.erase(field);
    } else if (field == "finalizers" && change.is_array()) {
      object[field] = joined(object.value(field, Json()), change);
    } else {
      strategic_merge_patch(object[field], change);
    }
  }
}

}  // namespace lips::virtual_cluster
