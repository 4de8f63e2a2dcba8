#include "kubernetes/pods/data_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace lips::kubernetes {
namespace {

using Service = DataPath::Service;

constexpr std::size_t longest_path = 4096;
constexpr std::size_t longest_quote = 200;

tl::unexpected<Error> wrong(const std::string& text, std::string_view allowed) {
  return fail(ErrorCode::invalid_input, fmt::format("found '{}'; allowed: {}", beginning_of(text), allowed));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::optional<Service> service_of(const std::string& scheme) {
  static constexpr std::array<std::pair<std::string_view, Service>, 5> services{{{"s3", Service::s3},
                                                                                 {"s3a", Service::s3},
                                                                                 {"s3n", Service::s3},
                                                                                 {"gs", Service::google},
                                                                                 {"hdfs", Service::hdfs}}};
  for (const auto& [name, service] : services)
    if (name == scheme) return service;
  return std::nullopt;
}

// Hadoop takes several slashes for one. None: the path has a part that is '.' or '..'.
std::optional<std::string> plain(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(path.size(), end + 1));
    if (part == "." || part == "..") return std::nullopt;
    if (part.empty()) continue;
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

// The text between "://" and the first slash.
std::string_view authority_of(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return {};
  url.remove_prefix(colon + 3);
  return url.substr(0, url.find('/'));
}

}  // namespace

std::string beginning_of(const std::string& text) {
  if (text.size() <= longest_quote) return text;
  std::size_t end = longest_quote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// "namenode:8020", "[::1]:8020".
std::string host_of(std::string_view url) {
  const std::string_view authority = authority_of(url);
  const std::size_t bracket = authority.rfind(']'), colon = authority.rfind(':');
  const bool port = colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  return lower(std::string(authority.substr(0, port ? colon : authority.size())));
}

Result<DataPath> read_data_path(const std::string& text) {
  if (text.size() > longest_path)
    return fail(ErrorCode::invalid_input,
                fmt::format("found a path of {} bytes; allowed: at most {}", text.size(), longest_path));
  const std::string authority(authority_of(text));
  if (authority.find('@') != std::string::npos)  // what stands before it may be a secret, and messages are for many
    return fail(ErrorCode::invalid_input,
                "found a path with '@' before its first folder; allowed: no user, no password");
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return fail(ErrorCode::invalid_input, "found a path with control characters; allowed: none");
  const std::size_t colon = text.find("://");
  const std::optional<Service> service =
      colon == std::string::npos ? std::nullopt : service_of(lower(text.substr(0, colon)));
  if (!service)
    return wrong(text, "paths that begin with s3://, s3a://, s3n://, gs:// or hdfs://, or a DataSet's name");
  std::optional<std::string> path = plain(std::string_view(text).substr(colon + 3 + authority.size()));
  if (!path) return wrong(text, "a path without '.' and '..'");
  if (*service == Service::hdfs) return DataPath{*service, host_of(text), *std::move(path)};
  if (authority.empty()) return wrong(text, "a path with the name of a bucket");
  return DataPath{*service, authority, *std::move(path)};
}

}  // namespace lips::kubernetes
