#include "telemetry/status/listen_address.h"

#include <fmt/format.h>

#include <charconv>

namespace lips {

Result<ListenAddress> parse_listen_address(const std::string& key, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  int port = -1;
  if (colon != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [stopped, code] = std::from_chars(text.data() + colon + 1, end, port);
    if (code != std::errc() || stopped != end || port > 65535) port = -1;
  }
  if (port < 0)
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: expected address:port, such as 0.0.0.0:8080, found '{}'", key, text));
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return ListenAddress{host.empty() ? "0.0.0.0" : host, port};
}

}  // namespace lips
