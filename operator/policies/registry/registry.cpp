#include "policies/registry/registry.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "policies/baselines/baselines.h"
#include "policies/lips_horizon/lips_horizon.h"
#include "policies/papers/degraded/degraded_policies.h"
#include "policies/papers/degraded/degraded_tail.h"
#include "policies/papers/fair/fair.h"
#include "policies/papers/lips_paper/lips_offline.h"
#include "policies/papers/lips_paper/lips_paper.h"
#include "policies/papers/lsap/lsap_policy.h"
#include "policies/papers/pipeline/pipeline.h"

namespace lips {

namespace {

constexpr auto table = std::to_array<PolicyEntry>({
    {"lips", "least dollars: one linear program for tasks and data, waiting, fairness and locality priced",
     tailed<make_lips_as_set>},
    {"hadoop-default",
     "Hadoop's FIFO (0.20 to 1.2.1): jobs by priority and arrival, node-local, then rack-local, then any",
     make_hadoop_default},
    {"delay", "delay scheduling on fair pools: a job waits a little for a slot near its data", make_delay},
    {"fifo", "first in, first out, onto the first free node", tailed<make_fifo>},
    {"spread", "as kube-scheduler by default: the least allocated node, wherever the data is", tailed<make_spread>},
    {"most-allocated", "kube-scheduler's other score: the most allocated node that has room, so that others run empty",
     tailed<make_most_allocated>},
    {"own-zone-cheapest", "the cheapest free slot of a zone that holds the data; waits when it has none",
     tailed<make_own_zone_cheapest>},
    {"greedy-cheapest", "job by job, each task to the free slot of least CPU plus transfer dollars",
     tailed<make_greedy_cheapest>},
    {"single-zone-round-robin", "a zone for each job, in turn, and all its tasks there, as people pin them by hand",
     tailed<make_single_zone_round_robin>},
    {"starburst", "a job waits for cheap room a time in proportion to its work, then pays for any room",
     tailed<make_starburst>},
    {"stratus", "tasks that end together share a node, so that nodes are full or else empty and can go",
     tailed<make_stratus>},
    {"eva",
     "a node holds tasks whose reservation prices, each the price of the cheapest type for it, are worth its own",
     tailed<make_eva>},
    {"lips-paper",
     "the LiPS paper to the letter: one program a fixed epoch, an overflow node, requeueing; epoch 0 is greedy",
     tailed<make_lips_paper>},
    {"lips-offline", "LiPS's offline model (Fig. 3): all that is pending over the nodes' uptime; data may move",
     tailed<make_lips_offline>},
    {"lips-offline-simple", "LiPS's simple task scheduling (Fig. 2): as lips-offline, but data stays where it is",
     tailed<make_lips_offline_simple>},
    {"fair", "Hadoop 1.2.1's fair scheduler: pools with minimum, maximum and weight, delay scheduling, no preemption",
     make_fair},
    {"capacity", "Hadoop 1.2.1's capacity scheduler: queues with capacity and maximum, FIFO by priority inside",
     make_capacity},
    {"modified-fair",
     "fair with a pool for small jobs, shares by demand, order by resources, adaptive delays and moving priorities",
     make_modified_fair},
    {"dl-sched", "slot by slot in random order: a task whose input is on the node, else on its rack, else any",
     tailed<make_dl_sched>},
    {"lsap", "all idle slots and waiting tasks as one assignment problem of least transfer time", tailed<make_lsap>},
    {"lsap-uniform", "as lsap, with one cost for every read that is not local", tailed<make_lsap_uniform>},
    {"lsap-fair", "as lsap, with the pools' fairness added to the cost of each task", tailed<make_lsap_fair>},
    {"locality-first", "Hadoop's order for erasure-coded data: local, remote, and last the tasks that must decode",
     make_locality_first},
    {"degraded-first-basic", "as locality-first, but tasks that must decode are paced over the map phase",
     make_degraded_first_basic},
    {"degraded-first", "the same, with locality preservation and rack awareness", make_degraded_first},
    {"pipeline", "parts put together: shares, amounts, places and order, each from one of the schedulers above",
     make_pipeline, check_pipeline},
});

}  // namespace

std::span<const PolicyEntry> policy_registry() { return table; }

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicySettings& settings) {
  std::string names;
  for (const PolicyEntry& entry : table) {
    if (entry.name == name) {
      if (entry.check)
        if (Result<void> checked = entry.check(settings); !checked) return tl::unexpected<Error>(checked.error());
      return entry.make(settings);
    }
    fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return fail(ErrorCode::not_found, fmt::format("there is no policy '{}'; there are: {}", name, names));
}

}  // namespace lips
