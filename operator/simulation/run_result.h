// The result of a simulated run, as a plain value. Equal scenarios and policies give equal values, except `measured`.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "invoice/invoice.h"
#include "model/costs.h"
#include "model/plan.h"
#include "model/targets.h"
#include "model/work.h"

namespace lips::simulation {

// A quantity over time: value[channel][bin] is its mean over the bin; bins begin with the run.
struct Series {
  Duration bin{};
  std::vector<std::string> channels;
  std::vector<std::vector<double>> value;
};

// Seconds from arrival to completion of finished jobs.
struct Completion {
  double mean = 0, p50 = 0, p95 = 0, max = 0;
};

// Jobs that would take at most two minutes alone on the cluster.
struct SmallJobs {
  std::uint64_t jobs = 0;
  double p95 = 0;                              // seconds
  double mean_slowdown = 0, p95_slowdown = 0;  // completion / time alone
};

struct LocalityCount {
  EnumArray<Locality, std::uint64_t> tasks;  // attempts that finished
  EnumArray<Locality, Mebibytes> read;

  // Tasks that read a block.
  std::uint64_t reading() const {
    return std::accumulate(tasks.begin(), tasks.end(), std::uint64_t{0}) - tasks[Locality::none];
  }
  // The share of those; 0 where there are none.
  double share(Locality level) const {
    return reading() > 0 ? static_cast<double>(tasks[level]) / static_cast<double>(reading()) : 0;
  }
};

// Reads of lost blocks of erasure-coded data; finished attempts.
struct DegradedReads {
  std::uint64_t tasks = 0;
  Mebibytes read;
};

struct CrossZone {
  Mebibytes map_reads, shuffle, moves;
};

// While a pool had unfinished tasks that could run. In core-seconds: shares of its dominant resource times all cores.
struct PoolFairness {
  std::string pool;
  double used = 0;
  double entitled = 0;             // by weighted max-min fairness over dominant resources
  double longest_below_share = 0;  // seconds on end with less than 95 % of what it was entitled to
};

struct Fairness {
  std::vector<PoolFairness> pools;
  Series share;                // of all cores, a channel a pool
  double jain = 1;             // index of used / entitled over pools with entitlement
  double worst_shortfall = 0;  // largest 1 - used / entitled
};

struct BusyInterval {
  NodeId node;
  JobId job;
  TaskKind kind = TaskKind::map;
  bool lost = false;
  TimePoint start{}, end{};
};

// Figures of elastic nodes.
struct FleetFigures {
  std::uint64_t launches = 0, interrupted = 0, empty = 0, underutilized = 0;  // the last three: why nodes went
};

// Tasks that were taken back for other pools, once for each time.
struct ReclaimedWork {
  std::uint64_t tasks = 0;
  Usd lost;  // a part of lost_work
};

struct Plans {
  std::uint64_t made = 0;
  std::uint64_t tasks_assigned = 0, moves = 0, drops = 0;
  EnumArray<DeferralReason, std::uint64_t> deferred;  // tasks that had to wait, by the last reason
  std::uint64_t with_bound = 0;
  double mean_gap = 0, worst_gap = 0;
  std::uint64_t fell_back = 0;
};

// The figures of a day in which jobs arrived, at the true prices: by use, or by invoice without storage and requests.
struct DayFigures {
  Usd dollars;
  double mean_wait = 0;  // seconds that a task waited although it could start
};

// A target, and what came of it at the true prices.
struct TargetOutcome {
  std::string pool;  // empty: of all together
  TargetKind kind = TargetKind::budget_per_day;
  double target = 0;                // dollars, or seconds
  std::vector<double> by_day;       // reached in each day with arrivals; complete-by: seconds too late
  std::optional<Duration> refused;  // since the start, when it was first said that it cannot be held
  std::string why;
};

// A target that jobs have for themselves.
struct OwnTarget {
  std::uint64_t jobs = 0, missed = 0;
  Duration worst{};       // beyond it; of a job that has not ended, so far
  std::string worst_job;  // that missed it by so much
};
struct OwnTargets {
  OwnTarget complete_by, max_wait;
};

// Depends on the machine: never compared, never part of a golden result.
struct Measured {
  double deciding = 0;  // seconds
};

struct RunResult {
  std::string scenario, policy;
  std::uint64_t seed = 0;

  Invoice invoice;  // as a cloud bills what happened
  // The invoice as foreseen when each binding and move was made (forecast.h); none where that is not known.
  std::optional<Usd> predicted;
  Bill bill;      // by use, as the LiPS paper bills: per CPU-second; lost work is in it
  Usd lost_work;  // the part of bill.cpu spent on lost work
  ReclaimedWork reclaimed;
  Usd nodes_all;        // node-hours of every node while it was up, over the makespan
  Usd nodes_when_used;  // node-hours counting only hours of the clock in which the node had a task
  Duration makespan{};  // from the start to the last job's end

  std::uint64_t jobs = 0, jobs_finished = 0, jobs_failed = 0;
  std::uint64_t tasks = 0, tasks_finished = 0, attempts_lost = 0;
  std::vector<std::string> unfinished;  // names of jobs, at most 20
  bool stuck = false;                   // ended because nothing could run
  bool endless = false;                 // cut off: it would have gone on without progress
  bool stopped = false;                 // by the user: a partial result

  Completion completion;
  double mean_wait = 0;  // seconds from a job's arrival to a task's start, weighted by work; tasks that finished
  SmallJobs small_jobs;
  LocalityCount locality;  // a degraded task counts by the most distant block that it read
  DegradedReads degraded;
  CrossZone cross_zone;
  Fairness fairness;
  Series utilisation;                               // of each class of nodes ("zone instance_type")
  std::vector<BusyInterval> busy;                   // clusters of at most 40 nodes
  bool busy_cut = false;                            // the list is full
  double core_hours_paid = 0, core_hours_used = 0;  // of all nodes; the part that attempts held
  FleetFigures fleet;
  Plans plans;
  std::vector<TargetOutcome> targets;
  OwnTargets own_targets;
  std::vector<DayFigures> by_day;
  std::uint64_t events = 0;

  Measured measured;
};

}  // namespace lips::simulation
