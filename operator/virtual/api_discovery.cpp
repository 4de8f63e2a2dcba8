#include "virtual/api_discovery.h"

#include <map>
#include <set>

#include "virtual/printed_kinds.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::string_view named_groups = "/apis/";

// "batch/v1" of the collection /apis/batch/v1/jobs; empty: it is in no named group.
std::string_view group_version(std::string_view collection) {
  if (!collection.starts_with(named_groups)) return "";
  return collection.substr(named_groups.size(), collection.rfind('/') - named_groups.size());
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
    const std::string_view version = group_version(collection);
    if (const std::size_t slash = version.find('/'); slash != std::string_view::npos)
      groups[std::string(version.substr(0, slash))].emplace(version.substr(slash + 1));
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
  return std::nullopt;
}

void add_words(std::string_view collection, Json& resource) {
  const PrintedKind* kind = printed_kind(collection);
  if (kind && *kind->short_name) resource["shortNames"] = {kind->short_name};
  if (kind && kind->of_lips) resource["categories"] = {"lips"};
}

}  // namespace lips::virtual_cluster
