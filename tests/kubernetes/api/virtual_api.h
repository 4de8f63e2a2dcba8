// The answers of a FakeApiServer without its sockets: a client whose requests, answers and watches take virtual time
// alone, on the loop of the test's own thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/kubernetes/api/fake_api_server.h"
#include "virtual/virtual_loop.h"

namespace lips::kubernetes {

// Long after the objects of tests were made.
inline constexpr TimePoint virtual_day{std::chrono::hours(24) * 20'700};
// No test waits for longer, by the time of its loop.
inline constexpr std::chrono::seconds long_enough{60};

// A request as the server sees it.
ReceivedRequest received(const ApiRequest& request);

// The loop and whatever the answers use outlive it.
std::unique_ptr<ApiClient> connect_to(FakeApiServer::Answering answering, EventLoop& loop, ClientOptions options);

// Runs the loop until the predicate holds; false: it does not within `long_enough`.
template <class Predicate>
bool run_until(EventLoop& loop, Predicate predicate) {
  const TimePoint end = loop.now() + long_enough;
  while (!predicate()) {
    if (loop.now() >= end) return false;
    loop.run(std::chrono::milliseconds(100));
  }
  return true;
}

// Such a server with one client.
class VirtualApi {
 public:
  explicit VirtualApi(FakeApiServer::Answering answering, ClientOptions options = quick_client());

  ApiClient& client() { return *client_; }
  EventLoop& loop() { return loop_; }
  TimePoint now() const { return loop_.now(); }
  const std::vector<ReceivedRequest>& requests() const { return requests_; }
  template <class Predicate>
  bool until(Predicate predicate) {
    return run_until(loop_, std::move(predicate));
  }
  // All that has been sent is answered, unless the server is asked again and again.
  void settle() { run_for(std::chrono::seconds(1)); }
  void run_for(Duration span) {
    for (const TimePoint end = now() + span; now() < end;) loop_.run(end - now());
  }

 private:
  virtual_cluster::VirtualLoop loop_{virtual_day};
  std::vector<ReceivedRequest> requests_;
  std::unique_ptr<ApiClient> client_;
};

}  // namespace lips::kubernetes
