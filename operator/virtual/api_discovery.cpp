#include "virtual/api_discovery.h"

#include <map>
#include <set>

#include "virtual/api_kinds.h"
#include "virtual/api_path.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::string_view named_groups = "/apis/";

// /apis/batch/v1/jobs as its group with version and its resource.
struct Place {
  std::string_view group, resource;
};
Place place_of(std::string_view collection) {
  const std::size_t slash = collection.rfind('/');
  return {collection.substr(0, slash), collection.substr(slash + 1)};
}

Json resource(std::string_view name, const ApiKind* kind) {
  Json result{{"name", name}};
  if (!kind) return result;
  result.update({{"singularName", kind->singular},
                 {"namespaced", kind->of_name_space},
                 {"kind", kind->kind},
                 {"verbs", {"create", "delete", "get", "list", "patch", "update", "watch"}}});
  if (*kind->short_name) result["shortNames"] = {kind->short_name};
  if (kind->of_lips) result["categories"] = {"lips"};
  return result;
}

std::optional<Json> resources_of(std::string_view group, const std::vector<std::string>& served) {
  Json resources = Json::array();
  for (const std::string& collection : served) {
    const Place place = place_of(collection);
    if (place.group != group) continue;
    const ApiKind* kind = kind_of_collection(collection);
    resources.push_back(resource(place.resource, kind));
    if (!kind) continue;
    for (const char* part : kind->parts)
      resources.push_back({{"name", std::string(place.resource) + '/' + part},
                           {"singularName", ""},
                           {"namespaced", kind->of_name_space},
                           {"kind", kind->kind},
                           {"verbs", {"get", "patch", "update"}}});
  }
  if (resources.empty()) return std::nullopt;
  return Json{{"kind", "APIResourceList"},
              {"apiVersion", "v1"},
              {"groupVersion", group_version(group)},
              {"resources", std::move(resources)}};
}

Json group_json(const std::string& name, const std::set<std::string>& versions) {
  Json each = Json::array();
  for (const std::string& version : versions)
    each.push_back({{"groupVersion", name + '/' + version}, {"version", version}});
  return {{"name", name}, {"versions", each}, {"preferredVersion", each.back()}};
}

}  // namespace

std::optional<Json> discovered(std::string_view path, const std::vector<std::string>& served) {
  if (path == "/version")
    return Json{{"major", "1"}, {"minor", "31"}, {"gitVersion", "v1.31.0-virtual"}, {"platform", "virtual"}};
  if (path == "/api") return Json{{"kind", "APIVersions"}, {"versions", {"v1"}}};
  std::map<std::string, std::set<std::string>> groups;
  for (const std::string& collection : served) {
    const std::string version = group_version(place_of(collection).group);
    if (const std::size_t slash = version.find('/'); slash != std::string::npos)
      groups[version.substr(0, slash)].insert(version.substr(slash + 1));
  }
  if (path == "/apis") {
    Json list = Json::array();
    for (const auto& [name, versions] : groups) list.push_back(group_json(name, versions));
    return Json{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}};
  }
  if (path.starts_with(named_groups))
    if (const auto group = groups.find(std::string(path.substr(named_groups.size()))); group != groups.end()) {
      Json json = group_json(group->first, group->second);
      json.update({{"kind", "APIGroup"}, {"apiVersion", "v1"}});
      return json;
    }
  return resources_of(path, served);
}

}  // namespace lips::virtual_cluster
