// What tasks have cost, as far as it is known: CPU by the time on the node, running tasks up to now; reads and shuffle
// with the end. Sums are told as counters, which only rise: a correction downwards waits until more is due. Asks the
// cost model for every price.
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

// Of a task that has ended, with what a baseline's placement of it would have cost.
struct EndedTask {
  std::string pool;
  Bill ours;
  std::vector<BaselineBill> baselines;  // for the same work and the same shuffle
};

class Spend {
 public:
  // dollars rise by so much
  using Tell = std::function<void(const std::string& pool, const Bill& more)>;
  explicit Spend(Tell tell) : tell_(std::move(tell)) {}

  struct Begun {
    TaskId task;
    NodeId node;
    TimePoint since{};         // on its node
    TimePoint counted_from{};  // by this program: another one has counted before
    std::uint64_t plan = 0;
  };
  void begin(const ClusterSnapshot& cluster, const Begun& begun, const Bill& bill);
  // How it began; null: it is not known.
  const Begun* of(TaskId task) const;
  void compare(TaskId task, BaselineBill bill);

  // Running tasks cost until then.
  void count_until(TimePoint now);
  // It ran to its end; none: not known. `ran`: as the cluster says, else until `now`.
  std::optional<EndedTask> end(const ClusterSnapshot& cluster, TaskId task, std::optional<Duration> ran);
  // It was on its node and is not any more, and nobody knows what it read.
  bool cut_off(TaskId task, std::optional<Duration> ran, TimePoint now);
  // It was never there.
  bool undo(TaskId task);
  // More tasks share a shuffle than were known when some of them ended.
  void grow(const Job& job);
  // Ids mean something else from now on; what has run so far is counted.
  void begin_anew(TimePoint now);
  // What the pool's tasks have cost, corrections included.
  Bill due(const std::string& pool) const;
  void forget_pool(const std::string& pool) { sums_.erase(pool); }

 private:
  struct Running {
    Begun begun;
    std::string pool;
    Bill bill;
    std::uint32_t reduces = 0;  // that share the shuffle, as known when it began
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
