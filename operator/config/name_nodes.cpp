#include "config/name_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/hdfs_path.h"
#include "config/yaml_reader.h"
#include "config/yaml_text.h"

namespace lips {
namespace {

// No query, fragment, user or password: the path and the user of a data set follow it in the addresses that are asked.
bool is_address(std::string_view url) {
  const std::size_t host = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : url.size();
  return host < url.size() && url[host] != '/' && std::all_of(url.begin(), url.end(), [](char c) {
           return static_cast<unsigned char>(c) > 0x20 && c != 0x7f &&
                  std::string_view("?#@\"'\\").find(c) == std::string_view::npos;
         });
}

std::string list_text(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return "[" + list + "]";
}

NameNode name_node(YamlMap& fields) {
  NameNode node;
  if (fields.require("url")) node.url = fields.text("url");
  node.name_spaces = fields.texts("namespaces");
  node.paths = fields.texts("paths");
  node.user = fields.text("user");
  for (const std::string& path : node.paths)
    if (!path.starts_with('/') || !hdfs_names(path))
      fields.error("paths", "'" + path + "'",
                   "folders from the root, such as /warehouse, without //, . and .. in them, %-encoded or not");
  for (const char* key : {"namespaces", "paths"})
    if (fields.has(key) && fields.texts(key).empty())
      fields.error(key, "an empty list", "one item at least, or no such field");
  return node;
}

}  // namespace

std::vector<NameNode> read_name_nodes(YamlMap& fields, std::string_view key) {
  std::vector<NameNode> nodes;
  for (auto& [text, item] : fields.texts_or_maps(key)) {
    NameNode node = item ? name_node(*item) : NameNode{text, {}, {}, ""};
    if (item) item->finish();
    if (!is_address(node.url))
      fields.error(key, "'" + node.url + "'", "addresses such as http://namenode:9870, or https, without ?, # and @");
    while (node.url.ends_with('/')) node.url.pop_back();
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::string name_nodes_text(const std::vector<NameNode>& nodes) {
  std::string list;
  for (const NameNode& node : nodes) {
    list += list.empty() ? "" : ", ";
    if (node == NameNode{node.url, {}, {}, ""}) {
      list += quoted(node.url);
      continue;
    }
    list += "{url: " + quoted(node.url);
    if (!node.name_spaces.empty()) list += ", namespaces: " + list_text(node.name_spaces);
    if (!node.paths.empty()) list += ", paths: " + list_text(node.paths);
    if (!node.user.empty()) list += ", user: " + quoted(node.user);
    list += "}";
  }
  return "[" + list + "]";
}

}  // namespace lips
