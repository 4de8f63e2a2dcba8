// The name nodes of HDFS from which data sets may be discovered, and by whom: data.discoverFrom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lips {

class YamlMap;

struct NameNode {
  std::string url;  // without a slash at its end
  // Namespaces whose data sets may be discovered there; "*", or empty: all.
  std::vector<std::string> name_spaces;
  // Folders in which they may be discovered. Empty: anywhere where name_spaces are named, else in /user/NAMESPACE.
  std::vector<std::string> paths;
  std::string user;  // that a data set may name; empty: none
  friend bool operator==(const NameNode&, const NameNode&) = default;
};

// A text in the list is the URL alone.
std::vector<NameNode> read_name_nodes(YamlMap& fields, std::string_view key);
std::string name_nodes_text(const std::vector<NameNode>& nodes);

}  // namespace lips
