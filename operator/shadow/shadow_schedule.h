// Where the policy would have put the pods of other schedulers, kept up step by step beside what those schedulers did.
// Its pods end when the real ones do. Carries nothing out; reads no clock.
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

namespace lips {

struct ShadowRules {
  std::string policy = "lips";
  PolicySettings settings;
  std::uint64_t seed = 1;
  std::uint64_t most_tasks = 20'000;  // pending; more are not planned
};

class ShadowSchedule {
 public:
  // Plans the pods that have no place yet, on the room that the others leave, and returns those that have ended. It
  // copies no data: reads of later pods stay as dear as they are.
  std::vector<WatchedEnd> step(WatchedCluster watched, const ShadowRules& rules);
  std::size_t kept() const { return pods_.size(); }

 private:
  struct Place {
    std::string node;  // empty: one that would be launched for it
    UsdPerCpuSecond price;
    double speed = 1;
    FleetKind fleet = FleetKind::fixed;
    Usd transfer;
  };
  struct Known {
    std::optional<Place> actual, planned;
    TimePoint since{}, started{}, planned_start{};
    bool was_planned = false;  // took part in a plan
    std::uint64_t step = 0;
  };
  struct Note {
    JobMemory memory;
    std::string home;  // its zone
  };
  void occupy(WatchedCluster& watched);
  void recall(ClusterState& state) const;
  void remember(const ClusterSnapshot& cluster, const Plan& plan);
  bool plan(const advice::Question& question, const IdVector<TaskId, WatchedPod>& pods, std::uint64_t most_tasks);
  static Place place_at(const Node& node, Usd transfer);
  static std::optional<WatchedEnd> end_of(const WatchedPod& pod, const Known& known, Cores held, TimePoint now);

  std::unordered_map<std::string, Known> pods_;  // by id
  std::unordered_map<std::string, Note> notes_;  // the policy's memory of jobs, by name
  std::uint64_t steps_ = 0;
};

}  // namespace lips
