// One leader among several copies of the operator, by a Lease of the API server. Compares no clocks of different
// machines, and reads none: the time is a parameter, of one clock that does not jump.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

// coordination.k8s.io/v1 Lease, as far as an election needs it.
struct LeaseRecord {
  std::string holder;  // empty: nobody
  Duration duration{};
  TimePoint acquired, renewed;
  std::int64_t transitions = 0;
  std::string resource_version;  // empty: to be created
};

// Where the record is kept. Writing is refused with `conflict` when it is no longer the version that was read.
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
  std::string identity;           // of this copy, never used again: the pod's name and uid
  Duration duration{15'000'000};  // others take over when it was not renewed for so long
  Duration renew_deadline{
      10'000'000};            // this copy stops acting when it could not renew for so long; shorter than `duration`
  Duration retry{2'000'000};  // between two steps
};

// How long what only a leader may do can be on the wire: sent at the last moment of the fence it is over before
// another copy may begin.
std::chrono::milliseconds wire_time(const LeaseOptions& options);

// One thread calls step() and release(); any thread asks leads().
class LeaderElection {
 public:
  LeaderElection(LeaseStore& store, LeaseOptions options);

  // Tries to become or to stay the leader; call again `retry` later. `now` is read before the call. An error says why
  // the lease could not be read or written; who leads is then still decided by the time.
  Result<void> step(TimePoint now);
  // Gives the lease up, so that the next copy need not wait. Call it when nothing is under way any more.
  Result<void> release(TimePoint now);

  // The fence: false from renew_deadline after the last renewal on, whatever the server says.
  bool leads(TimePoint now) const { return now.time_since_epoch().count() < leads_until_.load(); }
  // Counts the times that this copy began to lead, also after a pause in which nobody else did. Grows before leads()
  // says so.
  std::uint64_t times_elected() const { return times_elected_.load(); }
  // Counts the leaders: each has a larger one than those before. Of the last lease seen.
  std::int64_t term() const { return term_.load(); }
  const std::string& holder() const {
    return observed_ ? observed_->holder : nobody_;
  }  // as last seen, by the stepping thread

 private:
  void observe(const LeaseRecord& record, TimePoint now);
  Result<void> take(LeaseRecord record, TimePoint now);
  bool others_may_act(TimePoint now) const;
  void step_down() { leads_until_ = 0; }

  LeaseStore& store_;
  const LeaseOptions options_;
  std::optional<LeaseRecord> observed_;
  TimePoint observed_at_;  // when this version was first seen
  std::atomic<Duration::rep> leads_until_{0};
  std::atomic<std::int64_t> term_{0};
  std::atomic<std::uint64_t> times_elected_{0};
  const std::string nobody_;
};

}  // namespace lips::kubernetes
