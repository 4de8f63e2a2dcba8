// The path of a request, taken apart: /api/v1/namespaces/NAMESPACE/pods/NAME/SUBRESOURCE?QUERY. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lips::virtual_cluster {

struct ApiPath {
  std::string group;       // with its version: /api/v1, /apis/batch/v1
  std::string resource;    // plural; empty: the group itself
  std::string name_space;  // empty: of the cluster, or of all namespaces
  std::string name;        // empty: all
  std::string part;        // subresource; empty: none
  std::map<std::string, std::string> query = {};

  std::string query_value(const std::string& key) const;
  std::string collection() const { return group + '/' + resource; }  // of the objects of that kind
};

// The part of a path behind its question mark, decoded.
std::map<std::string, std::string> parse_query(std::string_view query);

// None: no path of an API.
std::optional<ApiPath> parse_api_path(std::string_view path);

}  // namespace lips::virtual_cluster
