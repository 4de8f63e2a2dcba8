// The thread behind ApiClient: decides when a request is sent, sent again, or given up. Transfer puts one request on
// the wire.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/client_options.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/missing_rights.h"
#include "kubernetes/api/transfer.h"
#include "kubernetes/api/write_governor.h"

namespace lips::kubernetes {

// Shared by the engine, which writes, and a ByteStream, which reads.
struct StreamState {
  std::mutex mutex;
  std::condition_variable arrived;
  std::string bytes;
  bool paused = false, ended = false, closed = false;
  std::optional<Error> error;
  std::uint64_t id = 0;
  std::function<void()> told;  // see ByteStream::when_readable
  bool knows = false;          // it has been called since the last read

  // With the lock: there is something to read.
  void tell() {
    arrived.notify_one();
    if (told && !std::exchange(knows, true)) told();
  }
};

class RequestEngine {
 public:
  using RequestId = std::uint64_t;

  RequestEngine(Connection connection, ClientOptions options);
  ~RequestEngine();

  RequestId add(ApiRequest what, std::function<void(Answer)> done, std::shared_ptr<StreamState> stream);
  void cancel(RequestId id);
  void resume(RequestId id);
  void stop();
  bool on_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Request {
    RequestId id = 0;
    ApiRequest what;
    std::function<void(Answer)> done;
    std::shared_ptr<StreamState> stream;
    int tries = 0;
    Clock::time_point sent;  // the last try
    bool credentials_renewed = false;
    std::unique_ptr<Transfer> transfer;  // while it is under way
  };

  bool post(std::function<void()> command);  // false: stopping
  void run();
  void run_commands();
  void send_due();
  void send(Request& request);
  void refuse(const Request& request);
  static Duration since_boot();
  void collect_finished();
  void finished(Request& request, int curl_code);
  void conclude(Request& request, int curl_code, const TryResult& result);
  void release(Request& request);  // takes it off the wire
  void finish(RequestId id, Answer answer);
  int wait_ms() const;
  void let_more_arrive();

  const Transfer::Target target_;
  const ClientOptions options_;
  CredentialReader credentials_;
  Random random_;
  void* multi_;
  std::atomic<RequestId> last_id_{0};

  std::mutex mutex_;
  std::vector<std::function<void()>> commands_;
  bool stopping_ = false;

  // Used by the thread alone.
  std::map<RequestId, std::unique_ptr<Request>> requests_;
  std::deque<RequestId> queue_;                        // not yet sent, or sent again at once
  std::multimap<Clock::time_point, RequestId> later_;  // to be sent again
  std::map<void*, RequestId> under_way_;               // by handle
  int ordinary_under_way_ = 0;                         // without watches
  std::vector<std::unique_ptr<Transfer>> idle_;
  std::deque<Clock::time_point> woken_;  // recently
  std::chrono::microseconds mean_took_{0};
  WriteGovernor governor_;
  MissingRights rights_;

  std::thread thread_;  // last: starts when all else is there
};

}  // namespace lips::kubernetes
