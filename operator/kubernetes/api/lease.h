// Elects one leader among several replicas of the operator, by a Lease of the API server. Never compares clocks of
// different machines, and reads none: the time is a parameter, from one clock that does not jump.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/units.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/set_back.h"

namespace lips::kubernetes {

// coordination.k8s.io/v1 Lease, as far as an election needs it.
struct LeaseRecord {
  std::string holder;  // empty: nobody
  Duration duration{};
  TimePoint acquired, renewed;
  std::int64_t transitions = 0;
  std::string resource_version;  // empty: to be created
  std::string uid = {};
};

// Where the record is kept. A write is refused with `conflict` when the version that was read is outdated.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual Result<LeaseRecord> read() = 0;  // not_found: there is none
  virtual Result<LeaseRecord> write(const LeaseRecord& record) = 0;
};

class ApiLeaseStore : public LeaseStore {
 public:
  ApiLeaseStore(ApiClient& client, std::string name_space, std::string name, std::chrono::milliseconds timeout);
  Result<LeaseRecord> read() override;
  Result<LeaseRecord> write(const LeaseRecord& record) override;

 private:
  Result<LeaseRecord> ask(Verb verb, std::string path, std::string body);

  ApiClient& client_;
  std::string name_space_, name_;
  std::chrono::milliseconds timeout_;
};

struct LeaseOptions {
  std::string identity;           // of this replica, never used again: the pod's name and uid
  Duration duration{15'000'000};  // others take over after that long without a renewal
  Duration renew_deadline{
      10'000'000};            // the leader stops acting after that long without a renewal; shorter than `duration`
  Duration retry{2'000'000};  // between two steps
};

// The longest time that a leader's request may be on the wire: one that is sent just before the fence closes has ended
// before another replica may act.
std::chrono::milliseconds wire_time(const LeaseOptions& options);

// One thread calls step() and release(); any thread asks leads().
class LeaderElection {
 public:
  LeaderElection(LeaseStore& store, LeaseOptions options);

  // Tries to become or to stay the leader; call it again after `retry`. Read `now` before the call. An error says why
  // the lease could not be read or written; leadership then still expires with time.
  Result<void> step(TimePoint now);
  // Gives the lease up, so that the next leader need not wait. Call it when no request is under way any more.
  Result<void> release(TimePoint now);

  // The fence: false once renew_deadline has passed since the last renewal, whatever the server says.
  bool leads(TimePoint now) const { return now.time_since_epoch().count() < leads_until_.load(); }
  // How many times this replica began to lead, also after a pause in which nobody else led. Grows before leads()
  // becomes true.
  std::uint64_t times_elected() const { return times_elected_.load(); }
  // Number of the leader (leaseTransitions), larger for each new one; from the lease as last read.
  std::int64_t term() const { return term_.load(); }
  // The newest version of the lease that was seen, and its uid.
  struct Seen {
    std::string uid;
    std::uint64_t version = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  const Seen& seen() const { return seen_; }  // for the stepping thread
  // An earlier process saw it. Call it before the first step.
  void take_over(Seen seen) { seen_ = std::move(seen); }
  // The lease was older than it had been, since the last call; for the stepping thread.
  std::optional<SetBack> take_set_back() { return std::exchange(set_back_, std::nullopt); }
  const std::string& holder() const {
    return observed_ ? observed_->holder : nobody_;
  }  // as last read; for the stepping thread

 private:
  void observe(const LeaseRecord& record, TimePoint now);
  Result<void> take(LeaseRecord record, TimePoint now);
  bool others_may_act(TimePoint now) const;
  void step_down() { leads_until_ = 0; }

  LeaseStore& store_;
  const LeaseOptions options_;
  std::optional<LeaseRecord> observed_;
  Seen seen_;
  std::optional<SetBack> set_back_;
  TimePoint observed_at_;  // when this version was first seen
  std::atomic<Duration::rep> leads_until_{0};
  std::atomic<std::int64_t> term_{0};
  std::atomic<std::uint64_t> times_elected_{0};
  const std::string nobody_;
};

}  // namespace lips::kubernetes
