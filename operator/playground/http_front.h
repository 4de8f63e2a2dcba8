// The virtual API server over HTTP, for kubectl, curl and a browser, and the controls of its clock. Each request is a
// task of the loop, so the cluster still has one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "playground/paced_loop.h"
#include "virtual/api_server.h"

namespace lips::playground {

using virtual_cluster::ApiServer;
using virtual_cluster::Json;

struct FrontQuestions {
  std::function<Json()> facts;  // of the cluster: names with values, beside those of the clock; on the loop's thread
  // The page at the root: from facts and clock (time, speed, stopped), and the name and port by which the visitor
  // calls.
  std::function<std::string(const Json& facts, const std::string& host)> page;
};

class HttpFront {
 public:
  // Answers on the loop's thread until destruction, which takes place there too, or when the loop has ended. The server
  // and the loop outlive it. An
  // address of this machine alone answers only those who call it by such a name. Error: unavailable.
  static Result<std::unique_ptr<HttpFront>> start(const std::string& host, int port, ApiServer& server, PacedLoop& loop,
                                                  FrontQuestions questions);
  virtual ~HttpFront() = default;
  virtual int port() const = 0;
};

}  // namespace lips::playground
