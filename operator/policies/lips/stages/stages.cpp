#include "policies/lips/stages/stages.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_set>
#include <utility>

#include "model/peers.h"
#include "policies/lips/account/account.h"
#include "policies/lips/account/sharing.h"
#include "policies/lips/data/copies.h"
#include "policies/lips/data/rescues.h"
#include "policies/lips/demand/commodities.h"
#include "policies/lips/demand/expected_room.h"
#include "policies/lips/demand/ineligible.h"
#include "policies/lips/gangs/kept_from.h"
#include "policies/lips/placing/far_reads.h"
#include "policies/lips/placing/node_requests.h"
#include "policies/lips/placing/reclaim.h"
#include "policies/lips/placing/reclaim_units.h"
#include "policies/lips/placing/task_selection.h"
#include "policies/lips/placing/waiting_priority.h"
#include "policies/lips/program/class_form.h"
#include "policies/lips/program/zone_form.h"
#include "policies/lips/supply/classes.h"

namespace lips {

namespace {

void rescue(PlanDraft& draft) { rescue_data(draft.input, draft.plan); }

void drop_copies(PlanDraft& draft) {
  if (draft.lips().keep_copies) drop_idle_copies(draft.cluster(), draft.lips().drop_copies_after, draft.plan);
}

TimeSlotSettings time_slots(const PlanDraft& draft) {
  const LipsSettings& lips = draft.lips();
  TimeSlotSettings slots;
  slots.edges = lips.time_slot_edges;
  // An autoscaler has room for whatever comes, when it comes.
  if (!draft.buys()) slots.edges = begin_slots_with_expected(draft.cluster(), draft.expected, slots.edges);
  slots.billing = lips.billing;
  slots.charge_queue = lips.queue_charge && lips.billing == Billing::invoice;
  slots.expected = draft.expected;
  slots.waiting_price = draft.waiting_price;
  return slots;
}

void make_supply(PlanDraft& draft) {
  draft.expected = count_on(draft.cluster(), draft.lips().expected_reach, draft.lips().keep_budget);
  draft.classes = make_classes(draft.cluster(), time_slots(draft));
  draft.free = draft.cluster().free;
  defer_ineligible(draft.cluster(), draft.classes, draft.plan.deferrals);
}

void keep_expected(PlanDraft& draft) {
  if (!draft.buys())
    draft.plan.account.kept_room =
        keep_expected_room(draft.cluster(), draft.input.costs, draft.expected, draft.classes);
}

CommoditySettings commodity_settings(const PlanDraft& draft) {
  CommoditySettings commodities;
  commodities.copies = copy_pricing(draft.cluster(), draft.lips());
  commodities.locality_price = draft.lips().locality_price;
  commodities.skip = draft.served;
  commodities.homes = draft.homes.zone;
  commodities.weights = draft.weights.in_price;
  commodities.order = job_order(draft.cluster(), draft.lips(), draft.weights.in_order,
                                draft.classes.mean_price * (draft.waiting_price * draft.classes.queue_charge));
  return commodities;
}

void share_room(PlanDraft& draft) {
  draft.shares = share_out(draft.cluster());
  draft.pools = PoolRoom(draft.cluster(), draft.shares);
  keep_room_of_reclaimed(draft.cluster(), draft.free);
}

// Gangs take room before others, so one waits for its turn where others come first: tasks of a higher priority, unless
// nodes are launched for both.
std::vector<bool> gangs_of_low_priority(const PlanDraft& draft) {
  if (draft.buys()) return {};
  const ClusterSnapshot& cluster = draft.cluster();
  WaitingPriority others(cluster, draft.pools);
  for (const JobId id : cluster.pending)
    if (const Job& job = cluster.jobs[id]; !job.whole.peers) others.add(job);
  std::vector<bool> later(cluster.jobs.size(), false);
  for (const JobId id : cluster.pending) later[id.index()] = !others.is_reached(cluster.jobs[id]);
  return later;
}

PeersPlan place_gangs(PlanDraft& draft, std::vector<bool> later, bool last) {
  const LipsSettings& lips = draft.lips();
  PeersPlan gangs = place_peers(draft.input,
                                {draft.waiting_price, lips.settle, lips.keep_room, lips.keep_budget, draft.buys(),
                                 std::move(draft.pools), std::move(later), last, draft.weights.in_price},
                                draft.classes, draft.free);
  draft.pools = gangs.pools;
  draft.plan.deferrals.insert(draft.plan.deferrals.end(), gangs.deferrals.begin(), gangs.deferrals.end());
  draft.plan.account.jobs_apart += gangs.apart;
  if (gangs.look_again) draft.plan.replan_after = std::min(*draft.plan.replan_after, *gangs.look_again);
  return gangs;
}

void start_gangs(PlanDraft& draft) {
  if (!draft.lips().home_zones) return;
  draft.gangs = place_gangs(draft, gangs_of_low_priority(draft), false);
  draft.served = draft.gangs.served;
}

void start_late_gangs(PlanDraft& draft) {
  const std::vector<bool>& later = draft.gangs.later;
  if (std::find(later.begin(), later.end(), true) == later.end()) return;
  draft.pools.lift_shares();
  draft.late_gangs = place_gangs(draft, later, true);
}

void start_small_jobs(PlanDraft& draft) {
  if (!places_small_jobs(draft)) return;
  draft.small =
      serve_small_jobs(draft.input, {draft.lips().fast_path_limit, commodity_settings(draft), std::move(draft.pools)},
                       draft.classes, draft.free);
  draft.served = draft.small.served;
  draft.pools = draft.small.pools;
}

void find_homes(PlanDraft& draft) {
  if (!draft.lips().home_zones) return;
  draft.homes = choose_homes(draft.input, draft.classes, draft.served);
  remember_homes(draft.cluster(), draft.homes, draft.plan);
}

void make_demand(PlanDraft& draft) {
  draft.workload = make_commodities(draft.cluster(), draft.input.costs, draft.classes, commodity_settings(draft));
}

void find_amounts(PlanDraft& draft) {
  if (!draft.workload.commodities.empty()) draft.amounts = solve_amounts(draft);
}

PackingSettings packing(const PlanDraft& draft) {
  PackingSettings packing;
  // Where a small job waits, the next slots that free are its own, by the next plan.
  packing.window = draft.small.waiting ? 0 : to_seconds(draft.lips().plan_ahead);
  packing.fill = draft.buys();
  packing.pools = draft.pools;
  return packing;
}

SolvedMarket solved(const PlanDraft& draft) { return {draft.cluster(), draft.classes, draft.workload, draft.amounts}; }

WholeTasks make_whole(PlanDraft& draft) {
  const SolvedMarket market = solved(draft);
  StageTimes& times = draft.plan.account.seconds;
  const double started = draft.clock();
  WholeQuotas quotas = round_amounts(market.cluster, market.workload, market.amounts, market.classes);
  const double rounded = draft.clock();
  times.round += rounded - started;
  WholeTasks whole =
      choose_whole_tasks(market, draft.input.costs, std::move(quotas), packing(draft), draft.shares, draft.free);
  times.pack += draft.clock() - rounded;
  return whole;
}

// The waits of jobs that would read from afar for nothing (far_reads.h) count less from here on; false: there are none.
bool make_lighter(PlanDraft& draft, std::unordered_set<JobId>& lighter) {
  bool changed = false;
  for (const JobId job : far_for_nothing(draft.cluster(), draft.workload, draft.whole.placements)) {
    if (!lighter.insert(job).second) continue;
    draft.weights.in_price.of_job[job] = lighter_wait * draft.weights.in_price.of(job);
    changed = true;
  }
  return changed;
}

void place_tasks(PlanDraft& draft) {
  if (draft.workload.commodities.empty()) return;
  const IdVector<NodeId, Resources> free = draft.buys() ? draft.free : IdVector<NodeId, Resources>{};
  draft.whole = make_whole(draft);
  std::unordered_set<JobId> lighter;
  for (int round = 0; draft.buys() && round < rounds_of_far_reads && make_lighter(draft, lighter); ++round) {
    const double started = draft.clock();
    make_demand(draft);
    find_amounts(draft);
    draft.plan.account.seconds.solve += draft.clock() - started;
    draft.free = free;
    draft.whole = make_whole(draft);
  }
  draft.pools = draft.whole.pools;
}

void choose_reads(PlanDraft& draft) {
  const double started = draft.clock();
  std::optional<CopiesToKeep> copies;
  if (draft.lips().keep_copies) copies.emplace(draft.input, draft.lips().billing, draft.lips().move_cost);
  const TaskSelectionSettings selection{copies ? &*copies : nullptr, false, false};
  LocalityReached reached =
      choose_tasks(draft.input, draft.gangs.workload, draft.gangs.placements, selection, draft.plan);
  reached += choose_tasks(draft.input, draft.late_gangs.workload, draft.late_gangs.placements, selection, draft.plan);
  reached += choose_tasks(draft.input, draft.small.workload, draft.small.placements, selection, draft.plan);
  reached += choose_tasks(draft.input, draft.workload, draft.whole.placements, selection, draft.plan);
  reached.tell(draft.plan.account);
  draft.plan.account.seconds.locality = draft.clock() - started;
}

void ask_for_nodes(PlanDraft& draft) {
  if (!draft.buys()) return;
  request_nodes(solved(draft), draft.whole.quotas, draft.whole.placements, PoolRoom(draft.cluster(), draft.shares),
                draft.plan);
  for (const PeersPlan& gangs : {std::cref(draft.gangs), std::cref(draft.late_gangs)})
    draft.plan.node_requests->insert(draft.plan.node_requests->end(), gangs.requests.begin(), gangs.requests.end());
}

// Nobody wanted the room that late gangs keep.
void tell_who_is_kept_out(PlanDraft& draft) {
  defer_who_is_kept_out(draft.cluster(), draft.free, draft.gangs.kept, draft.plan);
}

void reclaim(PlanDraft& draft) {
  draft.takes_back = take_back({draft.input, draft.shares, solved(draft), draft.free}, draft.plan);
}

void write_account(PlanDraft& draft) {
  PlanAccount& account = draft.plan.account;
  fill_account(draft.input, draft.classes, draft.workload, draft.amounts, draft.plan);
  double objective = 0;
  if (!draft.workload.commodities.empty()) {
    objective =
        cost_of_quotas(draft.cluster(), draft.classes, draft.workload, draft.whole.quotas) + draft.whole.stranded_usd;
    account.locality =
        price_preferences(draft.classes, draft.workload, draft.whole.placements, draft.cluster(), {}).locality;
  }
  account.terms = dollars_by_term(draft.classes, draft.workload, draft.whole.placements);
  for (const TermDollars& term : dollars_by_term(draft.classes, draft.small.workload, draft.small.placements))
    add_term(account.terms, term);
  for (const std::vector<HeldRoom>& held :
       {std::cref(draft.gangs.held), std::cref(draft.whole.held), std::cref(draft.late_gangs.held)})
    for (const HeldRoom& room : held) add_held(account.held, room);
  account.objective = Usd(objective);
  compare_with_bound(draft.amounts, account);
  account.sharing = sharing(solved(draft), draft.shares, draft.whole, draft.plan);
  // Other tasks start than those that were priced, so nothing is certified of the plan.
  if (draft.takes_back) account.objective.reset(), account.lower_bound.reset();
}

constexpr std::array table{
    Stage{"rescue", Phase::data, rescue},
    Stage{"drop-copies", Phase::data, drop_copies},
    Stage{"supply", Phase::market, make_supply},
    Stage{"expected-room", Phase::market, keep_expected},
    Stage{"shares", Phase::market, share_room},
    Stage{"gangs", Phase::market, start_gangs},
    Stage{"small-jobs", Phase::market, start_small_jobs},
    Stage{"homes", Phase::market, find_homes},
    Stage{"demand", Phase::market, make_demand},
    Stage{"amounts", Phase::program, find_amounts},
    Stage{"tasks", Phase::tasks, place_tasks},
    Stage{"late-gangs", Phase::tasks, start_late_gangs},
    Stage{"reads", Phase::tasks, choose_reads},
    Stage{"nodes", Phase::tasks, ask_for_nodes},
    Stage{"reclaim", Phase::tasks, reclaim},
    Stage{"kept-out", Phase::tasks, tell_who_is_kept_out},
    Stage{"account", Phase::tasks, write_account},
};

}  // namespace

std::span<const Stage> stages() { return table; }

void account_for_idle_pools(PlanDraft& draft) {
  draft.shares = share_out(draft.cluster());
  draft.plan.account.sharing = sharing(solved(draft), draft.shares, draft.whole, draft.plan);
}

// Nothing is pending, but tasks may come for which nodes are there. Those for which there are none wait for the next
// plan: else an autoscaler would launch nodes for them anywhere.
void keep_room_for_gangs(PlanDraft& draft) {
  if (!draft.buys()) return;
  draft.plan.node_requests.emplace();
  if (!draft.lips().home_zones || running_peers(draft.cluster()).empty()) return;
  make_supply(draft);
  share_room(draft);
  start_gangs(draft);
  draft.plan.node_requests = std::move(draft.gangs.requests);
  draft.plan.account.held = std::move(draft.gangs.held);
}

PlanDraft make_plan_draft(const PolicyInput& input, const PolicySettings& settings) {
  JobWeights weights = job_weights(input.cluster, settings.lips);
  const double waiting_price = price_of_wait(input.cluster, settings.lips, weights.in_price);
  PlanDraft draft{input, settings, std::move(weights), waiting_price, {}, {}};
  draft.plan.replan_after = settings.replan_every;
  return draft;
}

PlanDraft draft_with_supply(const PolicyInput& input, const PolicySettings& settings) {
  PlanDraft draft = make_plan_draft(input, settings);
  make_supply(draft);
  return draft;
}

// Where nodes are launched, small jobs wait for a node that others need instead of one node each.
bool places_small_jobs(const PlanDraft& draft) { return !draft.buys() && draft.lips().fast_path_limit.value() > 0; }

Amounts solve_amounts(const PlanDraft& draft) {
  if (zone_form_holds(draft.workload))
    return solve_zone_form(draft.cluster(), draft.input.costs, draft.classes, draft.workload);
  const ClassFormSettings settings;
  return solve_class_form({draft.cluster(), draft.input.costs, draft.classes, draft.workload, settings});
}

}  // namespace lips
