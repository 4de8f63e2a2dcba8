#include "virtual/object_filter.h"

#include <algorithm>

#include "virtual/metadata_rules.h"

namespace lips::virtual_cluster {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The parts between commas that are not in parentheses.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return trimmed(text).empty() ? std::vector<std::string_view>{} : parts;
}

}  // namespace

// key, !key, key=value, key==value, key!=value, key in (value, ...), key notin (value, ...)
std::optional<ObjectFilter::Rule> ObjectFilter::label_rule(std::string_view text) {
  Rule rule;
  const std::size_t equals = text.find('='), open = text.find('(');
  if (open != std::string_view::npos && text.ends_with(')')) {
    std::string_view head = trimmed(text.substr(0, open));
    const std::size_t blank = head.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    const std::string_view word = trimmed(head.substr(blank));
    if (word != "in" && word != "notin") return std::nullopt;
    rule.wanted = word == "in";
    rule.key = head.substr(0, blank);
    text = text.substr(open + 1, text.size() - open - 2);
    for (const std::string_view value : parts_of(text)) rule.values.emplace_back(value);
  } else if (equals == std::string_view::npos) {
    rule.any = true;
    rule.wanted = !text.starts_with('!');
    rule.key = text.substr(rule.wanted ? 0 : 1);
  } else {
    rule.wanted = equals == 0 || text[equals - 1] != '!';
    rule.key = trimmed(text.substr(0, rule.wanted ? equals : equals - 1));
    text.remove_prefix(equals + 1);
    if (text.starts_with('=') && rule.wanted) text.remove_prefix(1);
    rule.values.emplace_back(trimmed(text));
  }
  const bool good = is_label_key(rule.key) && std::all_of(rule.values.begin(), rule.values.end(), is_label_value);
  return good ? std::optional(rule) : std::nullopt;
}

std::optional<ObjectFilter> ObjectFilter::of(const ApiPath& path, const ApiKind& kind) {
  ObjectFilter filter;
  filter.name_space_ = path.name_space;
  const std::string labels = path.query_value("labelSelector"), fields = path.query_value("fieldSelector");
  for (const std::string_view part : parts_of(labels)) {
    const auto rule = label_rule(part);
    if (!rule) return std::nullopt;
    filter.labels_.push_back(*rule);
  }
  for (const std::string_view part : parts_of(fields)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    Rule rule;
    rule.wanted = part[equals - 1] != '!';
    const std::string name(part.substr(0, rule.wanted ? equals : equals - 1));
    std::string_view value = part.substr(equals + 1);
    if (value.starts_with('=')) value.remove_prefix(1);
    rule.values.emplace_back(value);
    if (name != "metadata.name" && name != "metadata.namespace" &&
        std::find(kind.fields.begin(), kind.fields.end(), name) == kind.fields.end())
      return std::nullopt;
    rule.key = '/' + name;
    std::replace(rule.key.begin(), rule.key.end(), '.', '/');
    filter.fields_.push_back(std::move(rule));
  }
  return filter;
}

bool ObjectFilter::holds(const Rule& rule, const std::string* value) {
  const bool found =
      value && (rule.any || std::find(rule.values.begin(), rule.values.end(), *value) != rule.values.end());
  return found == rule.wanted;
}

bool ObjectFilter::selects(const Json& object) const {
  const Json& metadata = object.at("metadata");
  if (!name_space_.empty() && metadata.value("namespace", "") != name_space_) return false;
  const auto labels = metadata.find("labels");
  for (const Rule& rule : labels_) {
    const std::string* value = nullptr;
    if (labels != metadata.end() && labels->is_object()) {
      const auto found = labels->find(rule.key);
      if (found != labels->end()) value = found->get_ptr<const std::string*>();
    }
    if (!holds(rule, value)) return false;
  }
  for (const Rule& rule : fields_) {
    const Json::json_pointer place(rule.key);
    const Json found = object.contains(place) ? object.at(place) : Json("");
    const std::string value = found.is_string() ? found.get<std::string>() : found.dump();
    if (!holds(rule, &value)) return false;
  }
  return true;
}

}  // namespace lips::virtual_cluster
