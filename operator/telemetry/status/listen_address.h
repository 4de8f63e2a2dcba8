// "0.0.0.0:8080" as a host and a port. Opens nothing.
#pragma once

#include <string>

#include "base/result.h"

namespace lips {

struct ListenAddress {
  std::string host;
  int port = 0;  // 0: any free one
};

// `key`: of the configuration, for the message.
Result<ListenAddress> parse_listen_address(const std::string& key, const std::string& text);

}  // namespace lips
