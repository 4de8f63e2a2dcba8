// Where the policy would have put the pods of other schedulers, kept up step by step beside what those schedulers did,
// and what both cost so far. Its pods end when the real ones do. Carries nothing out; reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "advice/question.h"
#include "model/watched_cluster.h"
#include "model/watched_dollars.h"
#include "policies/settings.h"
#include "shadow/job_exchange.h"
#include "shadow/seen_zones.h"

namespace lips {

struct ShadowRules {
  std::string policy = "lips";
  PolicySettings settings;
  std::uint64_t seed = 1;
  std::uint64_t most_tasks = 20'000;  // pending; more are not planned
};

class ShadowSchedule {
 public:
  // Plans the pods that have no place yet, on the room that the others leave, and returns what each job has cost since
  // the last step, by namespace and job. It copies no data: reads of later pods stay as dear as they are.
  std::vector<WatchedChange> step(WatchedCluster watched, const ShadowRules& rules);
  std::size_t kept() const { return pods_.size() + exchanges_.size(); }

 private:
  struct Place {
    std::string node;  // empty: one that would be launched for it
    ZoneId zone;       // of SeenZones
    UsdPerCpuSecond price;
    double speed = 1;
    FleetKind fleet = FleetKind::fixed;
    Usd transfer;  // of all that it reads
  };
  struct Known {
    std::optional<Place> actual, planned;
    TimePoint since{}, started{}, planned_start{};
    Duration before{};       // for which it had run when it was found
    double done_before = 0;  // of its work
    WatchedDollars told, told_planned;
    bool was_planned = false;  // took part in a plan
    bool exchanges = false;    // with the others of its job, which know of it
    std::uint64_t step = 0;
  };
  struct Note {
    JobMemory memory;
    std::string home;  // its zone
  };
  struct Exchange {
    JobExchange job;
    TimePoint seen{};
    std::uint64_t step = 0;
  };
  // One step: the cluster as the plan has it, and its pods.
  struct Look {
    advice::Question question;
    IdVector<TaskId, WatchedPod> pods;
    IdVector<JobId, WatchedJob> jobs;
    IdVector<JobId, Exchange*> exchanges = {};  // null: its pods exchange nothing
    const Job& job_of(TaskId task) const { return question.cluster.jobs[question.cluster.tasks[task].job]; }
  };
  void meet(const WatchedCluster& watched);
  void occupy(WatchedCluster& watched);
  void recall(ClusterState& state) const;
  void remember(const ClusterSnapshot& cluster, const Plan& plan);
  void look_at_exchanges(Look& look);
  void put_map_output(Look& look) const;
  void settle(const Look& look);
  bool plan(const Look& look, std::uint64_t most_tasks);
  Place place_at(const ClusterSnapshot& cluster, NodeId node, Usd transfer) const;
  void count(const Look& look, TaskId task, WatchedSum& more);
  std::vector<WatchedChange> count_all(const Look& look);
  void forget(TimePoint now);

  std::unordered_map<std::string, Known> pods_;          // by id
  std::unordered_map<std::string, Note> notes_;          // the policy's memory of jobs, by name
  std::unordered_map<std::string, Exchange> exchanges_;  // by whole job
  SeenZones zones_;
  std::uint64_t steps_ = 0;
};

}  // namespace lips
