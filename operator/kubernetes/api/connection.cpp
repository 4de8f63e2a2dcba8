#include "kubernetes/api/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "config/yaml_reader.h"

namespace lips::kubernetes {
namespace {

Result<std::string> read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return fail(ErrorCode::invalid_input, fmt::format("{}: cannot be read", file));
  return text;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string without_slash(std::string server) {
  while (server.ends_with('/')) server.pop_back();
  return server;
}

// "http://localhost:8001": what is sent there does not leave the machine.
bool is_loopback(std::string_view server) {
  server.remove_prefix(std::min(server.find("://") + 3, server.size()));
  std::string_view host = server.substr(0, server.find('/'));
  if (host.find('@') != std::string_view::npos) return false;
  host = host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  const bool digits_and_dots = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || (host.starts_with("127.") && digits_and_dots);
}

Result<std::string> text_of(const TextSource& source) {
  return source.file.empty() ? Result<std::string>(source.text) : read_file(source.file);
}

// One kubeconfig while it is read.
struct Kubeconfig {
  std::string file;
  YamlValue root;

  tl::unexpected<Error> wrong(int line, const std::string& what) const {
    return fail(ErrorCode::invalid_input, fmt::format("{}:{}: {}", file, line, what));
  }

  // The mapping `part` of the entry with that name in the list `kind`: users, "u", user.
  Result<const YamlValue*> named(std::string_view kind, const std::string& name, std::string_view part) const {
    const YamlValue* list = root.find(kind);
    if (list)
      for (const YamlValue& item : list->items) {
        const YamlValue* own_name = item.find("name");
        const YamlValue* content = item.find(part);
        if (own_name && own_name->scalar == name && content) return content;
      }
    return wrong(list ? list->line : 1, fmt::format("{}: found no entry with the name '{}'", kind, name));
  }

  static std::string text(const YamlValue& map, std::string_view key) {
    const YamlValue* value = map.find(key);
    return value ? value->scalar : "";
  }

  std::string path(const std::string& written) const {
    return written.empty() ? "" : (std::filesystem::path(file).parent_path() / written).string();
  }

  // FIELD is a path, FIELD-data the content in base64, which takes precedence.
  Result<TextSource> source(const YamlValue& map, const std::string& field) const {
    const std::string data = text(map, field + "-data");
    if (data.empty()) return TextSource{"", path(text(map, field))};
    auto decoded = decode_base64(data);
    if (!decoded) return wrong(map.find(field + "-data")->line, field + "-data: " + decoded.error().message);
    return TextSource{*std::move(decoded), ""};
  }

  Result<void> refuse(const YamlValue& map, std::initializer_list<std::string_view> fields,
                      std::string_view allowed) const {
    for (const std::string_view field : fields)
      if (const YamlValue* found = map.find(field); found && found->scalar != "false")
        return wrong(found->line, fmt::format("{}: is not supported; allowed: {}", field, allowed));
    return {};
  }

  Result<void> read_cluster(const YamlValue& cluster, Connection& connection) const {
    auto plain = refuse(cluster, {"insecure-skip-tls-verify", "tls-server-name", "proxy-url"},
                        "server, certificate-authority, certificate-authority-data");
    if (!plain) return plain;
    connection.server = without_slash(text(cluster, "server"));
    if (!connection.server.starts_with("https://") && !connection.server.starts_with("http://"))
      return wrong(cluster.line, fmt::format("server: found '{}'; allowed: https://host:port", connection.server));
    auto authority = source(cluster, "certificate-authority");
    if (!authority) return tl::unexpected(authority.error());
    connection.authority = *std::move(authority);
    return {};
  }

  Result<void> read_user(const YamlValue& user, Connection& connection) const {
    auto plain = refuse(user, {"exec", "auth-provider", "username", "password", "as", "as-uid", "as-groups"},
                        "token, tokenFile, client-certificate(-data), client-key(-data)");
    if (!plain) return plain;
    connection.token = TextSource{text(user, "token"), path(text(user, "tokenFile"))};
    auto certificate = source(user, "client-certificate");
    if (!certificate) return tl::unexpected(certificate.error());
    auto key = source(user, "client-key");
    if (!key) return tl::unexpected(key.error());
    connection.certificate = *std::move(certificate);
    connection.key = *std::move(key);
    if (connection.certificate.given() != connection.key.given())
      return wrong(user.line, "client-certificate and client-key: found one; allowed: both or none");
    return {};
  }
};

}  // namespace

Result<std::string> decode_base64(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0, padding = 0;
  for (const char letter : text) {
    if (letter == '\n' || letter == '\r' || letter == ' ') continue;
    static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (letter == '=') {
      ++padding;
      continue;
    }
    const std::size_t digit = alphabet.find(letter);
    if (digit == std::string_view::npos || padding > 0)
      return fail(ErrorCode::invalid_input, "found text that is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++count % 4 != 1) bytes += static_cast<char>(bits >> (8 - count % 4 * 2) % 8 & 0xFF);
  }
  if (count % 4 == 1 || padding > 2) return fail(ErrorCode::invalid_input, "found base64 that is cut");
  return bytes;
}

Result<Connection> connection_in_cluster(const std::string& folder) {
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (!host || !port)
    return fail(ErrorCode::not_found, "KUBERNETES_SERVICE_HOST and _PORT are not set: this is not a pod");
  Connection connection;
  const bool bare_v6 = std::string_view(host).find(':') != std::string_view::npos;
  connection.server = bare_v6 ? fmt::format("https://[{}]:{}", host, port) : fmt::format("https://{}:{}", host, port);
  connection.authority.file = folder + "/ca.crt";
  connection.token.file = folder + "/token";
  for (const std::string& file : {connection.authority.file, connection.token.file})
    if (const auto text = read_file(file); !text) return tl::unexpected(text.error());
  const auto name_space = read_file(folder + "/namespace");
  connection.name_space = name_space ? trimmed(*name_space) : "default";
  return connection;
}

Result<Connection> connection_from_kubeconfig(const std::string& file, const std::string& context) {
  auto root = parse_yaml_file(file);
  if (!root) return tl::unexpected(root.error());
  const Kubeconfig config{file, *std::move(root)};
  const std::string name = context.empty() ? Kubeconfig::text(config.root, "current-context") : context;
  const auto chosen = config.named("contexts", name, "context");
  if (!chosen) return tl::unexpected(chosen.error());
  const auto cluster = config.named("clusters", Kubeconfig::text(**chosen, "cluster"), "cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  const auto user = config.named("users", Kubeconfig::text(**chosen, "user"), "user");
  if (!user) return tl::unexpected(user.error());
  Connection connection;
  if (const auto read = config.read_cluster(**cluster, connection); !read) return tl::unexpected(read.error());
  if (const auto read = config.read_user(**user, connection); !read) return tl::unexpected(read.error());
  if (connection.token.given() && connection.server.starts_with("http://") && !is_loopback(connection.server))
    return config.wrong((*cluster)->line,
                        fmt::format("server: found '{}' for a user with a token, which anybody on the way could read; "
                                    "allowed: https://host:port, or http:// with localhost, 127.0.0.1 or [::1]",
                                    connection.server));
  const bool may_compress = Kubeconfig::text(**cluster, "disable-compression") != "true";
  connection.compresses_lists = may_compress && !is_loopback(connection.server);
  connection.name_space = Kubeconfig::text(**chosen, "namespace");
  if (connection.name_space.empty()) connection.name_space = "default";
  return connection;
}

CredentialReader::CredentialReader(Connection connection, std::chrono::seconds keep)
    : connection_(std::move(connection)), keep_(keep) {}

Result<const Credentials*> CredentialReader::read(SteadyTime now) {
  if (fresh_ && now - read_at_ < keep_) return &current_;
  const auto authority = text_of(connection_.authority);
  const auto token = text_of(connection_.token);
  const auto certificate = text_of(connection_.certificate);
  const auto key = text_of(connection_.key);
  for (const auto* text : {&authority, &token, &certificate, &key})
    if (!*text) return any_ ? Result<const Credentials*>(&current_) : tl::unexpected(text->error());
  current_ = Credentials{*authority, trimmed(*token), *certificate, *key};
  read_at_ = now;
  fresh_ = any_ = true;
  return &current_;
}

}  // namespace lips::kubernetes
