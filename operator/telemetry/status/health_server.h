// Answers /healthz and /readyz on its own port and thread. Slow, silent or many clients delay nobody else. Does not
// know what health means.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace lips {

struct Health {
  bool good = true;
  std::string words;  // one line
};

struct HealthQuestions {
  std::function<Health()> alive, ready;  // called on the server's thread; must not block
};

class HealthServer {
 public:
  // Listens on address:port (port 0: any free one) and answers until destruction.
  static Result<std::unique_ptr<HealthServer>> start(const std::string& listen, HealthQuestions questions);
  virtual ~HealthServer() = default;
  virtual int port() const = 0;
};

}  // namespace lips
