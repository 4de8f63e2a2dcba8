#include "policies/lips/gangs/peers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "model/gangs.h"
#include "policies/lips/demand/data_costs.h"
#include "policies/lips/gangs/gang.h"
#include "policies/lips/gangs/gang_orders.h"
#include "policies/lips/gangs/gang_zones.h"

namespace lips {

namespace {

constexpr std::uint32_t most_looks = 1000;  // at blocks of a data set
// Times what nodes seem to cost, where there is other room: run times are guesses, and room may become free meanwhile.
constexpr double margin = 2;
constexpr Duration overdue = std::chrono::seconds(1);  // pause after which tasks that should have ended are asked for

// One way to start a gang.
struct Start {
  double usd = std::numeric_limits<double>::infinity();
  double wait = 0;  // seconds
  ZoneId zone;      // none: several
  std::vector<Spot> spots;
  std::optional<GangOrder> order;    // of nodes for the other tasks
  bool some_zone_holds_all = false;  // now, later, or with new nodes
  bool beside_driver = false;
};

// How long a gang may wait for room, and whether nodes may be ordered for it.
struct Patience {
  double seconds = 0;
  bool orders = false;
};

// A gang that finds room nowhere keeps what becomes free for it, then leaves it to others for as long, in turns that
// double: so it starts when a turn outlasts the tasks that run, and others start in every pause.
Duration turn_left(Duration since, Duration first) {
  Duration turn = first;
  for (; turn > Duration{} && since >= 2 * turn; turn *= 2) since -= 2 * turn;
  return std::max(Duration{}, turn - since);
}

class Peers {
 public:
  Peers(const PolicyInput& input, const PeersSettings& settings, NodeClasses& classes,
        IdVector<NodeId, Resources>& free)
      : cluster_(input.cluster),
        costs_(input.costs),
        settings_(settings),
        classes_(classes),
        room_(cluster_, classes, free),
        orders_(cluster_, classes),
        running_(running_peers(cluster_)),
        short_(short_gangs(cluster_)) {
    for (const Offer& offer : cluster_.offers) boot_ = std::max(boot_, offer.boot);
    for (const NodeClass& one : classes.classes) interrupted_ = interrupted_ || one.interruptions > 0;
  }

  PeersPlan run() {
    result_.served.assign(cluster_.jobs.size(), false);
    result_.pool_cores = cluster_.pool_cores;
    for (const JobId id : cluster_.pending) {
      if (!cluster_.jobs[id].whole.peers) continue;
      result_.served[id.index()] = true;
      pending_[cluster_.jobs[id].whole.id].push_back(id);
    }
    for (const auto& [whole, peers] : running_)
      if (!pending_.contains(whole)) keep_room(whole, peers);
    for (const WholeJobId whole : in_order()) start(whole);
    return std::move(result_);
  }

 private:
  // Those for which room is kept beside peers that run come first: others that have waited for longer would take it,
  // and leave them half started.
  std::vector<WholeJobId> in_order() const {
    std::vector<std::tuple<bool, std::int32_t, TimePoint, WholeJobId>> order;
    for (const auto& [whole, jobs] : pending_) {
      std::int32_t priority = std::numeric_limits<std::int32_t>::min();
      TimePoint arrival = TimePoint::max();
      for (const JobId id : jobs) {
        priority = std::max(priority, cluster_.jobs[id].priority);
        arrival = std::min(arrival, cluster_.jobs[id].arrival);
      }
      const bool kept =
          running_.contains(whole) && cluster_.now - cluster_.jobs[jobs.front()].whole.arrived < settings_.keep_room;
      order.emplace_back(!kept, -std::max(priority, -std::numeric_limits<std::int32_t>::max()), arrival, whole);
    }
    std::sort(order.begin(), order.end());
    std::vector<WholeJobId> wholes;
    for (const auto& [not_kept, priority, arrival, whole] : order) wholes.push_back(whole);
    return wholes;
  }

  void start(WholeJobId id) {
    const std::vector<JobId>& jobs = pending_[id];
    const WholeJob& whole = cluster_.jobs[jobs.front()].whole;
    Gang gang = gang_of(id, jobs);
    if (gang.parts.empty()) return;  // no store holds what they read
    const std::uint32_t least = short_.contains(id) ? short_.at(id) : 0;
    if (gang.tasks() < least) return defer(jobs, DeferralReason::waits_for_peers);
    const Duration since = cluster_.now - whole.arrived;
    // Before their driver runs none can come: nobody waits for them, if only their number is known.
    const bool leads = driver_waits(gang);
    const bool all_here = whole.expected > 0 && (leads || to_come(whole, gang) == 0);
    if (!all_here && since < settings_.settle) {
      look_again(settings_.settle - since);
      return defer(jobs, DeferralReason::waits_for_peers);
    }
    add_to_come(gang, awaited(whole, gang, leads, since), whole, jobs.back());
    if (interrupted_) gang.set_stakes(cluster_);
    const bool alone = since >= settings_.keep_room && least == 0 && only_driver_runs(id);
    if (!within_pool_maxima(gang, alone) || gang.here() < least) return defer(jobs, DeferralReason::pool_maximum);
    Start choice = choose(gang, {to_seconds(settings_.keep_room - since), orders_now(since)});
    if (since >= settings_.keep_room && choice.spots.empty() && !choice.order)
      choice = choose(gang, {to_seconds(turn_left(since, settings_.keep_room)), false});
    if (settings_.buys && (choice.order || choice.spots.empty())) look_again(until_next_turn(since));
    if (choice.order) return order(gang, jobs, choice);
    const bool all_now = choice.wait <= 0 && count_tasks(choice.spots) == gang.tasks();
    if (settings_.buys && least == 0 && !all_now && !choice.some_zone_holds_all) {
      for (const JobId job : jobs) result_.served[job.index()] = false;
      return;
    }
    if (alone && !all_now) {
      choice = {};
      choice.spots = in_several_zones(gang);
    }
    if (choice.wait > 0) {  // what is free there already is kept for it
      if (choice.zone.valid()) choice.spots = room_.now(gang, choice.zone);
      room_.take(gang, choice.spots);
      take(gang, choice.spots, false);
      look_again(std::max(overdue, seconds(choice.wait)));
    }
    const std::uint32_t beside = leads ? std::min(gang.tasks(), 2U) : 1;  // a driver, and a worker or its room
    const bool some = count_tasks(choice.spots) >= beside && count_here(gang, choice.spots) >= least;
    if (choice.wait > 0 || !some) return defer(jobs, DeferralReason::waits_for_peers);
    result_.apart += zones_of(choice.spots) > 1;
    room_.take(gang, choice.spots);
    take(gang, choice.spots, true);
    if (settings_.buys) hold(gang, choice.spots, tasks_of(gang).begin()->second.front());
  }

  // Nodes that are ordered, and room that is kept beside them, are given back if the others do not come while they
  // would boot and room is kept; then it is the turn of other jobs for as long.
  Duration turn() const { return std::max(overdue, settings_.keep_room + boot_); }
  bool orders_now(Duration since) const { return settings_.buys && since / turn() % 2 == 0; }
  Duration until_next_turn(Duration since) const { return std::max(overdue, turn() - since % turn()); }

  // For all that find no room in the zone. What is free there is kept for the others: an autoscaler leaves an empty
  // node for which somebody still asks.
  void order(const Gang& gang, const std::vector<JobId>& jobs, const Start& choice) {
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
        result_.pool_cores[cluster_.jobs[part.job].pool] += part.request.cpu;
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

  // Of each part that is here.
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
      CapacityStep& now = classes_.steps[c].front();
      const double window = nodes * classes_.now_window[c];
      classes_.room.take(offer.offer, nodes);
      now.work = std::max(0.0, now.work - offer.shape.cpu.value() * offer.speed * window);
      now.memory = std::max(0.0, now.memory - offer.shape.memory.value() * window);
      now.slots = std::max(0.0, now.slots - offer.shape.slots * window);
    }
  }

  Gang gang_of(WholeJobId id, const std::vector<JobId>& jobs) {
    Gang gang{id, {}, PeersByZone(cluster_.zones.size(), 0.0), 0, cluster_.jobs[jobs.front()].shuffle};
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
    const auto size = [](const GangPart& part) {
      return std::tuple(-part.request.cpu.value(), -part.request.memory.value());
    };
    std::stable_sort(gang.parts.begin(), gang.parts.end(),
                     [&](const GangPart& a, const GangPart& b) { return size(a) < size(b); });
    return gang;
  }

  static std::uint32_t to_come(const WholeJob& whole, const Gang& gang) {
    const double known = double{1} * gang.tasks() + gang.running_tasks + whole.finished_maps;
    return static_cast<std::uint32_t>(std::max(0.0, whole.expected - known));
  }

  // So many others, or room for them. For more than are known nobody waits long, but no driver starts without room for
  // a worker beside it: so of two drivers that run, the later one's worker finds room once other workers end.
  std::uint32_t awaited(const WholeJob& whole, const Gang& gang, bool leads, Duration since) const {
    const std::uint32_t known = to_come(whole, gang);
    if (known > 0 && (since < settings_.keep_room || (leads && !whole.guessed))) return known;
    const bool unknown = whole.expected == 0 && !settings_.buys;  // nodes are ordered for those that are known to come
    return only_driver_waits(gang) && (known > 0 || unknown) ? 1 : 0;
  }

  void add_to_come(Gang& gang, std::uint32_t tasks, const WholeJob& whole, JobId like) const {
    if (tasks == 0) return;
    const double work = gang.parts.empty() ? least_work : gang.parts.front().work;
    gang.parts.push_back({like, 0, tasks, true, whole.each, work, 1, reads_to_come(gang, tasks, like)});
  }

  // What one of so many will read: as those that are here, else its part of what their driver names, judged by some of
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

  // For peers that have not arrived, where most of the others run.
  void keep_room(WholeJobId id, const RunningPeers& peers) {
    const JobId part = cluster_.tasks[peers.one].job;
    const WholeJob& whole = cluster_.jobs[part].whole;
    const Duration since = cluster_.now - whole.arrived;
    if (since >= settings_.keep_room) return;
    Gang gang{id, {}, peers.in_zone, peers.tasks, {}};
    add_to_come(gang, to_come(whole, gang), whole, part);
    const auto most = std::max_element(gang.running.begin(), gang.running.end()) - gang.running.begin();
    const std::vector<Spot> spots = room_.take(gang, ZoneId(static_cast<std::uint32_t>(most)), gang.tasks());
    take(gang, spots, false);
    if (spots.empty() || !settings_.buys) return;
    hold(gang, spots, peers.one);
    look_again(std::max(overdue, settings_.keep_room - since));
  }

  // Tasks that their pools' maxima never allow at once are left out; for a driver that is alone, those that they do not
  // allow now. False: they allow too few now; before a driver runs, the workers that will come count too.
  bool within_pool_maxima(Gang& gang, bool alone) const {
    const bool leads = driver_waits(gang);
    IdVector<PoolId, double> need(cluster_.pools.size(), 0.0);
    for (GangPart& part : gang.parts) {
      const Job& job = cluster_.jobs[part.job];
      const double cores = cores_of(part.request);
      double most = cluster_.pools[job.pool].maximum.value();
      if (most <= 0) continue;
      if (alone) most -= result_.pool_cores[job.pool].value();
      const double ever = std::floor((most - need[job.pool] + 1e-7) / cores);
      part.tasks = static_cast<std::uint32_t>(std::clamp(ever, 0.0, double{1} * part.tasks));
      if (!part.to_come || leads) need[job.pool] += part.tasks * cores;
    }
    for (const PoolId pool : need.ids())
      if (need[pool] > 0 && result_.pool_cores[pool].value() + need[pool] > cluster_.pools[pool].maximum.value() + 1e-7)
        return false;
    std::erase_if(gang.parts, [](const GangPart& part) { return part.tasks == 0; });
    return std::any_of(gang.parts.begin(), gang.parts.end(), [](const GangPart& part) { return !part.to_come; });
  }

  // Those that are here do not wait for others that no zone will ever hold beside them.
  Start choose(Gang& gang, const Patience& patience) {
    Start choice = in_one_zone(gang, patience);
    const bool to_come =
        std::any_of(gang.parts.begin(), gang.parts.end(), [](const auto& part) { return part.to_come; });
    if (to_come && choice.some_zone_holds_all) return choice;
    if (to_come) {
      if (std::optional<Start> several = all_in_several_zones(gang, patience)) return *std::move(several);
      leave_out_to_come(gang);
      choice = in_one_zone(gang, patience);
    }
    if (choice.beside_driver) return choice;
    Start apart;
    apart.spots = in_several_zones(gang);
    apart.usd = usd_of(gang, apart);
    const bool all = count_tasks(apart.spots) == gang.tasks();
    if (all ? apart.usd < choice.usd : !choice.some_zone_holds_all && !room_.are_large_enough(gang)) return apart;
    return choice;
  }

  // Where no zone but several hold also those that will come. None starts before there is room for all.
  std::optional<Start> all_in_several_zones(const Gang& gang, const Patience& patience) {
    if (settings_.buys || !room_.are_large_enough(gang)) return std::nullopt;
    Start choice;
    choice.spots = in_several_zones(gang);
    if (count_tasks(choice.spots) == gang.tasks()) return choice;
    choice.wait = patience.seconds;
    if (choice.wait <= 0) choice.spots.clear();
    return choice;
  }

  // But for one worker beside a driver that has not started.
  void leave_out_to_come(Gang& gang) const {
    const bool lone = only_driver_waits(gang);
    for (GangPart& part : gang.parts)
      if (part.to_come) part.tasks = lone ? 1 : 0;
    std::erase_if(gang.parts, [](const GangPart& part) { return part.tasks == 0; });
  }

  bool driver_waits(const Gang& gang) const {
    return gang.running_tasks == 0 && std::any_of(gang.parts.begin(), gang.parts.end(), [&](const GangPart& part) {
             return !part.to_come && cluster_.jobs[part.job].coordinates;
           });
  }
  bool only_driver_waits(const Gang& gang) const {
    return driver_waits(gang) && std::all_of(gang.parts.begin(), gang.parts.end(), [&](const GangPart& part) {
             return part.to_come || cluster_.jobs[part.job].coordinates;
           });
  }
  // Of its job nothing else runs.
  bool only_driver_runs(WholeJobId id) const {
    const auto peers = running_.find(id);
    return peers != running_.end() && peers->second.tasks == 1 && peers->second.driver.valid();
  }

  Start in_one_zone(const Gang& gang, const Patience& patience) {
    if (Start home = beside_driver(gang); home.beside_driver) return home;
    Start best, ordered;
    bool now = false, holds_all = false;
    const std::optional<Gang> plain = gang.has_stakes() ? std::optional(gang.without_stakes()) : std::nullopt;
    for (const ZoneId zone : cluster_.zones.ids()) {
      Start choice;
      choice.zone = zone;
      const auto consider = [&](Start& cheapest) {
        choice.usd = usd_of(gang, choice);
        if (choice.usd < cheapest.usd) cheapest = choice;
      };
      if (std::optional<std::vector<Spot>> spots = room_.all_now(gang, zone)) {
        choice.spots = *std::move(spots);
        now = true;
        consider(best);
        continue;
      }
      holds_all = holds_all || room_.is_large_enough(gang, zone);
      std::optional<GangRoom::Later> later = patience.seconds > 0 ? room_.all_later(gang, zone) : std::nullopt;
      if (later && later->seconds <= patience.seconds) {
        choice.wait = std::max(1e-6, later->seconds);
        choice.spots = std::move(later->spots);
        consider(best);
      }
      if (!settings_.buys) continue;
      choice.wait = 0;
      const auto consider_order = [&](const Gang& as) {
        choice.spots = room_.now(as, zone);
        choice.order = orders_.order(as, zone, choice.spots);
        holds_all = holds_all || choice.order;
        if (patience.orders && choice.order) consider(ordered);
      };
      consider_order(gang);
      if (plain) consider_order(*plain);  // safer nodes can be dearer than what is lost
    }
    // Room that is there may be paid for already, or stay for others: nodes in its stead must pay for themselves.
    if (now && ordered.order) ordered.usd = usd_beside_cpu(gang, ordered) + margin * usd_of_nodes(gang, ordered);
    if (ordered.usd < (now ? usd_beside_cpu(gang, best) : best.usd)) best = std::move(ordered);
    best.some_zone_holds_all = now || holds_all || !best.spots.empty();
    return best;
  }

  // They are one job: cheaper CPU elsewhere is no reason to leave the zone of the driver, where room was kept for them.
  // What they read is, and what peers of theirs do that run elsewhere.
  Start beside_driver(const Gang& gang) {
    Start choice;
    const auto peers = running_.find(gang.whole);
    if (peers == running_.end() || !peers->second.driver.valid() || gang.exchange.value() <= 0) return choice;
    const ZoneId home = peers->second.driver;
    const auto reads = [&](ZoneId zone) {
      double usd = 0;
      for (const GangPart& part : gang.parts) usd += part.tasks * part.read_usd[zone];
      return usd;
    };
    for (const ZoneId zone : cluster_.zones.ids())
      if (zone != home && (gang.running[zone] > 0 || reads(zone) < reads(home) - 1e-12)) return choice;
    std::optional<std::vector<Spot>> now = room_.all_now(gang, home);
    if (!now) return choice;
    choice.zone = home;
    choice.spots = *std::move(now);
    choice.usd = usd_of(gang, choice);
    choice.beside_driver = choice.some_zone_holds_all = true;
    return choice;
  }

  // Calls `visit(spot, class)` for all tasks that the choice places, on nodes that are there and on ordered ones.
  template <class Visit>
  void each_place(const Start& choice, const Visit& visit) const {
    for (const Spot& spot : choice.spots) visit(spot, classes_.classes[classes_.class_of[spot.node]]);
    if (choice.order)
      for (const NewSpot& spot : choice.order->spots) visit(spot, classes_.classes[spot.on]);
  }

  double usd_of(const Gang& gang, const Start& choice) const {
    double usd = usd_beside_cpu(gang, choice);
    each_place(choice, [&](const auto& spot, const NodeClass& on) {
      usd += spot.tasks * gang.parts[spot.part].work * on.price.value() + lost_usd(gang, spot, on);
    });
    return usd;
  }

  // By interruptions of the nodes of the class.
  template <class AnySpot>
  double lost_usd(const Gang& gang, const AnySpot& spot, const NodeClass& on) const {
    const GangPart& part = gang.parts[spot.part];
    return spot.tasks * part.work * price_of_interruptions(classes_, on, part);
  }

  // Of all nodes that the choice orders, used or not, from their launch until they have been idle.
  double usd_of_nodes(const Gang& gang, const Start& choice) const {
    double longest = 0, usd = 0;
    for (const NewSpot& spot : choice.order->spots) {
      const GangPart& part = gang.parts[spot.part];
      const NodeClass& on = classes_.classes[spot.on];
      longest = std::max(longest, part.work / (cores_of(part.request) * on.speed));
      usd += lost_usd(gang, spot, on);
    }
    for (const auto& [c, nodes] : choice.order->nodes) {
      const Offer& offer = cluster_.offers[classes_.classes[c].offer];
      const double paid = to_seconds(offer.boot + offer.idle) + longest;
      usd += nodes * cluster_.nodes[offer.like].price.value() * paid / 3600;
    }
    return usd;
  }

  // Waiting, reads and exchange.
  double usd_beside_cpu(const Gang& gang, const Start& choice) const {
    PeersByZone in_zone = gang.running;
    const double wait = std::max(choice.wait, choice.order ? choice.order->boot : 0.0);
    double usd = settings_.waiting_price * classes_.mean_price.value() * gang.work() * wait / 3600;
    each_place(choice, [&](const auto& spot, const NodeClass& on) {
      const GangPart& part = gang.parts[spot.part];
      usd += spot.tasks * part.read_usd[on.zone];
      in_zone[on.zone] += part.weight * spot.tasks;
    });
    return usd + exchange_cost(costs_, gang.exchange, in_zone).value();
  }

  std::size_t zones_of(const std::vector<Spot>& spots) const {
    std::set<ZoneId> zones;
    for (const Spot& spot : spots) zones.insert(cluster_.nodes[spot.node].zone);
    return zones.size();
  }

  // As many as find room now.
  std::vector<Spot> in_several_zones(const Gang& gang) {
    ZoneRooms rooms;
    for (const ZoneId zone : cluster_.zones.ids()) rooms.push_back(room_.prices_of_room(gang, zone, gang.tasks()));
    const IdVector<ZoneId, std::uint32_t> tasks = cheapest_zones(gang, rooms, costs_);
    Gang left = gang;
    std::vector<Spot> spots;
    for (const ZoneId zone : tasks.ids())
      for (const Spot& spot : room_.take(left, zone, tasks[zone])) {
        left.parts[spot.part].tasks -= spot.tasks;
        spots.push_back(spot);
      }
    room_.give_back(gang, spots);
    return spots;
  }

  // Their room is taken from the nodes already.
  void take(const Gang& gang, const std::vector<Spot>& spots, bool start) {
    std::map<std::size_t, PortionId> portions;
    for (const Spot& spot : spots) {
      const GangPart& part = gang.parts[spot.part];
      const ClassId c = classes_.class_of[spot.node];
      CapacityStep& now = classes_.steps[c].front();
      const double window = spot.tasks * classes_.now_window[c];
      now.work = std::max(0.0, now.work - part.request.cpu.value() * window * classes_.classes[c].speed);
      now.memory = std::max(0.0, now.memory - part.request.memory.value() * window);
      now.slots = std::max(0.0, now.slots - part.request.slots * window);
      if (!start || part.to_come) continue;
      const Job& job = cluster_.jobs[part.job];
      const auto [portion, added] = portions.try_emplace(spot.part);
      if (added)
        portion->second = result_.workload.portions.push_back(
            {part.job, part.group, part.tasks, part.work, to_seconds(job.arrival), {}});
      result_.pool_cores[job.pool] += part.request.cpu * spot.tasks;
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
  GangRoom room_;
  OrderRoom orders_;
  Duration boot_{};           // of the slowest offer
  bool interrupted_ = false;  // some nodes may be
  std::map<WholeJobId, RunningPeers> running_;
  std::map<WholeJobId, std::uint32_t> short_;  // of tasks that must start at once
  std::map<WholeJobId, std::vector<JobId>> pending_;
  PeersPlan result_;
};

bool any_peers(const ClusterSnapshot& cluster) {
  const auto peers = [&](JobId id) { return cluster.jobs[id].whole.peers; };
  return std::any_of(cluster.pending.begin(), cluster.pending.end(), peers) ||
         std::any_of(cluster.running.begin(), cluster.running.end(),
                     [&](const RunningTask& run) { return peers(run.job); });
}

}  // namespace

PeersPlan place_peers(const PolicyInput& input, const PeersSettings& settings, NodeClasses& classes,
                      IdVector<NodeId, Resources>& free) {
  if (!any_peers(input.cluster)) return {};
  return Peers(input, settings, classes, free).run();
}

}  // namespace lips
