// A cluster on a virtual clock that runs what it is told and says what happened, as Kubernetes would. It is the truth
// of a simulated run; it knows no policy and shares no state with the controller.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "controller/cluster_client.h"
#include "policies/policy.h"
#include "simulation/event_queue.h"
#include "simulation/heartbeats.h"
#include "simulation/network_paths.h"
#include "simulation/network_sharing.h"
#include "simulation/run_listener.h"
#include "simulation/scenario.h"

namespace lips::simulation {

class SimulatedCluster : public ClusterClient {
 public:
  // The scenario and the listener outlive this.
  SimulatedCluster(const Scenario& scenario, const Cadence& cadence, RunListener& listener);

  TimePoint now() const override { return now_; }
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override;
  // Takes everything: what the truth refuses comes back as TaskLost, as from a kubelet.
  Result<PreparedBinding> prepare(const Assignment& assignment) override { return PreparedBinding{assignment, ""}; }
  void bind(const PreparedBinding& binding) override;
  void start_move(MoveId id, const DataMove& move) override;
  void drop(const ReplicaDrop& drop) override;
  void remember(const Remembered&) override {}

  // Lets time pass while the controller thinks: what happens meanwhile is said at the next wait().
  void think(Duration span);
  // Ends accounts that run on (storage of extra copies, attempts that still run). Call once, after the run.
  void close();

  std::size_t jobs_total() const { return scenario_.jobs.size(); }
  std::size_t jobs_finished() const { return jobs_finished_; }
  std::size_t jobs_failed() const { return jobs_failed_; }
  std::uint64_t events() const { return events_; }
  bool stuck() const { return stuck_; }
  // Cut off: past the end of the clock, or asked for plans again and again while nothing began or ended.
  bool endless() const { return endless_; }
  // When a task, node or job last changed; what follows was waiting for nothing.
  TimePoint last_progress() const { return last_task_; }

 private:
  enum class Kind : std::uint8_t { arrival, failure, node_return, copied, attempt_end, move_end, refusal };
  struct Happening {
    Kind kind;
    std::uint32_t index;
    std::uint32_t generation;
  };
  enum class TaskTruth : std::uint8_t { blocked, waiting, attempted, finished };
  struct TaskRecord {
    JobId job;
    std::uint32_t attempt = 0;
    TaskTruth state = TaskTruth::blocked;
  };
  struct JobRecord {
    TaskId first_task;
    std::uint32_t maps_left = 0, reduces_left = 0;
    std::size_t waiting = 0;            // tasks
    std::vector<Mebibytes> map_output;  // by zone
    std::uint32_t writes_left = 0;      // of replicas of its output
    bool held = false;                  // waits for jobs that have not ended
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
    TimePoint start{}, end{};  // end: of one without a shared link
    FlowId flow;               // none: no shared link
    bool live = false;
    bool refused = false;
    bool needless = false;  // the target has it already
    JobId writer;           // whose output is written; none: a move that somebody asked for
  };
  enum class FlowUse : std::uint8_t { attempt, move, push };
  struct FlowOwner {
    FlowUse use = FlowUse::attempt;
    std::uint32_t index = 0;  // of the attempt, move or job
    std::uint32_t part = 0;
  };
  struct StoreRecord {
    Mebibytes used, reserved, extra;
    TimePoint extra_since{};
  };

  // simulated_cluster.cpp: the clock, nodes and jobs
  Heartbeats::Beat next_beat() const;
  void advance_to(TimePoint instant);
  void happen(const Happening& happening);
  template <class Event>
  void emit(Event event) {
    said_.emplace_back(std::in_place_type<Event>, std::move(event));
    ++events_;
  }
  void arrive();
  void release(JobId job, TaskKind kind);
  void release_level(JobId job);
  void end_if_done(JobId job);
  void end_job(JobId job, bool finished);
  void fail_node(std::uint32_t failure);
  void return_node(std::uint32_t failure);
  bool over() const { return jobs_finished_ + jobs_failed_ == scenario_.jobs.size(); }
  bool nothing_to_come() const;
  bool hopeless() const;
  bool out_of_time();
  bool loss_not_yet_said(NodeId node) const;
  void update_heartbeat(NodeId node);
  void change_waiting(JobId job, std::int64_t by);

  // simulated_tasks.cpp
  const Task& task(TaskId id) const;
  const Job& job(JobId id) const { return scenario_.jobs[id.index()].job; }
  std::uint32_t new_attempt(const Assignment& assignment);
  bool readable(const Assignment& assignment) const;
  void read_block(std::uint32_t index);
  void read_stripe(std::uint32_t index);
  void decode(std::uint32_t index);
  bool reads_from(const Attempt& attempt, StoreId store) const;
  void cut_reads(Attempt& attempt, AttemptEnd& end);
  void compute(std::uint32_t index);
  void schedule_end(std::uint32_t index);
  void flow_ended(const FlowOwner& owner);
  void finish_attempt(std::uint32_t index);
  void lose_attempt(std::uint32_t index, bool say_so);
  void count_map_output(JobId job, NodeId node);
  void keep_copy(const Assignment& assignment);
  void end_attempt(std::uint32_t index, AttemptEnd::Outcome outcome);
  FlowId start_flow(const Path& path, Mebibytes size, const FlowOwner& owner);

  // simulated_shuffle.cpp
  void read_shuffle(std::uint32_t index);
  bool waits_for_pushes(std::uint32_t index);
  void push_map_output(JobId job, NodeId node);
  void push_ended(JobId job);

  // simulated_data.cpp
  bool has_space(StoreId store, Mebibytes size) const;
  void add_replica(BlockId block, const Replica& replica);
  void remove_replica(BlockId block, StoreId store);
  void change_extra(StoreId store, Mebibytes by);
  void send(Move& move);
  void add_move(const Move& move);
  void end_move(std::uint32_t index, bool whole);

  // simulated_output.cpp
  void write_output(const Assignment& assignment);
  void write_block(JobId job, BlockId block, const Assignment& assignment);
  std::vector<StoreId> output_stores(BlockId block, const Assignment& assignment) const;
  StoreId other_store(NodeId writer, RackId rack, bool same_rack, BlockId block,
                      const std::vector<StoreId>& taken) const;
  void start_write(JobId job, BlockId block, StoreId from, StoreId to);
  void end_write(std::uint32_t index, bool whole);
  void tell_waiting_jobs(JobId ended, bool finished);
  void lose_store(StoreId store, bool comes_back, std::uint32_t failure);
  void fail_jobs_without_data();
  bool gone_for_good(BlockId block) const {
    return replicas_[block].empty() && (copies_away_.empty() || copies_away_[block.index()] == 0);
  }
  bool lost_for_good(BlockId block) const;  // and cannot be decoded either
  bool needs_lost_data(JobId job) const;

  const Scenario& scenario_;
  RunListener& listener_;
  Cadence cadence_;
  TimePoint now_{};
  EventQueue<Happening> queue_;
  SharedNetwork network_;
  NetworkPaths paths_;
  Heartbeats heartbeats_;
  Resources least_request_;
  std::vector<ClusterEvent> said_;     // at the next wait()
  std::vector<NodeId> losses_to_say_;  // of nodes, among them
  std::vector<FlowId> ended_flows_;
  std::vector<FlowOwner> flow_owner_;

  IdVector<NodeId, Resources> free_;
  std::vector<bool> up_;
  std::vector<Attempt> attempts_;
  std::vector<std::uint32_t> free_attempts_;
  std::vector<JobRecord> jobs_;
  std::vector<std::uint32_t> waits_for_;  // by job of the scenario: how many jobs that have not ended; none: empty
  std::vector<std::vector<JobId>> waiting_for_me_;
  std::vector<bool> doomed_;  // waits for a job that failed
  IdVector<TaskId, TaskRecord> tasks_;
  std::size_t waiting_ = 0;  // tasks
  std::size_t running_ = 0;
  std::size_t next_arrival_ = 0;

  IdVector<BlockId, std::vector<Replica>> replicas_;
  IdVector<StoreId, StoreRecord> stores_;
  IdVector<StoreId, std::vector<BlockId>> held_;  // blocks that were once put there; filled only when nodes fail
  std::vector<std::vector<std::pair<BlockId, Replica>>> away_;  // by failure: replicas that come back with the node
  std::vector<std::uint32_t> copies_away_;                      // by block
  std::vector<Move> moves_;
  std::size_t moves_live_ = 0;

  std::size_t jobs_finished_ = 0, jobs_failed_ = 0;
  std::uint64_t events_ = 0;
  std::size_t returns_and_failures_to_come_ = 0;
  TimePoint last_progress_{};  // of a task, a move, a node or an arrival
  TimePoint last_task_{};      // the same without moves
  std::uint64_t waits_ = 0;    // since a task, node or job last changed
  TimePoint last_change_{};    // of a task, node or job, as of the last wait
  bool stuck_ = false, endless_ = false;
};

}  // namespace lips::simulation
