#include "kubernetes/api/api_request.h"

#include <fmt/format.h>

#include <algorithm>

namespace lips::kubernetes {

std::string_view verb_name(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "get";
    case Verb::list:
      return "list";
    case Verb::watch:
      return "watch";
    case Verb::create:
      return "create";
    case Verb::update:
      return "update";
    case Verb::patch:
      return "patch";
    case Verb::remove:
      return "delete";
  }
  return "";
}

// /api/VERSION/... or /apis/GROUP/VERSION/..., then perhaps namespaces/NAME/, then RESOURCE/NAME/SUBRESOURCE.
std::string resource_of_path(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string_view> words;
  for (std::size_t begin = 1; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    words.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  std::size_t at = !words.empty() && words.front() == "apis" ? 3 : 2;
  if (at + 2 < words.size() && words[at] == "namespaces") at += 2;
  if (at >= words.size()) return "";
  std::string resource(words[at]);
  if (at + 2 < words.size()) resource.append("/").append(words[at + 2]);
  return resource;
}

std::string url_host(const std::string& address) {
  return address.find(':') != std::string::npos ? '[' + address + ']' : address;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       std::string_view("-._~").find(letter) != std::string_view::npos;
    if (plain)
      result += letter;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return result;
}

}  // namespace lips::kubernetes
