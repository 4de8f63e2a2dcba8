#include "one_definition.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>

namespace lips::architecture {
namespace {

// Where the literal or comment that begins at `at` ends, one past its last letter; `at` where none begins there.
std::size_t end_of_noise(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return after("\n", at) - (text.find('\n', at) != std::string_view::npos);
  if (rest.starts_with("/*")) return after("*/", at + 2);
  if (rest.starts_with("R\"")) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return at;
    return after(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  if (text[at] == '#') return after("\n", at) - 1;
  const bool digits = text[at] == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
  if (text[at] != '"' && (text[at] != '\'' || digits)) return at;
  for (std::size_t next = at + 1; next < text.size(); ++next) {
    if (text[next] == '\\')
      ++next;
    else if (text[next] == text[at])
      return next + 1;
  }
  return text.size();
}

// Without comments, literals and preprocessor lines: braces in them open nothing.
std::string code_of(std::string_view text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_noise(text, at);
    code += end > at ? ' ' : text[at];
    at = std::max(end, at + 1);
  }
  return code;
}

struct Scope {
  enum class Kind { named, unnamed, other } kind = Kind::other;
  std::string name;
};

// The scope that the words before a brace open, and the type that they define if they do.
struct Opened {
  Scope scope;
  std::optional<std::string> type;
};

Opened opened_by(const std::string& head) {
  static const std::regex space(R"((?:^|\s)(?:inline\s+)?namespace\s*([\w:]*)\s*$)");
  static const std::regex type(
      R"((?:^|[\s>])(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:\[\[.*\]\]\s*)?(\w+)\s*(?:final\s*)?(?::(?!:)[\s\S]*)?$)");
  std::smatch match;
  if (std::regex_search(head, match, space)) {
    if (match[1].length() == 0) return {{Scope::Kind::unnamed, ""}, {}};
    return {{Scope::Kind::named, match[1].str()}, {}};
  }
  if (std::regex_search(head, match, type)) return {{}, match[1].str()};
  return {};
}

}  // namespace

std::vector<std::string> defined_types(std::string_view text) {
  std::vector<std::string> found;
  std::vector<Scope> scopes;
  std::string head;
  for (const char letter : code_of(text)) {
    if (letter == '{') {
      const Opened opened = opened_by(head);
      std::string qualified;
      bool visible = true;
      for (const Scope& scope : scopes) {
        visible = visible && scope.kind == Scope::Kind::named;
        qualified += scope.name + "::";
      }
      if (opened.type && visible) found.push_back(qualified + *opened.type);
      scopes.push_back(opened.scope);
    }
    if (letter == '}' && !scopes.empty()) scopes.pop_back();
    if (letter == '{' || letter == '}' || letter == ';')
      head.clear();
    else
      head += letter;
  }
  return found;
}

std::map<std::string, std::vector<std::string>> defined_twice(const std::map<std::string, std::string>& text_by_path) {
  std::map<std::string, std::vector<std::string>> places;
  for (const auto& [path, text] : text_by_path)
    for (const std::string& type : defined_types(text)) places[type].push_back(path);
  std::erase_if(places, [](const auto& place) { return place.second.size() < 2; });
  return places;
}

}  // namespace lips::architecture
