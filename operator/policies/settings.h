// The knobs of all policies by family, with their defaults. A policy reads those that concern it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/degraded_read.h"
#include "model/targets.h"

namespace lips {

// The sum that a plan minimises: the bill of a cloud, or CPU-seconds at the prices of their nodes (the LiPS paper).
enum class Billing : std::uint8_t { invoice, use };
inline constexpr std::array<std::string_view, 2> billing_names{"invoice", "use"};
constexpr std::string_view to_string(Billing billing) { return billing_names[static_cast<std::size_t>(billing)]; }
enum class AdaptiveEpoch : std::uint8_t { off, on };
enum class ShareRounding : std::uint8_t { down, nearest, up };  // of a group's slots, AS w
enum class DegradedNodeTest : std::uint8_t { prose, listing };  // refuse when ts > E[ts]; allow only when ts < E[ts]
enum class NodePower : std::uint8_t { counts, ignored };
enum class UnreachableCost : std::uint8_t { by_formula, one };  // of tasks without a replica beside an idle slot

// Readings of the modified fair scheduler's text (docs/modified-fair.md).
enum class NoneToNode : std::uint8_t { text, printed };            // Table 3, row None->Node
enum class MinorAdjustment : std::uint8_t { table, text, off };    // of jobs at the highest or lowest priority
enum class EmptyRatio : std::uint8_t { zero, one };                // workload 0 over minimum 0
enum class PendingFirst : std::uint8_t { most, least };            // in the order of jobs: by JobPendingRatio
enum class ShareBase : std::uint8_t { free_slots, all_slots };     // what is divided among the pools
enum class DelaySample : std::uint8_t { refused, since_arrival };  // which waits the delays are the mean of

struct ModifiedFairSettings {
  // The five mechanisms.
  bool small_pool = true;
  bool demand_shares = true;
  bool resource_order = true;
  bool adaptive_delays = true;
  bool moving_priority = true;
  Duration update_every = std::chrono::milliseconds(500);
  NoneToNode none_to_node = NoneToNode::text;
  MinorAdjustment minor_adjustment = MinorAdjustment::table;
  EmptyRatio empty_ratio = EmptyRatio::zero;
  PendingFirst pending_first = PendingFirst::most;
  ShareBase share_base = ShareBase::free_slots;
  DelaySample delay_sample = DelaySample::refused;
};

// The parts of `pipeline`.
enum class PipelineShares : std::uint8_t { none, fair, demand, capacity };
enum class PipelineAmounts : std::uint8_t { lips, all };
enum class PipelinePlaces : std::uint8_t { planned, lsap, nearest };
enum class PipelineOrder : std::uint8_t { planned, arrival, fair, modified_fair, degraded_first };

struct PipelineSettings {
  PipelineShares shares = PipelineShares::none;
  PipelineAmounts amounts = PipelineAmounts::lips;
  PipelinePlaces places = PipelinePlaces::planned;
  PipelineOrder order = PipelineOrder::planned;
};

// lips. With a horizon: one time slot of that length, filled several waves deep; without: time slots of waiting.
struct LipsSettings {
  Billing billing = Billing::invoice;
  // An hour's wait of a CPU-second costs this many times the mean price of a CPU-second: 0.5 thrifty, 1, 2 balanced, 4
  // fast. Unset: by the cluster (policies/waiting_price.h).
  std::optional<double> waiting_price;
  // Core-hours: a job's wait counts as that of so much work more than waits of it. Unset: as above.
  std::optional<double> waiting_per_job;
  bool queue_charge = true;  // a wait counts for all that comes until the queue is empty, at the measured load
  std::vector<Duration> time_slot_edges = {
      std::chrono::minutes(0),   std::chrono::minutes(2),  std::chrono::minutes(5),  std::chrono::minutes(10),
      std::chrono::minutes(20),  std::chrono::minutes(40), std::chrono::minutes(80), std::chrono::minutes(160),
      std::chrono::minutes(320), std::chrono::minutes(640)};
  Duration horizon{0};
  Duration plan_ahead =
      std::chrono::seconds(2);  // time slots: also assigns the next task to slots expected to free within this
  bool copy_columns = false;    // copies of shared data as columns of the model, moved ahead of reading
  Usd fast_path_limit{0.01};    // a job whose whole CPU costs at most this at the dearest price goes at once; 0: off
  double order_factor = 20;     // k in policies/lips/demand/job_order.h
  bool home_zones = true;       // a home zone for each job with shuffle
  Duration settle = std::chrono::seconds(3);        // peers of an unknown number arrive in such a time
  Duration keep_room = std::chrono::minutes(2);     // for peers that have not arrived, or do not fit yet
  Duration keep_budget = std::chrono::minutes(2);   // of all cores: a pool that owes more keeps no room (unpaid_room.h)
  bool keep_copies = true;                          // remote reads stay as extra copies
  Duration expected_reach = std::chrono::hours(2);  // room is left for work that is expected within this; 0: none
  Usd move_cost{0.0001};  // of a move beside the transfer, with `billing: invoice`: its Job, pod and requests
  Duration drop_copies_after = std::chrono::hours(2);
  UsdPerMebibyte locality_price{0};  // of a MiB that is not read on the node itself
  double makespan_tolerance = 0;     // d: the shortest makespan among plans within (1 + d) of the least cost; 0: off
};

// lips-paper, lips-offline, lips-offline-simple (docs/paper-model.md).
struct PaperSettings {
  Duration epoch = std::chrono::seconds(600);  // lips-paper; 0: greedy
  AdaptiveEpoch adaptive_epoch = AdaptiveEpoch::off;
  Duration uptime = std::chrono::hours(24);  // offline: that every node can still run
  CpuSeconds least_task{0};                  // portions of less work are rounded up to this
};

// The settings of delay scheduling, also in the fair schedulers.
struct DelaySettings {
  Duration node = std::chrono::seconds(5);   // wait for a node-local slot
  Duration rack = std::chrono::seconds(10);  // further wait for a rack-local slot
};

struct StarburstSettings {
  Duration wait_per_cpu_hour = std::chrono::seconds(60);  // of a job's work, for cheap room
};

// lsap, lsap-uniform, lsap-fair (docs/lsap.md).
struct LsapSettings {
  double rack_cost = 0, zone_cost = 0, remote_cost = 0;  // of a read; all 0: its size over the bandwidth
  Duration patience = std::chrono::minutes(10);  // waiting so much longer outweighs any other cost; 0: no ageing
  double alpha = 0;                              // lsap-fair: times the locality cost; 0: the dearest read costs 100
  double beta = 0;  // lsap-fair: of tasks beyond a share; 0: the least that makes them dearer than any within one
  ShareRounding rounding = ShareRounding::nearest;
  UnreachableCost unreachable = UnreachableCost::by_formula;
};

// locality-first, degraded-first-basic, degraded-first (docs/degraded-first.md).
struct DegradedSettings {
  SourceChoice sources = SourceChoice::random;  // every policy's degraded tasks
  DegradedNodeTest node_test = DegradedNodeTest::prose;
  NodePower power = NodePower::counts;  // in ts: work over the node's cores times speed, or work alone
  Duration read_time{0};                // ASSIGNTORACK's threshold; 0: (R - 1) k S / (R W)
};

struct PolicySettings {
  // The pace of those that plan on events, and of those that plan on heartbeats.
  Duration replan_every = std::chrono::seconds(30);
  Duration replan_least = std::chrono::seconds(1);
  Duration heartbeat = std::chrono::seconds(3);
  double reduce_slots =
      0;  // hadoop-default, fair, capacity, modified-fair: of each node, for reduces only; 0: a slot takes either
  Targets targets;  // of all pools together; held by moving the price of waiting (targets/)
  LipsSettings lips;
  PaperSettings paper;
  DelaySettings delay;
  StarburstSettings starburst;
  ModifiedFairSettings modified_fair;
  LsapSettings lsap;
  DegradedSettings degraded;
  PipelineSettings pipeline;
};

}  // namespace lips
