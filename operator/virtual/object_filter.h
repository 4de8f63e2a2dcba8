// The objects that a list or a watch asks for: its namespace, labels and fields, read once. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual/api_json.h"
#include "virtual/api_kind.h"
#include "virtual/api_path.h"

namespace lips::virtual_cluster {

class ObjectFilter {
 public:
  // None: a selector that cannot be read, or a field by which this kind cannot be selected.
  static std::optional<ObjectFilter> of(const ApiPath& path, const ApiKind& kind);

  bool selects(const Json& object) const;
  // All that there are in the namespace, or everywhere.
  bool selects_all() const { return labels_.empty() && fields_.empty(); }

 private:
  struct Rule {
    std::string key;  // of a label, or the JSON pointer of a field
    bool wanted = true;
    bool any = false;                 // whatever the value is
    std::vector<std::string> values;  // one of these
  };
  static std::optional<Rule> label_rule(std::string_view text);
  static bool holds(const Rule& rule, const std::string* value);

  std::string name_space_;
  std::vector<Rule> labels_, fields_;
};

}  // namespace lips::virtual_cluster
