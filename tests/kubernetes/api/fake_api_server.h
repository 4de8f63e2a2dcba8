// An HTTP server inside the test that answers as the test says: refusals, slow answers, cut connections, watches by
// hand. Answers are compressed for a client that asks for it.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "kubernetes/api/http_client.h"

namespace lips::kubernetes {

// A watch's body, written line by line while it is read. The server's end closes it.
class Feed {
 public:
  void push(const std::string& bytes);
  void finish();  // the server ends the watch properly
  void cut();     // the connection breaks

  enum class State { open, finished, cut };
  struct Taken {
    std::string bytes;
    State state = State::open;
  };
  // All that has come since the last call.
  Taken take();
  // Calls `told` after each change.
  void follow(std::function<void()> told) { told_ = std::move(told); }

 private:
  friend class FakeApiServer;
  void change(const std::function<void()>& change);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  State state_ = State::open;
  std::function<void()> told_;
};

struct ReceivedRequest {
  std::string method, path, body, authorization, content_type, user_agent, accept_encoding;
  std::multimap<std::string, std::string> query;
  std::string query_value(const std::string& key) const;
};

struct Reply {
  int code = 200;
  std::string body;
  std::optional<int> retry_after;
  bool cut = false;            // the connection breaks before the body is whole
  std::shared_ptr<Feed> feed;  // a watch
  std::optional<TimePoint> date = std::nullopt;
};

class FakeApiServer {
 public:
  using Answering = std::function<Reply(const ReceivedRequest&)>;  // called on several threads
  explicit FakeApiServer(Answering answering);
  ~FakeApiServer();

  Connection connection() const;
  std::vector<ReceivedRequest> requests() const;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

// Quick, so that tests need not wait.
ClientOptions quick_client(std::uint64_t seed = 1);

}  // namespace lips::kubernetes
