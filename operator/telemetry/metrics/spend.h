// The known costs of tasks: CPU by the time on the node, for running tasks up to now; reads and shuffle when they end.
// Sums are counters, which only rise: a correction downwards waits until more is due. All prices are from the cost
// model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/costs.h"
#include "model/snapshot.h"
#include "telemetry/metrics/job_ledger.h"
#include "telemetry/metrics/peer_exchange.h"

namespace lips {

struct BaselineBill {
  std::string baseline;
  Bill bill;                  // cpu: of the work that was expected
  UsdPerCpuSecond cpu_price;  // of its node
  Usd our_exchange;           // with the task's peers, as our plan has them; `bill` has that of the baseline's plan
};

// A task that has ended, with the cost that it would have had where a baseline placed it.
struct EndedTask {
  std::string pool, job;
  Bill ours, predicted;                 // predicted: when it was bound
  Usd exchange;                         // of `ours.shuffle`: with its peers, up to where those have got
  std::vector<BaselineBill> baselines;  // for the same work and the same shuffle

  // To set beside the baseline's bill: both have the exchange of their plans.
  Bill ours_beside(const BaselineBill& baseline) const {
    Bill bill = ours;
    bill.shuffle += baseline.our_exchange - exchange;
    return bill;
  }
};

std::string pool_name(const ClusterSnapshot& cluster, PoolId pool);

class Spend {
 public:
  // Called when the dollars of a pool rise by `more`.
  using Tell = std::function<void(const std::string& pool, const Bill& more)>;
  explicit Spend(Tell tell) : tell_(std::move(tell)) {}

  struct Begun {
    TaskId task;
    NodeId node;
    TimePoint since{};         // on its node
    TimePoint counted_from{};  // by this program; an earlier one counted the time before
    std::uint64_t plan = 0;
  };
  void begin(const ClusterSnapshot& cluster, const CostModel& costs, const Begun& begun, const Bill& bill);
  // How the task began; null: the task is unknown.
  const Begun* of(TaskId task) const;
  void compare(TaskId task, BaselineBill bill);

  std::vector<TaskId> running_on(NodeId node) const;

  // Call it before anything else at that time: each day is charged for its own part of what runs.
  void see(TimePoint now);
  // Charges running tasks up to then.
  void count_until(TimePoint now);
  // The task ran to its end; returns none if it is unknown. `ran`: time as the cluster reports it, else up to `now`.
  std::optional<EndedTask> end(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task,
                               std::optional<Duration> ran);
  // The task left its node before it ended, so its reads are unknown. A peer has exchanged its part.
  bool cut_off(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task, std::optional<Duration> ran);
  // The task was never on its node.
  bool undo(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task);
  // More tasks share a shuffle than were known when some ended.
  void grow(const Job& job);
  // Ids change from now on. Counts running tasks up to now.
  void begin_anew(TimePoint now);
  // The cost of the tasks of the pool, corrections included.
  Bill due(const std::string& pool) const;
  void forget_pool(const std::string& pool) { sums_.erase(pool); }
  // Costs that no task alone caused.
  void charge_data(const char* what, const Bill& more);
  std::vector<JobDay> by_job() const { return ledger_.rows(); }

 private:
  struct Running {
    Begun begun;
    JobId job_id;
    std::string pool, job;
    Bill bill;
    Usd exchange;               // with the peers that had begun
    std::uint32_t reduces = 0;  // sharing the shuffle, as known when it began
    CpuSeconds work_a_second;
    UsdPerCpuSecond price;
    Usd counted;
    std::vector<BaselineBill> baselines;
  };
  struct Sum {
    Bill due, told;
  };
  struct Shared {  // by reduces of a whole job that have ended
    std::uint32_t reduces = 0;
    std::map<std::pair<std::string, std::string>, Usd> due;  // by pool and job
  };
  Usd charge_exchange(const ClusterSnapshot& cluster, const CostModel& costs, const Running& running);
  void charge(const std::string& pool, const std::string& job, const Bill& more);
  static Usd count(Running& running, Duration ran);
  void count_and_charge(Running& running, Duration ran);
  void charge_all_until(TimePoint then);

  const Tell tell_;
  std::unordered_map<TaskId, Running> running_;
  std::map<std::string, Sum> sums_;  // by pool
  std::map<WholeJobId, Shared> shared_;
  PeerExchange begun_, ended_;  // of the tasks that have
  JobLedger ledger_;
  std::optional<std::int64_t> day_;
};

}  // namespace lips
