// Holds a lease on its own thread and connection, so that other queued requests cannot delay a renewal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/lease.h"

namespace lips::kubernetes {

// Time since the machine started, including the time in which it was suspended: a lease ages then too.
Duration since_boot();
// A time that never jumps and never stops. It starts at the wall clock's time when the program starts.
TimePoint steady_now();

class Leadership {
 public:
  struct Place {
    std::string name_space, name;
  };
  // Calls, on its own thread, `changed` when this replica begins or ceases to lead, and `failed` when the lease cannot
  // be reached.
  Leadership(const Connection& connection, Place place, LeaseOptions options, std::function<void(bool leads)> changed,
             std::function<void(const Error&)> failed);
  // Gives the lease up. No request may be under way any more.
  ~Leadership();

  bool leads() const { return election_.leads(steady_now()); }
  std::uint64_t times_elected() const { return election_.times_elected(); }

 private:
  void run(const std::stop_token& stop);

  HttpClient client_;
  ApiLeaseStore store_;
  const Duration retry_;
  LeaderElection election_;
  std::function<void(bool)> changed_;
  std::function<void(const Error&)> failed_;
  std::jthread thread_;
};

}  // namespace lips::kubernetes
