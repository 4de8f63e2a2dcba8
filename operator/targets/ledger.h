// Measures what targets are about: dollars, waits, and work, by pool and by day. An observer of any controller. Dollars
// are those of spending/, and for what runs still those that are expected, on the day of its start. Prices come from
// nodes as its owner knows them: what plans believe, or, in a simulation, the truth.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "controller/observer.h"
#include "model/costs.h"
#include "model/snapshot.h"
#include "model/targets.h"
#include "policies/settings.h"
#include "spending/spend.h"

namespace lips {

inline const std::string everyone;  // the name of all pools together
inline const std::string& pool_of(const ClusterSnapshot& cluster, const Job& job) {
  return cluster.pools[job.pool].name;
}

// Sums that only grow, but for corrections.
struct Tally {
  Usd dollars;  // billing by use: of tasks, copies and their storage; by invoice, of all pools together: the hours of
                // nodes instead of the tasks' CPU
  Usd fixed;    // the part of them that fixed nodes cost, whatever runs there
  CpuSeconds work;                 // of tasks bound, as expected
  double waited = 0, started = 0;  // task-seconds that tasks waited although they could start; tasks that started
  CpuSeconds arrived_work;
  double arrived_tasks = 0;
  static constexpr auto fields =
      field_names("dollars", "fixed", "work", "waited", "started", "arrivedWork", "arrivedTasks");
  Tally& operator+=(const Tally& other);
  friend Tally operator-(const Tally& a, const Tally& b);
  double mean_wait() const { return started > 0 ? waited / started : 0; }
};

// Work that is due by a time of day: of jobs that arrived an hour before, or earlier.
struct DueWork {
  double work = 0;     // CPU-seconds that are not done
  double longest = 0;  // seconds of the longest task still to start, or left of a running one
  std::uint32_t jobs = 0;
};

class TargetLedger : public Observer {
 public:
  using Seen = Spend::Seen;
  // `keeps`: for how long it knows which jobs ended.
  TargetLedger(Billing billing, CostModel costs, Seen node = {}, Duration keeps = 2 * one_day);

  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override;
  void on_plan(const ClusterSnapshot& cluster, const Plan& plan) override;
  void on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) override;

  TimePoint now() const { return advanced_.value_or(TimePoint{}); }
  // Charges the time since the last call.
  void advance(const ClusterSnapshot& cluster);
  // The sum of a pool, or of all together (an empty name), since the beginning and by day.
  const Tally& sum(const std::string& pool) const;
  Tally day(const std::string& pool, std::int64_t day) const;
  std::vector<std::int64_t> days() const;
  // The work that has to be done by then.
  DueWork due(const ClusterSnapshot& cluster, const std::string& pool, TimePoint by) const;
  // How late the work was done that was due last by that time of day; none: it is not done, or there was none.
  std::optional<Duration> lateness(const std::string& pool, TimePoint by) const;
  UsdPerHour fixed_rate() const { return UsdPerHour(fixed_rate_); }  // as of the last plan; billing by use: 0

  static constexpr Duration notice = std::chrono::hours(1);  // a job that is due must arrive so much before

 private:
  struct Running {
    std::string pool;
    Bill charged;     // as expected, beside what is counted when it ends
    CpuSeconds work;  // as expected
    double work_a_second = 0;
    TimePoint since{};  // counted from then
  };
  struct Closed {
    TimePoint arrived{}, done{};
  };
  std::map<std::string, Tally>& day_at(TimePoint at);
  void add(const std::string& pool, TimePoint at, const Tally& more);
  void tell(const Charge& charge);
  void expect(const std::string& pool, const Bill& bill);
  void begin(const ClusterSnapshot& cluster, const BegunTask& begun, bool starts);
  void end(const EndedTask& task);
  void begin_anew(TimePoint now);
  void arrive(const ClusterSnapshot& cluster, const JobArrived& arrived);
  void count_pending(const ClusterSnapshot& cluster);
  void close_jobs(const ClusterSnapshot& cluster, JobId job);
  const Node& node_of(const ClusterSnapshot& cluster, NodeId id) const {
    return node_ ? node_(cluster, id) : cluster.nodes[id];
  }

  const Billing billing_;
  const Seen node_;
  Spend spend_;
  const Duration keeps_;
  std::optional<TimePoint> advanced_;
  std::unordered_map<TaskId, Running> running_;
  std::map<std::string, Tally> sums_;
  std::map<std::int64_t, std::map<std::string, Tally>> days_;
  std::map<std::string, double> pending_;              // tasks
  double node_rate_ = 0, fixed_rate_ = 0;              // USD an hour of all nodes, and of fixed ones
  std::map<JobId, TimePoint> open_;                    // jobs that are not done, by arrival
  std::map<std::string, std::vector<Closed>> closed_;  // of the last two days
  std::optional<TimePoint> listed_;
  TimePoint latest_ = TimePoint::min(), counted_ = TimePoint::min();  // arrivals; jobs reported again were counted
};

}  // namespace lips
