// Serves a few texts over HTTP: metrics, health, readiness and the status page. Knows nothing of what they say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace lips {

struct Health {
  bool good = true;
  std::string words;  // one line
};

struct QueryAnswer {
  int status = 200;
  std::string json;
};

struct ServedTexts {
  std::function<std::string()> page, metrics;
  std::function<Health()> alive, ready;
  // /new-data?key=value&...; none: there is no such path
  std::function<QueryAnswer(const std::map<std::string, std::string>&)> new_data = {};
};

class StatusServer {
 public:
  // Listens on address:port (port 0: any free one) and answers until destruction. The functions are called on threads
  // of the server's own.
  static Result<std::unique_ptr<StatusServer>> start(const std::string& listen, ServedTexts texts);
  virtual ~StatusServer() = default;
  virtual int port() const = 0;
};

}  // namespace lips
