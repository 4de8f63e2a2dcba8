// A plan: the whole outcome of one decision, as a value that others carry out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/costs.h"
#include "model/expected_work.h"
#include "model/held_room.h"
#include "model/offers.h"
#include "model/stripe_sources.h"
#include "model/work.h"

namespace lips {

struct Assignment {
  TaskId task;
  NodeId node;
  StoreId read_from;  // none: reads no block, or decodes it
  StoreId keep_in;    // a store of the reader's zone that keeps what was read as an extra copy; none: nothing is kept
  StripeSources sources = {};          // a degraded task decodes its lost block from these
  StoreId write_to = StoreId::none();  // for blocks that the task writes; none: the file system chooses
  static constexpr auto fields = field_names("task", "node", "readFrom", "keepIn", "sources", "writeTo");
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

// Copies a block; the old replica goes once the new one is verified when `drop_source` is set.
struct DataMove {
  BlockId block;
  StoreId from, to;
  bool drop_source = false;
  static constexpr auto fields = field_names("block", "from", "to", "dropSource");
  friend bool operator==(const DataMove&, const DataMove&) = default;
};

struct ReplicaDrop {
  BlockId block;
  StoreId store;
  static constexpr auto fields = field_names("block", "store");
  friend bool operator==(const ReplicaDrop&, const ReplicaDrop&) = default;
};

// A running task is taken back: it ends, its work is lost, and it waits again.
struct Reclaim {
  TaskId task;
  PoolId pool;  // a task of this pool starts in its room; where it is its own, one of a higher priority
  Usd lost;     // its CPU and its reads so far
  static constexpr auto fields = field_names("task", "pool", "lost");
  friend bool operator==(const Reclaim&, const Reclaim&) = default;
};

enum class DeferralReason : std::uint8_t {
  no_capacity,     // nothing that fits is free
  waits_for_node,  // a node was requested
  cheaper_later,   // waiting costs less than what is free now (a later time slot, or the paper's overflow node)
  waits_for_data,  // a replica is on its way
  waits_for_locality,
  pool_maximum,
  not_eligible,  // no node may take it
  not_considered,
  plan_refused,     // the controller refused the plan or the policy failed; the next plan decides
  waits_for_peers,  // tasks that start together have not all arrived, or find no room together yet
};

struct Deferral {
  TaskId task;
  DeferralReason reason;
  static constexpr auto fields = field_names("task", "reason");
  friend bool operator==(const Deferral&, const Deferral&) = default;
};

struct Remembered {
  JobId job;
  JobMemory memory;
  static constexpr auto fields = field_names("job", "memory");
};

enum class ModelForm : std::uint8_t { none, greedy, zone, zone_with_copies, mixed, classes, nodes };
std::string_view to_string(ModelForm form);
std::string_view to_string(DeferralReason reason);

// Wall time of the stages, for people only: no decision depends on it. 0 where no stopwatch ran.
struct StageTimes {
  double group = 0, solve = 0, round = 0, pack = 0, locality = 0, total = 0;  // seconds
  static constexpr auto fields = field_names("group", "solve", "round", "pack", "locality", "total");
};

struct ShadowPrice {
  std::string of;  // "zone us-east-1a", "pool etl", "link a -> b"
  double usd_per_unit = 0;
  std::string unit;
  static constexpr auto fields = field_names("of", "usdPerUnit", "unit");
};

// The part that one reason adds to the price of the work that a plan starts (policies/lips/prices).
struct TermDollars {
  std::string term;
  Usd usd;
  static constexpr auto fields = field_names("term", "usd");
};

// Shares of the pool's dominant resource (model/entitlements.h), 0 to 1, with what the plan starts.
struct PoolSharing {
  std::string pool;
  double entitlement = 0, use = 0, wanted = 0;
  double held = 0;      // of room that stays empty for tasks of the pool; no part of its use
  double lent = 0;      // of what it is entitled to, that others use
  double borrowed = 0;  // above what it is entitled to
  // USD that one more core-hour of its share would save, at the program's prices.
  double price_of_sharing = 0;
  static constexpr auto fields =
      field_names("pool", "entitlement", "use", "wanted", "held", "lent", "borrowed", "priceOfSharing");
};

struct PlanAccount {
  Usd cpu, transfer, shuffle, copies, storage;  // cost of the assignments and moves of this plan
  Usd waiting, locality, fairness;              // priced preferences in the objective
  std::optional<Usd> objective, lower_bound;    // of the model: cost of this plan in the model's terms, certified bound
  double gap = 0;                               // (objective - lower_bound) / lower_bound
  Usd loss;                                     // what whole tasks cost above the program's amounts; a part of the gap
  std::vector<TermDollars> terms;               // of the work that this plan starts, as it was priced
  ModelForm form = ModelForm::none;
  bool fell_back = false;
  std::uint32_t groups = 0, classes = 0;
  std::int64_t rows = 0, columns = 0;
  std::optional<double> home_gap;   // of the home zones chosen with this plan: (cost - bound) / bound
  std::uint32_t jobs_apart = 0;     // jobs of peers that this plan starts in several zones
  std::vector<KeptRoom> kept_room;  // by expected work, then zone
  std::vector<HeldRoom> held;       // as the stages of the plan hold it
  // The locality of planned reads: the share on the node itself, and the most that is possible with these places.
  std::optional<double> node_local_share, node_local_bound;
  std::vector<ShadowPrice> shadow_prices;
  std::vector<PoolSharing> sharing;  // by pool; empty: the policy has no shares
  StageTimes seconds;
  static constexpr auto fields = field_names(
      "cpu", "transfer", "shuffle", "copies", "storage", "waiting", "locality", "fairness", "objective", "lowerBound",
      "gap", "loss", "terms", "form", "fellBack", "groups", "classes", "rows", "columns", "homeGap", "jobsApart",
      "keptRoom", "held", "nodeLocalShare", "nodeLocalBound", "shadowPrices", "sharing", "seconds");
  Usd dollars() const { return cpu + transfer + shuffle + copies + storage; }
  CpuSeconds expected_room() const {
    CpuSeconds sum;
    for (const KeptRoom& kept : kept_room) sum += kept.work;
    return sum;
  }
};

// Every pending task is assigned, or named in deferrals, or else deferred for the reason `rest`: exactly once.
struct Plan {
  std::vector<DataMove> moves;
  std::vector<ReplicaDrop> drops;
  // In order of dispatch. A node may get more than fits now: the rest starts as room becomes free.
  std::vector<Assignment> assignments;
  // Assignments of the pools for which these are taken back wait for their room.
  std::vector<Reclaim> reclaims;
  std::vector<Deferral> deferrals;
  // Deferred tasks for which an autoscaler is to launch nodes; absent: every task that finds no room asks for any node.
  std::optional<std::vector<NodeRequest>> node_requests;
  DeferralReason rest = DeferralReason::not_considered;
  std::vector<Remembered> remember;
  std::optional<ShareMemory> remember_shares;
  bool copies_reviewed = false;          // idle extra copies were looked for
  std::optional<Duration> replan_after;  // plan again after this time even if nothing happens
  PlanAccount account;
  static constexpr auto fields =
      field_names("moves", "drops", "assignments", "reclaims", "deferrals", "nodeRequests", "rest", "remember",
                  "rememberShares", "copiesReviewed", "replanAfter", "account");
};

// How many of the pending tasks wait, by reason.
EnumArray<DeferralReason, std::uint64_t> count_deferred(const Plan& plan, std::uint64_t pending);

}  // namespace lips
