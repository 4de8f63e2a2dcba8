// The known costs of tasks: CPU by the time on the node, for running tasks up to now; reads and shuffle when they end.
// Sums are counters, which only rise: a correction downwards waits until more is due. All prices are from the cost
// model.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/costs.h"
#include "model/snapshot.h"

namespace lips {

struct BaselineBill {
  std::string baseline;
  Bill bill;                  // cpu: of the work that was expected
  UsdPerCpuSecond cpu_price;  // of its node
};

// A task that has ended, with the cost that it would have had where a baseline placed it.
struct EndedTask {
  std::string pool;
  Bill ours, predicted;                 // predicted: when it was bound
  std::vector<BaselineBill> baselines;  // for the same work and the same shuffle
};

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
  void begin(const ClusterSnapshot& cluster, const Begun& begun, const Bill& bill);
  // How the task began; null: the task is unknown.
  const Begun* of(TaskId task) const;
  void compare(TaskId task, BaselineBill bill);

  // Charges running tasks up to then.
  void count_until(TimePoint now);
  // The task ran to its end; returns none if it is unknown. `ran`: time as the cluster reports it, else up to `now`.
  std::optional<EndedTask> end(const ClusterSnapshot& cluster, TaskId task, std::optional<Duration> ran);
  // The task left its node before it ended, so its reads are unknown.
  bool cut_off(TaskId task, std::optional<Duration> ran, TimePoint now);
  // The task was never on its node.
  bool undo(TaskId task);
  // More tasks share a shuffle than were known when some ended.
  void grow(const Job& job);
  // Ids change from now on. Counts running tasks up to now.
  void begin_anew(TimePoint now);
  // The cost of the tasks of the pool, corrections included.
  Bill due(const std::string& pool) const;
  void forget_pool(const std::string& pool) { sums_.erase(pool); }

 private:
  struct Running {
    Begun begun;
    std::string pool;
    Bill bill;
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
    std::map<std::string, Usd> due;  // by pool
  };
  void charge(const std::string& pool, const Bill& more);
  void count(Running& running, Duration ran);

  const Tell tell_;
  std::unordered_map<TaskId, Running> running_;
  std::map<std::string, Sum> sums_;  // by pool
  std::map<WholeJobId, Shared> shared_;
};

}  // namespace lips
