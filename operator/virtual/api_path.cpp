#include "virtual/api_path.h"

#include <vector>

namespace lips::virtual_cluster {
namespace {

int digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    result += escaped ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (escaped) i += 2;
  }
  return result;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::string ApiPath::query_value(const std::string& key) const {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

std::map<std::string, std::string> parse_query(std::string_view query) {
  std::map<std::string, std::string> values;
  for (const std::string_view pair : split(query, '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    values[decoded(pair.substr(0, equals))] = decoded(pair.substr(std::min(equals + 1, pair.size())));
  }
  return values;
}

std::optional<ApiPath> parse_api_path(std::string_view text) {
  ApiPath path;
  const std::size_t question = text.find('?');
  if (question != std::string_view::npos) path.query = parse_query(text.substr(question + 1));
  const std::vector<std::string_view> parts = split(text.substr(0, question), '/');
  std::size_t at = 0;
  const auto next = [&] { return at < parts.size() ? decoded(parts[at++]) : std::string(); };
  const std::string root = next();
  if (root != "api" && root != "apis") return std::nullopt;
  path.group = '/' + root;
  for (int left = root == "api" ? 1 : 2; left > 0; --left) {
    const std::string part = next();
    if (part.empty()) return std::nullopt;
    path.group += '/' + part;
  }
  path.resource = next();
  // A namespace itself has no object below it but its status.
  if (path.resource == "namespaces" && parts.size() > at + 1 && parts[at + 1] != "status") {
    path.name_space = next();
    path.resource = next();
  }
  path.name = next();
  path.part = next();
  return at == parts.size() ? std::optional(path) : std::nullopt;
}

}  // namespace lips::virtual_cluster
