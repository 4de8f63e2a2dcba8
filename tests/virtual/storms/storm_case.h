// One storm as a value: what a seed draws of troubles and tenants, and what was left out of it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/random.h"
#include "kubernetes/adapter/kubernetes_cluster.h"

namespace lips::virtual_cluster::storms {

enum class Trouble : std::uint8_t {
  lost_requests,  // they never reach the server
  lost_answers,   // the server did what was asked
  busy,           // the server answers 429
  slow,           // the way takes seconds
  cut_watches,    // a watch breaks in the middle of a line
  late_events,    // a watch is seconds behind
  compactions,    // the server forgets old versions
  restarts,       // the operator ends between two turns
  kills,          // the operator is killed before it hears of a write
  clocks,         // each process has a clock of its own, up to a day from the server's
  outage,         // no server for minutes
  restore,        // the server's store goes back to a backup
  rights,         // some are taken away for minutes
  fields,         // the server drops a field of a status
  kinds,          // the definition of a kind is missing
  administrator,  // cordons nodes, sets and takes away taints, changes prices and pools
  careless,       // a tenant whose objects make no sense
  hostile,        // a tenant who says what only the operator may say
  quotas,         // ResourceQuotas of namespaces, which let few pods be there at a time
  budgets,        // PodDisruptionBudgets of jobs that may not be evicted
};
inline constexpr auto troubles = enumerators<Trouble>;
std::string_view to_string(Trouble trouble);
std::optional<Trouble> trouble_of(std::string_view name);

// The cluster, and who binds. A seed has one.
enum class Scene : std::uint8_t { fixed_bind, bought_bind, fixed_steer, bought_steer };
Scene scene_of(std::uint64_t seed);
inline bool buys_nodes(Scene scene) { return scene == Scene::bought_bind || scene == Scene::bought_steer; }
inline PodMode mode_of(Scene scene) {
  return scene == Scene::fixed_steer || scene == Scene::bought_steer ? PodMode::steer : PodMode::bind;
}

struct StormCase {
  std::uint64_t seed = 1;
  EnumArray<Trouble, bool> has{};
  std::size_t most_jobs = std::numeric_limits<std::size_t>::max();  // the scenario's first

  // Numbers for one purpose, whatever else the storm has.
  Random random(Trouble of) const { return Random(derive_seed(seed, 100 + static_cast<std::uint64_t>(of))); }
};
StormCase storm_of(std::uint64_t seed);

// The smallest storm found that still fails, with `jobs` jobs at most: one trouble after another is left out, and jobs
// are halved.
StormCase shrunk(StormCase storm, std::size_t jobs, const std::function<bool(const StormCase&)>& fails);

// The command that repeats it.
std::string command_of(const StormCase& storm);

}  // namespace lips::virtual_cluster::storms
