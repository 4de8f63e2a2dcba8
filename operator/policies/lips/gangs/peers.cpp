#include "policies/lips/gangs/peers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "model/gangs.h"
#include "policies/lips/demand/data_costs.h"
#include "policies/lips/gangs/gang.h"
#include "policies/lips/gangs/gang_choice.h"
#include "policies/lips/gangs/gang_orders.h"
#include "policies/lips/gangs/giving_way.h"
#include "policies/lips/gangs/keep_budget.h"
#include "policies/lips/gangs/start_price.h"
#include "policies/lips/gangs/turns.h"

namespace lips {

namespace {

constexpr std::uint32_t most_looks = 1000;             // at blocks of a data set
constexpr Duration overdue = std::chrono::seconds(1);  // pause after which tasks that should have ended are asked for

class Peers {
 public:
  Peers(const PolicyInput& input, PeersSettings settings, NodeClasses& classes, IdVector<NodeId, Resources>& free)
      : cluster_(input.cluster),
        costs_(input.costs),
        settings_(std::move(settings)),
        classes_(classes),
        free_(free),
        room_(cluster_, classes, free),
        orders_(cluster_, classes),
        price_(cluster_, input.costs, classes, settings_.waiting_price),
        running_(running_peers(cluster_)),
        choice_({cluster_, costs_, room_, orders_, price_, running_, settings_.buys}),
        short_(short_gangs(cluster_)),
        budget_(cluster_, settings_.keep_budget) {
    for (const Offer& offer : cluster_.offers) boot_ = std::max(boot_, offer.boot);
    for (const NodeClass& one : classes.classes) interrupted_ = interrupted_ || one.interruptions > 0;
  }

  PeersPlan run() {
    result_.served.assign(cluster_.jobs.size(), false);
    result_.pools = std::move(settings_.pools);
    result_.later = std::move(settings_.later);
    result_.later.resize(cluster_.jobs.size(), false);
    for (const JobId id : cluster_.pending) {
      if (!cluster_.jobs[id].whole.peers) continue;
      result_.served[id.index()] = true;
      if (result_.later[id.index()] == settings_.last) pending_[cluster_.jobs[id].whole.id].push_back(id);
    }
    for (const WholeJobId whole : running_in_turn(cluster_, pending_, running_))
      if (!settings_.last) keep_room(whole, running_.at(whole));
    for (const WholeJobId whole : pending_in_turn(cluster_, pending_, running_, settings_.keep_room)) start(whole);
    if (!settings_.last)
      give_way(cluster_, budget_, result_.kept, {classes_, free_, result_.pools, result_.held, result_.requests});
    if (const std::optional<Duration> ends = budget_.ends(result_.held)) look_again(std::max(overdue, *ends));
    return std::move(result_);
  }

 private:
  bool pays(JobId part) const { return !budget_.is_spent(cluster_.jobs[part].pool); }

  bool keeps_room(WholeJobId id, JobId part) const {
    return lips::keeps_room(cluster_, running_, id, cluster_.jobs[part].whole.arrived, settings_.keep_room) &&
           pays(part);
  }

  bool keeps_room_for_driver(JobId part) const {
    const WholeJob& whole = cluster_.jobs[part].whole;
    return whole.lacks_driver && cluster_.now - whole.arrived < turns_for_driver * settings_.keep_room && pays(part);
  }

  void start(WholeJobId id) {
    const std::vector<JobId>& jobs = pending_[id];
    if (const Job& first = cluster_.jobs[jobs.front()]; !result_.pools.is_below_share(first.pool, first.request)) {
      for (const JobId job : jobs) result_.later[job.index()] = true;
      return;
    }
    const WholeJob& whole = cluster_.jobs[jobs.front()].whole;
    Gang gang = gang_of(id, jobs);
    if (gang.parts.empty()) return;  // no store holds what they read
    gang.urgency = settings_.weights.urgency_of(jobs.front());
    const std::uint32_t least = short_.contains(id) ? short_.at(id) : 0;
    const Duration since = cluster_.now - whole.arrived;
    const bool late = leave_late_driver(gang);
    // Before their driver runs none can come: nobody waits for them, if only their number is known.
    const bool leads = driver_waits(cluster_, gang);
    const bool all_here = late || (whole.expected > 0 && (leads || to_come(whole, gang) == 0));
    const bool settles = !all_here && since < settings_.settle;
    if (settles) look_again(settings_.settle - since);
    if (settles || gang.tasks() < least) return wait_beside_peers(gang, jobs, whole);
    if (!late) add_to_come(gang, awaited(gang, jobs.back(), leads, since), whole, jobs.back());
    add_driver(gang, jobs.back());
    if (interrupted_) gang.set_stakes(cluster_);
    const bool alone = since >= settings_.keep_room && least == 0 && only_driver_runs(id);
    if (!within_pool_maxima(gang, alone) || gang.here() < least) return defer(jobs, DeferralReason::pool_maximum);
    Start choice = choice_.choose(gang, {to_seconds(settings_.keep_room - since), orders_now(since)});
    if (since >= settings_.keep_room && choice.spots.empty() && !choice.order)
      choice = choice_.choose(gang, {to_seconds(turn_left(since, settings_.keep_room)), false});
    if (settings_.buys && (choice.order || choice.spots.empty())) look_again(until_next_turn(since));
    if (choice.order) return order(gang, jobs, choice);
    const bool all_now = choice.wait <= 0 && count_tasks(choice.spots) == gang.tasks();
    if (settings_.buys && least == 0 && !all_now && !choice.some_zone_holds_all) {
      for (const JobId job : jobs) result_.served[job.index()] = false;
      return;
    }
    if (alone && !all_now) {
      choice = {};
      choice.spots = choice_.in_several_zones(gang);
    }
    if (choice.wait > 0) {
      keep_free_room(gang, choice.zone);
      look_again(std::max(overdue, seconds(choice.wait)));
    }
    const std::uint32_t beside = leads ? std::min(gang.tasks(), 2U) : 1;  // a driver, and a worker or its room
    const bool some = count_tasks(choice.spots) >= beside && count_here(gang, choice.spots) >= std::max(least, 1U);
    if (choice.wait > 0) return defer(jobs, DeferralReason::waits_for_peers);
    if (!some) return wait_beside_peers(gang, jobs, whole);
    result_.apart += zones_of(choice.spots) > 1;
    keep_within_share(gang, choice.spots);
    room_.take(gang, choice.spots);
    take(gang, choice.spots, true);
    if (settings_.buys) hold(gang, choice.spots, tasks_of(gang).begin()->second.front());
    for (const JobId job : jobs)
      if (late && !cluster_.jobs[job].coordinates) defer({job}, DeferralReason::waits_for_peers);
  }

  // A driver that comes after workers of its own starts as soon as it finds room: they make no progress without it.
  // False: there is none.
  bool leave_late_driver(Gang& gang) const {
    const auto peers = running_.find(gang.whole);
    const auto drives = [&](const GangPart& part) { return cluster_.jobs[part.job].coordinates; };
    if (peers == running_.end() || peers->second.driver.valid() || std::ranges::none_of(gang.parts, drives))
      return false;
    std::erase_if(gang.parts, [&](const GangPart& part) { return !drives(part); });
    return true;
  }

  // One that has to come gets its room before all others.
  void add_driver(Gang& gang, JobId like) const {
    const WholeJob& whole = cluster_.jobs[like].whole;
    if (!keeps_room_for_driver(like)) return;
    const double work = gang.parts.empty() ? least_work : gang.parts.front().work;
    const ByZone no_reads(cluster_.zones.size(), 0.0);
    gang.parts.insert(gang.parts.begin(), {like, 0, 1, true, whole.each, work, weight_of_driver, no_reads, 1, true});
  }

  // Nodes that are ordered, and room that is kept beside them, are given back if the others do not come while they
  // would boot and room is kept; then it is the turn of other jobs for as long.
  Duration turn() const { return std::max(overdue, settings_.keep_room + boot_); }
  bool orders_now(Duration since) const { return settings_.buys && since / turn() % 2 == 0; }
  Duration until_next_turn(Duration since) const { return std::max(overdue, turn() - since % turn()); }

  // For all that find no room in the zone. What is free there is kept for the others: an autoscaler leaves an empty
  // node for which somebody still asks.
  void order(const Gang& gang, const std::vector<JobId>& jobs, Start& choice) {
    keep_within_share(gang, choice.spots);
    room_.take(gang, choice.spots);
    take(gang, choice.spots, false);
    take_new(*choice.order);
    std::map<std::size_t, std::vector<TaskId>> tasks = tasks_of(gang);
    const TaskId asks = tasks.begin()->second.front();  // for those that have not arrived too
    std::set<TaskId> ordered;
    const auto request = [&](std::size_t i, std::uint32_t count, OfferId offer) {
      const GangPart& part = gang.parts[i];
      if (part.to_come) return result_.requests.push_back({asks, offer, count});
      for (std::vector<TaskId>& left = tasks[i]; count > 0; --count, left.pop_back()) {
        result_.requests.push_back({left.back(), offer});
        result_.deferrals.push_back({left.back(), DeferralReason::waits_for_node});
        result_.pools.take(cluster_.jobs[part.job].pool, part.request, 1);
        ordered.insert(left.back());
      }
    };
    for (const NewSpot& spot : choice.order->spots) request(spot.part, spot.tasks, classes_.classes[spot.on].offer);
    for (const Spot& spot : choice.spots)
      if (const OfferId like = orders_.like(spot.node, gang.parts[spot.part]); like.valid())
        request(spot.part, spot.tasks, like);
    defer(jobs, DeferralReason::waits_for_peers, ordered);
  }

  // So that the autoscaler leaves the nodes on which room is kept for tasks that have not arrived.
  void hold(const Gang& gang, const std::vector<Spot>& spots, TaskId asks) {
    for (const Spot& spot : spots) {
      const GangPart& part = gang.parts[spot.part];
      if (!part.to_come) continue;
      if (const OfferId like = orders_.like(spot.node, part); like.valid())
        result_.requests.push_back({asks, like, spot.tasks});
    }
  }

  // The tasks of each part that is here.
  std::map<std::size_t, std::vector<TaskId>> tasks_of(const Gang& gang) const {
    std::map<std::size_t, std::vector<TaskId>> result;
    for (std::size_t i = 0; i < gang.parts.size(); ++i) {
      const GangPart& part = gang.parts[i];
      if (part.to_come) continue;
      for (const TaskId task : cluster_.tasks_of(cluster_.groups[part.job][part.group])) {
        if (result[i].size() == part.tasks) break;
        result[i].push_back(task);
      }
    }
    return result;
  }

  // From what the program may order.
  void take_new(const GangOrder& order) {
    for (const auto& [c, nodes] : order.nodes) {
      const NodeClass& offer = classes_.classes[c];
      classes_.room.take(offer.offer, nodes);
      classes_.take_now(c, offer.shape, nodes);
    }
  }

  Gang gang_of(WholeJobId id, const std::vector<JobId>& jobs) {
    Gang gang{id, {}, PeersByZone(cluster_.zones.size(), 0.0), 0, cluster_.jobs[jobs.front()].shuffle, 1};
    if (const auto peers = running_.find(id); peers != running_.end()) {
      gang.running = peers->second.in_zone;
      gang.running_tasks = peers->second.tasks;
    }
    ReadPrices reads(costs_, cluster_.zones.size());
    ByZone usd;
    for (const JobId job : jobs)
      for (std::uint32_t g = 0; g < cluster_.groups[job].size(); ++g) {
        const TaskGroup& group = cluster_.groups[job][g];
        if (group.count == 0 || (group.reads && group.zones.empty())) continue;
        non_cpu_costs(cluster_, reads, cluster_.jobs[job], group, ZoneId::none(), usd);
        gang.parts.push_back({job, g, group.count, false, cluster_.jobs[job].request,
                              std::max(least_work, group.cpu.value()), peer_weight(cluster_.jobs[job]), usd});
      }
    const auto rank = [&](const GangPart& part) {  // workers in the room of their driver would wait for it for ever
      return std::tuple(!cluster_.jobs[part.job].coordinates, -part.request.cpu.value(), -part.request.memory.value());
    };
    std::stable_sort(gang.parts.begin(), gang.parts.end(),
                     [&](const GangPart& a, const GangPart& b) { return rank(a) < rank(b); });
    return gang;
  }

  static std::uint32_t to_come(const WholeJob& whole, const Gang& gang) {
    const double known = double{1} * gang.tasks() + gang.running_tasks + whole.finished_maps;
    return static_cast<std::uint32_t>(std::max(0.0, whole.expected - known));
  }

  // So many others, or room for them. For more than are known nobody waits long, but no driver starts without room for
  // a worker beside it: so of two drivers that run, the later one's worker finds room once other workers end.
  std::uint32_t awaited(const Gang& gang, JobId like, bool leads, Duration since) const {
    const WholeJob& whole = cluster_.jobs[like].whole;
    const std::uint32_t known = to_come(whole, gang);
    if (known > 0 && pays(like) && (since < settings_.keep_room || (leads && !whole.guessed))) return known;
    const bool unknown = whole.expected == 0 && !settings_.buys;  // nodes are ordered for those that are known to come
    return only_driver_waits(cluster_, gang) && (known > 0 || unknown) ? 1 : 0;
  }

  void add_to_come(Gang& gang, std::uint32_t tasks, const WholeJob& whole, JobId like) const {
    if (tasks == 0) return;
    const double work = gang.parts.empty() ? least_work : gang.parts.front().work;
    gang.parts.push_back({like, 0, tasks, true, whole.each, work, 1, reads_to_come(gang, tasks, like)});
  }

  // The reads of one of so many: as those that are here, else its part of what their driver names, judged by some of
  // the blocks.
  ByZone reads_to_come(const Gang& gang, std::uint32_t tasks, JobId like) const {
    for (const GangPart& part : gang.parts)
      if (!cluster_.jobs[part.job].coordinates) return part.read_usd;
    ByZone usd(cluster_.zones.size());
    for (const JobInput& input : cluster_.jobs[like].inputs) {
      const DataSet& set = cluster_.data_sets[input.data_set];
      const std::uint32_t looks = std::min(set.blocks, most_looks);
      for (std::uint64_t i = 0; i < looks; ++i) {
        const auto number = static_cast<std::uint32_t>(i * set.blocks / looks);
        const Block& block = cluster_.blocks[BlockId(set.first_block.index() + number)];
        if (block.zones.empty()) continue;
        for (const ZoneId zone : usd.ids())
          usd[zone] += (set.size * costs_.transfer(block.zones, zone)).value() * input.fraction / looks / tasks;
      }
    }
    return usd;
  }

  // For peers that have not arrived, where the others run.
  void keep_room(WholeJobId id, const RunningPeers& peers) {
    const JobId part = cluster_.tasks[peers.one].job;
    const WholeJob& whole = cluster_.jobs[part].whole;
    const bool keeps = keeps_room(id, part);
    if (!keeps && !keeps_room_for_driver(part)) return;
    Gang gang{id, {}, peers.in_zone, peers.tasks, {}, 1};
    if (keeps) add_to_come(gang, to_come(whole, gang), whole, part);
    add_driver(gang, part);
    leave_out_above_share(gang);
    if (gang.parts.empty()) return;
    const std::vector<Spot> spots = take_beside_peers(gang);
    if (spots.empty() || !settings_.buys) return;
    hold(gang, spots, peers.one);
    if (keeps) look_again(std::max(overdue, settings_.keep_room - (cluster_.now - whole.arrived)));
  }

  // Some are here and do not start yet: the room that was kept beside those that run stays theirs, and that of the
  // others that will come.
  void wait_beside_peers(Gang& gang, const std::vector<JobId>& jobs, const WholeJob& whole) {
    defer(jobs, DeferralReason::waits_for_peers);
    const bool keeps = keeps_room(gang.whole, jobs.back()),
               lacks_driver = keeps_room_for_driver(jobs.back()) && gang.running_tasks > 0;
    if (!keeps && !lacks_driver) return;
    const TaskId asks = tasks_of(gang).begin()->second.front();
    std::erase_if(gang.parts, [&](const GangPart& part) { return part.to_come || !keeps; });
    if (keeps) add_to_come(gang, to_come(whole, gang), whole, jobs.back());
    add_driver(gang, jobs.back());
    leave_out_above_share(gang);
    if (gang.parts.empty()) return;
    const std::vector<Spot> spots = take_beside_peers(gang);
    if (settings_.buys) hold(gang, spots, asks);
  }

  // Keeps the room that is free there already, for a gang that waits for the rest; zone none: in several zones.
  void keep_free_room(Gang gang, ZoneId zone) {
    leave_out_above_share(gang);
    if (gang.parts.empty()) return;
    const std::vector<Spot> spots = zone.valid() ? room_.now(gang, zone) : choice_.in_several_zones(gang);
    room_.take(gang, spots);
    take(gang, spots, false);
  }

  // Room is kept within what the pool is entitled to.
  void leave_out_above_share(Gang& gang) const {
    PoolRoom pools = result_.pools;
    for (GangPart& part : gang.parts) part.tasks = hold_within_share(pools, part, part.tasks);
    std::erase_if(gang.parts, [](const GangPart& part) { return part.tasks == 0; });
  }

  std::uint32_t hold_within_share(PoolRoom& pools, const GangPart& part, std::uint32_t tasks) const {
    const PoolId pool = cluster_.jobs[part.job].pool;
    const auto held = static_cast<std::uint32_t>(std::min(double{1} * tasks, pools.tasks_to_come(pool, part.request)));
    pools.hold(pool, part.request, held);
    return held;
  }

  // A gang may start its last task above the pool's share, and waits for those to come within it.
  void keep_within_share(const Gang& gang, std::vector<Spot>& spots) const {
    PoolRoom pools = result_.pools;
    for (const Spot& spot : spots)
      if (const GangPart& part = gang.parts[spot.part]; !part.to_come)
        pools.take(cluster_.jobs[part.job].pool, part.request, spot.tasks);
    for (Spot& spot : spots)
      if (const GangPart& part = gang.parts[spot.part]; part.to_come)
        spot.tasks = hold_within_share(pools, part, spot.tasks);
    std::erase_if(spots, [](const Spot& spot) { return spot.tasks == 0; });
  }

  // In the zone of the driver, else where most run; for a driver to come wherever there is room.
  std::vector<Spot> take_beside_peers(const Gang& gang) {
    const ZoneId driver = running_.at(gang.whole).driver;
    const auto most = std::max_element(gang.running.begin(), gang.running.end()) - gang.running.begin();
    const ZoneId home = driver.valid() ? driver : ZoneId(static_cast<std::uint32_t>(most));
    std::vector<Spot> spots = room_.take(gang, home, gang.tasks());
    const bool lacks_driver = !gang.parts.empty() && gang.parts.front().leads;
    if (lacks_driver && (spots.empty() || spots.front().part > 0)) {
      const Gang alone{gang.whole, {gang.parts.front()}, gang.running, gang.running_tasks, gang.exchange, gang.urgency};
      for (const ZoneId zone : cluster_.zones.ids())
        if (const std::vector<Spot> there = room_.take(alone, zone, 1); !there.empty()) {
          spots.push_back(there.front());
          break;
        }
    }
    take(gang, spots, false);
    return spots;
  }

  // Tasks that their pools' maxima never allow at once are left out; for a driver that is alone, those that they do not
  // allow now. False: they allow too few now; before a driver runs, the workers that will come count too.
  bool within_pool_maxima(Gang& gang, bool alone) const {
    const bool leads = driver_waits(cluster_, gang);
    IdVector<PoolId, double> need(cluster_.pools.size(), 0.0);
    for (GangPart& part : gang.parts) {
      const Job& job = cluster_.jobs[part.job];
      const double cores = cores_of(part.request);
      double most = cluster_.pools[job.pool].maximum.value();
      if (most <= 0) continue;
      if (alone) most -= result_.pools.in_use(job.pool).value();
      const double ever = std::floor((most - need[job.pool] + 1e-7) / cores);
      part.tasks = static_cast<std::uint32_t>(std::clamp(ever, 0.0, double{1} * part.tasks));
      if (!part.to_come || leads || part.leads) need[job.pool] += part.tasks * cores;
    }
    for (const PoolId pool : need.ids())
      if (need[pool] > 0 &&
          result_.pools.in_use(pool).value() + need[pool] > cluster_.pools[pool].maximum.value() + 1e-7)
        return false;
    std::erase_if(gang.parts, [](const GangPart& part) { return part.tasks == 0; });
    return std::any_of(gang.parts.begin(), gang.parts.end(), [](const GangPart& part) { return !part.to_come; });
  }

  // Says whether nothing else of its job runs.
  bool only_driver_runs(WholeJobId id) const {
    const auto peers = running_.find(id);
    return peers != running_.end() && peers->second.tasks == 1 && peers->second.driver.valid();
  }

  std::size_t zones_of(const std::vector<Spot>& spots) const {
    std::set<ZoneId> zones;
    for (const Spot& spot : spots) zones.insert(cluster_.nodes[spot.node].zone);
    return zones.size();
  }

  static HeldFor held_for(const GangPart& part) {
    if (part.leads) return HeldFor::driver_to_come;
    return part.to_come ? HeldFor::workers_to_come : HeldFor::rest_of_gang;
  }

  // Their room is taken from the nodes already.
  void take(const Gang& gang, const std::vector<Spot>& spots, bool start) {
    std::map<std::size_t, PortionId> portions;
    for (const Spot& spot : spots) {
      const GangPart& part = gang.parts[spot.part];
      const ClassId c = classes_.class_of[spot.node];
      classes_.take_now(c, part.request, spot.tasks);
      const Job& job = cluster_.jobs[part.job];
      if (!start || part.to_come) {
        result_.pools.hold(job.pool, part.request, spot.tasks);
        add_held(result_.held, {held_for(part), part.job, cluster_.nodes[spot.node].zone, spot.tasks,
                                part.request * static_cast<std::int32_t>(spot.tasks), settings_.last});
        result_.kept.push_back(
            {part.job, held_for(part), part.request, spot.tasks, spot.node, orders_.like(spot.node, part)});
        continue;
      }
      const auto [portion, added] = portions.try_emplace(spot.part);
      if (added)
        portion->second = result_.workload.portions.push_back(
            {part.job, part.group, part.tasks, part.work, to_seconds(job.arrival), {}});
      result_.pools.take(job.pool, part.request, spot.tasks);
      result_.placements.push_back({portion->second, spot.tasks, spot.node, 0, {}});
    }
  }

  void defer(const std::vector<JobId>& jobs, DeferralReason reason, const std::set<TaskId>& but = {}) {
    for (const JobId job : jobs)
      for (const TaskGroup& group : cluster_.groups[job])
        if (group.count > 0)
          for (const TaskId task : cluster_.tasks_of(group))
            if (!but.contains(task)) result_.deferrals.push_back({task, reason});
  }

  void look_again(Duration after) { result_.look_again = std::min(after, result_.look_again.value_or(after)); }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  PeersSettings settings_;
  NodeClasses& classes_;
  IdVector<NodeId, Resources>& free_;
  GangRoom room_;
  OrderRoom orders_;
  StartPrice price_;
  Duration boot_{};           // of the slowest offer
  bool interrupted_ = false;  // some nodes may be
  PeersThatRun running_;
  GangChoice choice_;
  std::map<WholeJobId, std::uint32_t> short_;  // of tasks that must start at once
  const KeepBudget budget_;
  PendingPeers pending_;
  PeersPlan result_;
};

bool any_peers(const ClusterSnapshot& cluster) {
  const auto peers = [&](JobId id) { return cluster.jobs[id].whole.peers; };
  return std::any_of(cluster.pending.begin(), cluster.pending.end(), peers) ||
         std::any_of(cluster.running.begin(), cluster.running.end(),
                     [&](const RunningTask& run) { return peers(run.job); });
}

}  // namespace

PeersPlan place_peers(const PolicyInput& input, PeersSettings settings, NodeClasses& classes,
                      IdVector<NodeId, Resources>& free) {
  if (any_peers(input.cluster)) return Peers(input, std::move(settings), classes, free).run();
  PeersPlan none;
  none.pools = std::move(settings.pools);
  return none;
}

}  // namespace lips
