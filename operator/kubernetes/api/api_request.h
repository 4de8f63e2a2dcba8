// A request to a Kubernetes API server and its answer, as values; and who is told of each try.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

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
  // Called before each try, on the thread of the connections; if it returns false, the request ends with `cancelled`.
  std::function<bool()> still_wanted;
};

// The body of a success. Otherwise not_found (404), conflict (409), gone (410), unavailable (no answer, 408, 429, 5xx),
// invalid_input (every other refusal, with the server's message), cancelled.
using Answer = Result<std::string>;

// Counts requests and refusals; called on the client's thread, which for LoopClient is that of the loop.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  struct Try {
    Verb verb = Verb::get;
    std::string_view path;  // with the query
    int http_code = 0;      // 0: no answer
    std::chrono::microseconds took{0};
    std::chrono::microseconds since_sent{0};       // at least `took`: the answer may have lain there
    std::optional<TimePoint> date = std::nullopt;  // by the server's clock, cut to a second; none: the answer has none
    std::chrono::microseconds ago{0};              // since it ended: it may have waited for the loop
  };
  // After each try.
  virtual void tried(const Try& ended) = 0;
  // After the last try, when the server has refused and another try would not help.
  struct Refusal {
    Verb verb = Verb::get;
    std::string_view path;
    int http_code = 0;         // 0: nothing was sent, as the object was written too often (WriteGovernor)
    std::string_view message;  // the server's
  };
  virtual void refused(const Refusal& /*refusal*/) {}
};

// The resource that a path names, subresource included: "pods", "pods/binding", "leases".
std::string resource_of_path(std::string_view path);

// For a query: everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);
// An address as a URL names it: IPv6 in brackets.
std::string url_host(const std::string& address);

}  // namespace lips::kubernetes
