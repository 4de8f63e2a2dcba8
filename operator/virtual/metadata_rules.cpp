#include "virtual/metadata_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace lips::virtual_cluster {
namespace {

constexpr std::size_t longest_name = 253, longest_label = 63;

bool is_small(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_capital(char letter) { return letter >= 'A' && letter <= 'Z'; }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_plain(char letter) { return is_small(letter) || is_capital(letter) || is_digit(letter); }

// The part of a key behind its prefix, and every value but the empty one.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= longest_label && is_plain(text.front()) && is_plain(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char each) { return is_plain(each) || each == '-' || each == '_' || each == '.'; });
}

std::string invalid(const char* field, const std::string& value, const char* why) {
  return fmt::format("metadata.{}: Invalid value: \"{}\": {}", field, value, why);
}

bool is_finalizer(std::string_view name, bool custom) {
  if (custom) return is_label_key(name);
  if (name == "orphan" || name == "foregroundDeletion" || name == "kubernetes") return true;
  return name.find('/') != std::string_view::npos && is_label_key(name);
}

}  // namespace

bool is_object_name(std::string_view name) {
  if (name.empty() || name.size() > longest_name) return false;
  char before = '.';
  for (const char letter : name) {
    const bool inner = is_small(letter) || is_digit(letter);
    if (!inner && letter != '-' && letter != '.') return false;
    if (!inner && (before == '.' || (letter == '.' && before == '-'))) return false;
    before = letter;
  }
  return before != '-' && before != '.';
}

bool is_label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return is_word(key);
  return is_object_name(key.substr(0, slash)) && is_word(key.substr(slash + 1));
}

bool is_label_value(std::string_view value) { return value.empty() || is_word(value); }

bool has_right_types(const Json& metadata) {
  if (!metadata.is_object()) return metadata.is_null();
  const auto are_texts = [](const Json& list) {
    return std::all_of(list.begin(), list.end(), [](const Json& each) { return each.is_string(); });
  };
  for (const auto& [field, value] : metadata.items()) {
    if (value.is_null()) continue;
    bool right = true;
    if (field == "labels" || field == "annotations")
      right = value.is_object() && are_texts(value);
    else if (field == "finalizers")
      right = value.is_array() && are_texts(value);
    else if (field == "ownerReferences")
      right = value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& e) { return e.is_object(); });
    else if (field == "name" || field == "generateName" || field == "namespace" || field == "uid" ||
             field == "resourceVersion")
      right = value.is_string();
    if (!right) return false;
  }
  return true;
}

void label_with_name(Json& metadata) {
  Json& labels = metadata["labels"];
  if (!labels.is_object()) labels = Json::object();
  labels["kubernetes.io/metadata.name"] = text_in(metadata, "name");
}

std::string metadata_fault(const Json& metadata, const Json& before, bool custom) {
  const std::string name = text_in(metadata, "name");
  if (!is_object_name(name)) return invalid("name", name, "a lowercase RFC 1123 subdomain is needed");
  const auto labels = metadata.find("labels");
  if (labels != metadata.end() && labels->is_object())
    for (const auto& [key, value] : labels->items()) {
      if (!is_label_key(key)) return invalid("labels", key, "name part must consist of alphanumeric characters");
      if (!value.is_string() || !is_label_value(value.get<std::string>()))
        return invalid("labels", value.is_string() ? value.get<std::string>() : value.dump(),
                       "a valid label must be an empty string or consist of alphanumeric characters");
    }
  const bool leaves = before.is_object() && before.contains("deletionTimestamp");
  const Json old = before.is_object() ? before.value("finalizers", Json::array()) : Json::array();
  for (const Json& finalizer : metadata.value("finalizers", Json::array())) {
    const std::string text = finalizer.is_string() ? finalizer.get<std::string>() : finalizer.dump();
    if (!is_finalizer(text, custom))
      return invalid("finalizers", text, "name is neither a standard finalizer name nor is it fully qualified");
    if (leaves && std::find(old.begin(), old.end(), finalizer) == old.end())
      return fmt::format(
          "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new "
          "finalizers [\"{}\"]",
          text);
  }
  return "";
}

}  // namespace lips::virtual_cluster
