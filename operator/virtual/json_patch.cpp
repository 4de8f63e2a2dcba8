#include "virtual/json_patch.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace lips::virtual_cluster {
namespace {

// The field by which the elements of a list merge (patchMergeKey of the Kubernetes types); empty: the list is replaced.
std::string_view merge_key(std::string_view list) {
  if (list == "schedulingGates" || list == "containers" || list == "volumes") return "name";
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

}  // namespace

void merge_patch(Json& object, const Json& patch) { object.merge_patch(patch); }

void strategic_merge_patch(Json& object, const Json& patch) {
  if (!patch.is_object()) {
    object = patch;
    return;
  }
  if (!object.is_object()) object = Json::object();
  for (const auto& [field, change] : patch.items()) {
    const std::string_view key = change.is_array() ? merge_key(field) : "";
    if (change.is_null()) {
      object.erase(field);
    } else if (!key.empty()) {
      merge_lists(object[field], change, std::string(key));
      if (object[field].empty()) object.erase(field);
    } else {
      strategic_merge_patch(object[field], change);
    }
  }
}

}  // namespace lips::virtual_cluster
