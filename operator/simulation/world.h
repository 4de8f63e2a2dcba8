// The true state of a simulated cluster, as plain records, with its clock and network. The classes TruthJobs,
// TruthTasks, TruthShuffle, TruthData, TruthOutput, TruthServices and TruthFleet change it; SimulatedCluster owns it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/cluster_event.h"
#include "policies/policy.h"
#include "simulation/event_queue.h"
#include "simulation/heartbeats.h"
#include "simulation/network_paths.h"
#include "simulation/network_sharing.h"
#include "simulation/run_listener.h"
#include "simulation/scenario.h"

namespace lips::simulation {

struct SimEvent {
  enum class Kind : std::uint8_t {
    arrival,
    failure,
    node_return,
    copied,
    attempt_end,
    move_end,
    refusal,
    reclaim,
    service,
    service_end,
    // of the fleet
    boot,
    notice,
    interruption,
    outage,
    outage_end,
    batch,
    poll,
    validation
  };
  Kind kind;
  std::uint32_t index;
  std::uint32_t generation;
};

enum class SimTaskState : std::uint8_t { blocked, waiting, attempted, finished };

struct TaskRecord {
  JobId job;
  std::uint32_t attempt = 0;
  SimTaskState state = SimTaskState::blocked;
};

struct JobRecord {
  TaskId first_task;
  std::uint32_t maps_left = 0, reduces_left = 0;
  std::size_t waiting = 0;            // tasks
  std::vector<Mebibytes> map_output;  // by zone
  std::uint32_t writes_left = 0;      // of replicas of its output
  bool held = false;                  // waits for unfinished jobs
  bool failed = false;
  bool ended = false;
  std::uint32_t pushes_left = 0;                                         // map output on its way to the racks
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wait_for_pushes;  // reduces: attempt, generation
};

struct Attempt {
  Assignment assignment;
  JobId job;
  TimePoint start{};
  TimePoint compute_from{};
  TimePoint compute_end{}, read_end{};
  double pace = 0;  // work a second
  CpuSeconds work;
  Locality level = Locality::none;
  bool live = false, refused = false, copying = false;
  bool reclaimed = false;  // it is about to end
  std::uint32_t generation = 0;
  std::uint32_t flows_left = 0;
  std::vector<FlowId> flows;        // none once ended
  std::vector<Mebibytes> shuffled;  // by zone, when all is read
  std::vector<Mebibytes> decoded;   // by source of a degraded task, when all is read

  bool degraded() const { return !assignment.sources.empty(); }
};

struct Move {
  MoveId id;
  DataMove what;
  TimePoint start{}, end{};  // end: only without a shared link
  FlowId flow;               // none: no shared link
  bool live = false;
  bool refused = false;
  bool needless = false;  // the target has it already
  JobId writer;           // whose output is written; none: a requested move
};

enum class FlowUse : std::uint8_t { attempt, move, push };

struct FlowOwner {
  FlowUse use = FlowUse::attempt;
  std::uint32_t index = 0;  // of the attempt, move or job
  std::uint32_t part = 0;
};

struct NodePods {
  std::uint32_t count = 0;
  TimePoint changed{};  // when one last came or went
};

struct StoreRecord {
  Mebibytes used, reserved, extra;
  TimePoint used_since{}, extra_since{};
};

class TruthJobs;
class TruthTasks;
class TruthShuffle;
class TruthData;
class TruthOutput;
class TruthServices;
class TruthFleet;

// The classes of the truth may call each other.
struct Peers {
  TruthJobs& jobs;
  TruthTasks& tasks;
  TruthShuffle& shuffle;
  TruthData& data;
  TruthOutput& output;
  TruthServices& services;
  TruthFleet& fleet;
};

struct World {
  World(const Scenario& scenario, const Cadence& cadence, RunListener& listener);

  const Task& task(TaskId id) const;
  const Job& job(JobId id) const { return scenario.jobs[id.index()].job; }
  // The controller receives the event at its next wait().
  template <class Event>
  void emit(Event event) {
    pending_events.emplace_back(std::in_place_type<Event>, std::move(event));
    ++events;
  }
  FlowId start_flow(const Path& path, Mebibytes size, const FlowOwner& owner);
  void change_waiting(JobId job, std::int64_t by);
  void update_heartbeat(NodeId node);
  void count_pod(NodeId node, int by);
  bool loss_unreported(NodeId node) const;

  const Scenario& scenario;
  RunListener& listener;
  Cadence cadence;
  TimePoint now{};
  EventQueue<SimEvent> queue;
  SharedNetwork network;
  NetworkPaths paths;
  Heartbeats heartbeats;
  Resources least_request;
  std::vector<ClusterEvent> pending_events;  // for the next wait()
  std::vector<NodeId> unreported_losses;     // lost nodes among them
  std::vector<FlowOwner> flow_owner;

  IdVector<NodeId, Resources> free;
  IdVector<NodeId, NodePods> pods;
  std::vector<bool> up;        // by node
  std::vector<bool> cordoned;  // by node
  std::vector<Attempt> attempts;
  std::vector<JobRecord> jobs;
  IdVector<TaskId, TaskRecord> tasks;
  std::size_t waiting = 0;  // tasks
  bool more_wait = false;   // since the fleet last opened a batch
  std::size_t running = 0;

  IdVector<BlockId, std::vector<Replica>> replicas;
  IdVector<StoreId, StoreRecord> stores;
  std::vector<Move> moves;
  std::size_t moves_live = 0;

  std::size_t jobs_finished = 0, jobs_failed = 0;
  std::uint64_t events = 0;
  TimePoint last_progress{};  // of a task, a move, a node or an arrival
  TimePoint last_task{};      // the same without moves
};

}  // namespace lips::simulation
