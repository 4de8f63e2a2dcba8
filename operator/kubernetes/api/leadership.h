// Holds a lease on its own thread and connection, so that other queued requests cannot delay a renewal.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/lease.h"
#include "kubernetes/api/steady_now.h"

namespace lips::kubernetes {

// The lease as this replica last saw it.
struct LeaseView {
  std::string holder;       // empty: nobody
  std::string trouble;      // why it cannot be read or renewed; empty: it can
  bool unanswered = false;  // the server gave no usable answer
  TimePoint since;          // of the trouble
};

class Leadership {
 public:
  struct Place {
    std::string name_space, name;
    std::string seen_file = {};  // keeps the newest version that was seen, for the next process; empty: nothing does
  };
  // Calls, on its own thread, `changed` when this replica begins or ceases to lead, and `failed` when the lease cannot
  // be reached.
  Leadership(const Connection& connection, Place place, LeaseOptions options, std::function<void(bool leads)> changed,
             std::function<void(const Error&)> failed);
  // Gives the lease up. No request may be under way any more.
  ~Leadership();

  bool leads() const { return election_.leads(steady_now()); }
  std::uint64_t times_elected() const { return election_.times_elected(); }
  LeaseView view() const;
  // The lease was older than it had been, since the last call. From any thread.
  std::optional<SetBack> take_set_back();

 private:
  void run(const std::stop_token& stop);
  void step(TimePoint now);
  void read_seen();
  void keep_seen(TimePoint now);

  HttpClient client_;
  ApiLeaseStore store_;
  const std::string seen_file_;
  LeaderElection::Seen kept_;
  TimePoint kept_at_{};
  const Duration retry_;
  LeaderElection election_;
  std::function<void(bool)> changed_;
  std::function<void(const Error&)> failed_;
  mutable std::mutex mutex_;
  LeaseView view_;
  std::optional<SetBack> set_back_;
  std::jthread thread_;
};

}  // namespace lips::kubernetes
