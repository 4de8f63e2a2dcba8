// Requests to a Kubernetes API server, many in flight on one thread of the client's own. Knows no kind of object.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/retry.h"

namespace lips::kubernetes {

enum class Verb : std::uint8_t { get, list, watch, create, update, patch, remove };
std::string_view verb_name(Verb verb);

inline constexpr const char* json_content = "application/json";
inline constexpr const char* strategic_merge_patch = "application/strategic-merge-patch+json";
inline constexpr const char* merge_patch = "application/merge-patch+json";

struct ApiRequest {
  Verb verb = Verb::get;
  std::string path;  // from the root, with the query
  std::string body;
  std::string content_type = json_content;
  std::vector<std::string> headers = {};      // "Name: value", beside our own
  std::chrono::milliseconds timeout{30'000};  // of one try; a watch has none
  std::size_t most_bytes = 0;                 // of a success; a longer one is invalid_input; 0: any length
  // Says whether it may be sent again when nobody knows if the server has done it. By default only reads, updates and
  // removals may.
  std::optional<bool> repeatable;
  // Called on the client's thread before each try; if it returns false, the request ends with `cancelled`.
  std::function<bool()> still_wanted;
};

// The body of a success. Otherwise not_found (404), conflict (409), gone (410), unavailable (no answer, 408, 429, 5xx),
// invalid_input (every other refusal, with the server's message), cancelled.
using Answer = Result<std::string>;

// Counts requests and refusals; called on the client's thread.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  struct Try {
    Verb verb = Verb::get;
    std::string_view path;  // with the query
    int http_code = 0;      // 0: no answer
    std::chrono::microseconds took{0};
  };
  // After each try.
  virtual void tried(const Try& ended) = 0;
  // After the last try, when the server has refused and another try would not help.
  struct Refusal {
    Verb verb = Verb::get;
    std::string_view path;
    int http_code = 0;  // 0: nothing was sent, as the object was written too often (WriteGovernor)
    std::string_view message;  // the server's
  };
  virtual void refused(const Refusal& /*refusal*/) {}
};

struct ClientOptions {
  int in_flight = 32;  // requests at once, each on a connection of its own; watches come on top
  RetryRules retry;
  std::uint64_t seed = 1;
  std::string user_agent = "lips";
  RequestObserver* observer = nullptr;  // outlives the client
};

struct StreamState;
class RequestEngine;

// The bytes of a watch, in the order of arrival. At most a few MiB wait in memory; after that the server has to wait.
class ByteStream {
 public:
  enum class State : std::uint8_t { data, ended, silent };
  struct Chunk {
    State state = State::data;
    std::string bytes;
  };

  ByteStream(std::shared_ptr<StreamState> state, std::weak_ptr<RequestEngine> engine);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // Everything that has arrived. Waits when nothing has, and gives up with `silent` after that long. Errors as in
  // Answer; a broken connection is `unavailable`, close() is `cancelled`.
  Result<Chunk> read(std::chrono::milliseconds at_most);
  // From any thread.
  void close();

 private:
  std::shared_ptr<StreamState> state_;
  std::weak_ptr<RequestEngine> engine_;
};

class ApiClient {
 public:
  using RequestId = std::uint64_t;

  ApiClient(Connection connection, ClientOptions options);
  // Ends every request with `cancelled` and waits for the thread; no callback runs afterwards.
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // `done` is called once, on the client's thread, and must not wait; it may start further requests.
  RequestId start(ApiRequest request, std::function<void(Answer)> done);
  void cancel(RequestId id);
  // Waits for the answer. Not from a callback.
  Answer call(ApiRequest request, std::stop_token stop = {});
  std::unique_ptr<ByteStream> watch(ApiRequest request);

 private:
  std::shared_ptr<RequestEngine> engine_;
};

// The resource that a path names, subresource included: "pods", "pods/binding", "leases".
std::string resource_of_path(std::string_view path);

// For a query: everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);
// An address as a URL names it: IPv6 in brackets.
std::string url_host(const std::string& address);

}  // namespace lips::kubernetes
