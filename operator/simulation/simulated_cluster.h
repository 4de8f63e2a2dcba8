// A cluster on a virtual clock that carries out actions and reports events, as Kubernetes would. The truth of a
// simulated run: knows no policy and shares no state with the controller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "controller/cluster_client.h"
#include "policies/policy.h"
#include "simulation/run_listener.h"
#include "simulation/scenario.h"
#include "simulation/truth_data.h"
#include "simulation/truth_fleet.h"
#include "simulation/truth_jobs.h"
#include "simulation/truth_output.h"
#include "simulation/truth_services.h"
#include "simulation/truth_shuffle.h"
#include "simulation/truth_tasks.h"
#include "simulation/world.h"

namespace lips::simulation {

class SimulatedCluster : public ClusterClient {
 public:
  // The scenario and the listener must outlive this.
  SimulatedCluster(const Scenario& scenario, const Cadence& cadence, RunListener& listener,
                   ServiceScore services = ServiceScore::least_allocated);

  TimePoint now() const override { return world_.now; }
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override;
  // Accepts every binding. A refused one comes back as TaskLost, as from a kubelet.
  Result<PreparedBinding> prepare(const Assignment& assignment) override { return PreparedBinding{assignment, ""}; }
  void bind(const PreparedBinding& binding) override { tasks_.bind(binding); }
  void request_nodes(const std::optional<std::vector<NodeRequest>>& requests) override { fleet_.request(requests); }
  void start_move(MoveId id, const DataMove& move) override { data_.start_move(id, move); }
  void drop(const ReplicaDrop& drop) override { data_.drop(drop); }
  void reclaim(const Reclaim& reclaim) override { tasks_.reclaim(reclaim.task); }
  void remember(const Remembered&) override {}
  void remember_shares(const ShareMemory&) override {}
  void remember_targets(const std::vector<TargetDebt>&) override {}

  // Lets time pass after the end of all jobs: nodes that are empty go when the autoscaler takes them.
  void go_on_until(TimePoint until);
  // Lets time pass while the controller thinks. The next wait() reports what happens meanwhile, heartbeats too.
  void think(Duration span);
  // When something will happen that no binding or move begins; the end of time: nothing.
  TimePoint next_change() { return std::min(world_.queue.next_time(), world_.network.next_end()); }
  // Says whether the task waits, so that it can be bound. Tasks of a job that has failed do not.
  bool waits(TaskId task) const {
    const TaskRecord& record = world_.tasks[task];
    return record.state == SimTaskState::waiting && !world_.jobs[record.job.index()].failed;
  }
  // Says whether the task is a reduce of a job that goes on, and whose maps have not all ended.
  bool waits_for_maps(TaskId task) const {
    const TaskRecord& record = world_.tasks[task];
    return record.state == SimTaskState::blocked && !world_.jobs[record.job.index()].failed;
  }
  bool has_ended(TaskId task) const { return world_.tasks[task].state == SimTaskState::finished; }
  bool runs(TaskId task) const { return world_.tasks[task].state == SimTaskState::attempted; }
  bool is_up(NodeId node) const { return world_.up[node.index()]; }
  std::vector<ServicePods> services() const { return services_.seen_pods(); }
  // The number of pods on the node of each service, by its place in the scenario.
  const std::map<std::uint32_t, std::uint32_t>& services_on(NodeId node) const { return services_.pods_on(node); }
  // Says whether a node that is up has no room for the task.
  bool is_full(NodeId node, TaskId task) const {
    return world_.up[node.index()] && !fits(world_.job(world_.tasks[task].job).request, world_.free[node]);
  }
  // Asks for nodes like request_nodes(); `marked`: tasks are marked so that the autoscaler does not evict them to save
  // a node.
  void request_nodes(const std::vector<NodeRequest>& requests, bool marked) { fleet_.request(requests, marked); }
  // The replica that the node reads fastest, and of these the cheapest; none: there is no replica.
  StoreId nearest_source(BlockId block, NodeId node) const;
  bool is_last_replica(BlockId block, StoreId store) const {
    const std::vector<Replica>& replicas = world_.replicas[block];
    return replicas.size() == 1 && replicas.front().store == store;
  }
  // Whoever made the job has it fail. What runs of it goes on until it ends or is reclaimed.
  void give_up(JobId job) { jobs_.end_job(job, false); }
  // The run is hopeless when nothing begins or ends for so long, and nothing is to come.
  void set_patience(Duration patience) { patience_ = patience; }
  // Closes open accounts (storage of extra copies, attempts that still run). Call once, after the run.
  void close();

  std::size_t jobs_total() const { return world_.scenario.jobs.size(); }
  std::size_t jobs_finished() const { return world_.jobs_finished; }
  std::size_t jobs_failed() const { return world_.jobs_failed; }
  std::uint64_t events() const { return world_.events; }
  bool stuck() const { return stuck_; }
  // Says whether the run was cut off: past the end of the clock, or planning again and again while nothing began or
  // ended.
  bool endless() const { return endless_; }
  // When a task, node or job last changed; the time after it was idle.
  TimePoint last_progress() const { return world_.last_task; }
  // The present, or the last progress of a run that gets no further.
  TimePoint end_of_work() const { return stuck() || endless() ? last_progress() : now(); }

 private:
  Heartbeats::Beat next_beat() const;
  void answer_held_beats();
  void advance_to(TimePoint instant);
  void handle(const SimEvent& event);
  void fail_node(std::uint32_t failure);
  void return_node(std::uint32_t failure);
  bool nothing_to_come() const;
  bool hopeless() const;
  bool out_of_time();
  bool over() const {
    return world_.jobs_finished + world_.jobs_failed == world_.scenario.jobs.size() && services_.over();
  }
  void end_instant();

  World world_;
  Peers peers_{jobs_, tasks_, shuffle_, data_, output_, services_, fleet_};
  TruthJobs jobs_{world_, peers_};
  TruthTasks tasks_{world_, peers_};
  TruthShuffle shuffle_{world_};
  TruthData data_{world_};
  TruthOutput output_{world_, peers_};
  TruthServices services_;
  TruthFleet fleet_{world_, peers_};
  std::vector<FlowId> ended_flows_;
  std::size_t returns_and_failures_to_come_ = 0;
  std::uint64_t waits_ = 0;  // since a task, node or job last changed
  TimePoint last_change_{};  // of a task, node or job, as of the last wait
  Duration patience_ = std::chrono::hours(1);
  bool stuck_ = false, endless_ = false;
};

}  // namespace lips::simulation
