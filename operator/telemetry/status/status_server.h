// Serves a few texts over HTTP: metrics, the status page, and health if that has no port of its own. Knows neither
// their content nor who may read them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "telemetry/status/health_server.h"

namespace lips {

struct QueryAnswer {
  int status = 200;
  std::string json;
};

struct StateAnswer {
  int status = 200;
  std::string content;  // gzip; for any other status a sentence
};

enum class Admission : std::uint8_t { allowed, unknown, forbidden, unavailable };

struct PageQuestion {
  bool still = false;  // /?still: the page does not keep itself current
  std::string job;     // /?job=NAME: the page of that job; empty: of the whole cluster
  std::string nonce;   // of its script
};

struct ServedTexts {
  std::function<std::string(const PageQuestion&)> page;  // may take seconds
  std::function<std::string()> metrics;
  std::function<Health()> alive, ready;  // none: there are no such paths
  // /new-data?key=value&...; none: there is no such path
  std::function<QueryAnswer(const std::map<std::string, std::string>&)> new_data = {};
  // /state: everything that a plan depends on; may take seconds. None: there is no such path.
  std::function<StateAnswer()> state = {};
  // /status: what the operator does and why, as JSON, on every replica. None: there is no such path.
  std::function<std::string()> status = {};
  // Says whether the bearer of that token may read that path; `token` is empty if the request has none. None: everybody
  // may.
  std::function<Admission(const std::string& token, const std::string& path)> admit = {};
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
