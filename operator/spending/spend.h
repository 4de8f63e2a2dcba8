// The dollars of tasks and of data, event by event: CPU by the time on the node; reads and shuffle when a task ends;
// copies when they have arrived. Metrics and targets both count by it. Knows no baseline, budget or series.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/cluster_event.h"
#include "model/costs.h"
#include "model/snapshot.h"
#include "spending/peer_exchange.h"

namespace lips {

std::string pool_name(const ClusterSnapshot& cluster, PoolId pool);

// A charge to a pool and a job, or to the data (model/job_dollars.h: data_pool). Negative where too much was charged
// before.
struct Charge {
  std::int64_t day = 0;
  const std::string& pool;
  const std::string& job;
  Bill more;
};

struct BegunTask {
  TaskId task;
  NodeId node;
  TimePoint since{};         // on its node
  TimePoint counted_from{};  // by this program; an earlier one counted the time before
  Bill predicted;            // of all its work
  Usd exchange;              // of `predicted.shuffle`: with the peers that had begun

  Duration before() const { return std::max(Duration(0), counted_from - since); }  // its time that another one counted
};

struct EndedTask {
  enum class End : std::uint8_t {
    finished,
    cut_off,   // it failed or was withdrawn: its reads are unknown, and not charged
    lost,      // the same, and it is pending again
    refused,   // it never was on its node, costs nothing, and is pending again
    elsewhere  // another scheduler was faster: nothing is charged for the node that it was bound to
  };
  TaskId task;
  End end = End::finished;
  std::string pool, job;
  Bill ours;       // of its whole run; nothing unless it finished
  Bill predicted;  // when it was bound
};

class Spend {
 public:
  using Tell = std::function<void(const Charge&)>;
  // A node at the price to count by; absent: as the cluster has it.
  using Seen = std::function<const Node&(const ClusterSnapshot&, NodeId)>;
  explicit Spend(Tell tell, Seen node = {});

  struct Changes {
    const BegunTask* begun = nullptr;  // a task that was found; valid until the next call
    std::vector<EndedTask> ended;
    std::optional<Mebibytes> copied;  // by a move
  };
  // Call it after the state has applied the event. A resync ends all tasks without a word; those that run are found
  // again under other ids, and what was counted of them is not counted again.
  Changes on_event(const ClusterSnapshot& cluster, const ClusterEvent& event);
  // Call it after the state has reserved the room.
  const BegunTask& on_bind(const ClusterSnapshot& cluster, const Assignment& assignment);
  // From now on.
  void price(CostModel costs) { costs_ = std::move(costs); }
  const CostModel& costs() const { return costs_; }

  // Call it before anything else at that time: each day is charged for its own part of what runs. Without such calls
  // all is charged when it ends.
  void see(TimePoint now);
  // Charges running tasks up to then.
  void count_until(TimePoint now);
  struct Kept {
    std::uint64_t copies = 0;
    Mebibytes size;
  };
  // Charges the storage of extra copies since the last call, as they are now.
  Kept count_storage(const ClusterSnapshot& cluster);

 private:
  struct Running {
    BegunTask begun;
    JobId job_id;
    std::string pool, job;
    std::uint32_t reduces = 0;  // sharing the shuffle, as known when it began
    bool started = false;       // on its node; else its binding may still be refused
    CpuSeconds work_a_second;
    UsdPerCpuSecond price;
    Usd counted;
  };
  using Runs = std::unordered_map<TaskId, Running>;
  struct Shared {  // by reduces of a whole job that have ended
    std::uint32_t reduces = 0;
    std::map<std::pair<std::string, std::string>, Usd> due;  // by pool and job
  };
  const BegunTask& begin(const ClusterSnapshot& cluster, const Assignment& assignment, TimePoint since,
                         TimePoint counted_from);
  const BegunTask* find(const ClusterSnapshot& cluster, const TaskFound& found, std::vector<EndedTask>& ended);
  EndedTask finish(const ClusterSnapshot& cluster, Runs::iterator run, std::optional<Duration> ran);
  EndedTask cut_off(const ClusterSnapshot& cluster, Runs::iterator run, std::optional<Duration> ran);
  EndedTask undo(const ClusterSnapshot& cluster, Runs::iterator run, EndedTask::End end);
  EndedTask take_out(Runs::iterator run, EndedTask::End end);
  std::vector<EndedTask> lose_node(const ClusterSnapshot& cluster, NodeId node);
  std::optional<Mebibytes> count_copy(const ClusterSnapshot& cluster, const ReplicaAdded& added);
  void begin_anew(TimePoint now);
  void grow(const Job& job);
  Usd charge_exchange(const ClusterSnapshot& cluster, const Running& running);
  void charge(const std::string& pool, const std::string& job, const Bill& more);
  static Usd count(Running& running, Duration ran);
  void count_and_charge(Running& running, Duration ran);
  void charge_all_until(TimePoint then);
  const Node& node_of(const ClusterSnapshot& cluster, NodeId id) const {
    return node_ ? node_(cluster, id) : cluster.nodes[id];
  }

  const Tell tell_;
  const Seen node_;
  CostModel costs_;
  Runs running_;
  std::map<WholeJobId, Shared> shared_;
  PeerExchange begun_, ended_;  // of the tasks that have
  std::optional<std::int64_t> day_;
  std::optional<TimePoint> counting_since_;  // another process counted earlier runs
  std::optional<TimePoint> stored_until_;
};

}  // namespace lips
