// Keeps a lease on a thread of its own, with a connection of its own: what waits to be sent elsewhere delays no
// renewal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/lease.h"

namespace lips::kubernetes {

// Since the machine started, the time in which it slept included: a lease ages while its holder is suspended.
Duration since_boot();
// Time that never jumps and stands still for nothing, beginning with the wall clock's at the start of the program.
TimePoint steady_now();

class Leadership {
 public:
  struct Place {
    std::string name_space, name;
  };
  // `changed` is called on its thread when this copy begins or ceases to lead, `failed` when the lease cannot be
  // reached.
  Leadership(const Connection& connection, Place place, LeaseOptions options, std::function<void(bool leads)> changed,
             std::function<void(const Error&)> failed);
  // Gives the lease up. Nothing must be under way any more.
  ~Leadership();

  bool leads() const { return election_.leads(steady_now()); }
  std::uint64_t times_elected() const { return election_.times_elected(); }

 private:
  void run(const std::stop_token& stop);

  ApiClient client_;
  ApiLeaseStore store_;
  const Duration retry_;
  LeaderElection election_;
  std::function<void(bool)> changed_;
  std::function<void(const Error&)> failed_;
  std::jthread thread_;
};

}  // namespace lips::kubernetes
