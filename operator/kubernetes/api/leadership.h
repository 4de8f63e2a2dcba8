// Holds a lease on its own thread and connection, so that neither a plan nor other queued requests delay a renewal. The
// adapter's loop is told what the thread sees of the lease.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/lease.h"
#include "kubernetes/api/real_loop.h"
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
  struct Telling {
    EventLoop& loop;                           // outlives it
    std::function<void(bool leads)> changed;   // this replica begins or ceases to lead; on a thread of its own
    std::function<void(const Error&)> failed;  // the lease cannot be reached; on a thread of its own
  };
  Leadership(const Connection& connection, Place place, LeaseOptions options, Telling telling);
  // Gives the lease up. No request may be under way any more.
  ~Leadership();

  // From any thread.
  bool leads() const { return election_.leads(steady_now()); }
  std::uint64_t times_elected() const { return election_.times_elected(); }
  // These two on the thread of the loop.
  LeaseView view() const { return told_->view; }
  // The lease was older than it had been, since the last call.
  std::optional<SetBack> take_set_back() { return std::exchange(told_->set_back, std::nullopt); }

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
  const Telling telling_;
  LeaseView view_;  // on its own thread
  struct Told {     // on the loop's
    LeaseView view;
    std::optional<SetBack> set_back;
  };
  const std::shared_ptr<Told> told_ = std::make_shared<Told>();
  RealLoop rest_;  // the thread waits there
  std::jthread thread_;
};

}  // namespace lips::kubernetes
