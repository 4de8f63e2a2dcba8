#include "kubernetes/data/hdfs_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/hdfs_path.h"

namespace lips::kubernetes {
namespace {

bool admits(const NameNode& node, const std::string& name_space) {
  return node.name_spaces.empty() ||
         std::any_of(node.name_spaces.begin(), node.name_spaces.end(),
                     [&](const std::string& each) { return each == "*" || each == name_space; });
}

std::vector<std::string> folders_of(const NameNode& node, const std::string& name_space) {
  if (!node.paths.empty()) return node.paths;
  return {node.name_spaces.empty() ? "/user/" + name_space : "/"};
}

// The same address, apart from slashes at its end. One below it may lead to another cluster, or into its paths.
bool is_address_of(std::string url, const NameNode& node) {
  while (url.ends_with('/')) url.pop_back();
  return url == node.url;
}

std::string shown(const std::string& text) { return text.substr(0, 200); }

}  // namespace

std::string foreign_hdfs(const DiscoveryRequest& hdfs, const std::string& name_space,
                         const std::vector<NameNode>& name_nodes) {
  const auto path = hdfs_names(hdfs.path);
  if (!path)
    return fmt::format(
        "spec.discover.hdfs.path: found '{}'; allowed: a path from the root, without //, . and .. in it, %-encoded or "
        "not, and without control characters",
        shown(hdfs.path));
  bool listed = false, admitted = false;
  std::vector<std::string> folders, users;
  for (const NameNode& node : name_nodes) {
    if (!is_address_of(hdfs.url, node)) continue;
    listed = true;
    if (!admits(node, name_space)) continue;
    admitted = true;
    const std::vector<std::string> own = folders_of(node, name_space);
    folders.insert(folders.end(), own.begin(), own.end());
    const bool below = std::any_of(own.begin(), own.end(), [&](const std::string& folder) {
      const auto names = hdfs_names(folder);
      return names && is_below(*path, *names);
    });
    if (!below) continue;
    if (hdfs.user.empty() || hdfs.user == node.user) return {};
    users.push_back(node.user.empty() ? "none" : "none or '" + node.user + "'");
  }
  if (!listed)
    return fmt::format(
        "spec.discover.hdfs.url: found '{}'; allowed: what the operator's configuration lists under data.discoverFrom",
        shown(hdfs.url));
  if (!admitted)
    return fmt::format(
        "spec.discover.hdfs.url: found '{}' in namespace {}; allowed: the namespaces that the operator's configuration "
        "lists for it under data.discoverFrom",
        shown(hdfs.url), name_space);
  if (users.empty())
    return fmt::format(
        "spec.discover.hdfs.path: found '{}' in namespace {}; allowed there under data.discoverFrom of the operator's "
        "configuration: {} and what is below",
        shown(hdfs.path), name_space, shown(fmt::format("{}", fmt::join(folders, ", "))));
  return fmt::format(
      "spec.discover.hdfs.user: found '{}' in namespace {}; allowed there under data.discoverFrom of the operator's "
      "configuration: {}",
      shown(hdfs.user), name_space, shown(fmt::format("{}", fmt::join(users, ", "))));
}

}  // namespace lips::kubernetes
