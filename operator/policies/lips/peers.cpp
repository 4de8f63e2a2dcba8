#include "policies/lips/peers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "policies/lips/commodities.h"
#include "policies/lips/gang.h"
#include "policies/lips/gang_zones.h"

namespace lips {

namespace {

constexpr Duration overdue = std::chrono::seconds(1);  // pause after which tasks that should have ended are asked for

// One way to start a gang.
struct Choice {
  double usd = std::numeric_limits<double>::infinity();
  double wait = 0;  // seconds
  ZoneId zone;      // none: several
  std::vector<Spot> spots;
  bool some_zone_holds_all = false;  // now or later
};

class Peers {
 public:
  Peers(const PolicyInput& input, const PeersSettings& settings, NodeClasses& classes,
        IdVector<NodeId, Resources>& free)
      : cluster_(input.cluster),
        costs_(input.costs),
        settings_(settings),
        classes_(classes),
        room_(cluster_, classes, free),
        running_(running_peers(cluster_)) {}

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
  std::vector<WholeJobId> in_order() const {
    std::vector<std::tuple<std::int32_t, TimePoint, WholeJobId>> order;
    for (const auto& [whole, jobs] : pending_) {
      std::int32_t priority = std::numeric_limits<std::int32_t>::min();
      TimePoint arrival = TimePoint::max();
      for (const JobId id : jobs) {
        priority = std::max(priority, cluster_.jobs[id].priority);
        arrival = std::min(arrival, cluster_.jobs[id].arrival);
      }
      order.emplace_back(-std::max(priority, -std::numeric_limits<std::int32_t>::max()), arrival, whole);
    }
    std::sort(order.begin(), order.end());
    std::vector<WholeJobId> wholes;
    for (const auto& [priority, arrival, whole] : order) wholes.push_back(whole);
    return wholes;
  }

  void start(WholeJobId id) {
    const std::vector<JobId>& jobs = pending_[id];
    const WholeJob& whole = cluster_.jobs[jobs.front()].whole;
    Gang gang = gang_of(id, jobs);
    if (gang.parts.empty()) return;  // no store holds what they read
    const Duration since = cluster_.now - whole.arrived;
    const bool all_here = whole.expected > 0 && to_come(whole, gang) == 0;
    if (!all_here && since < settings_.settle) {
      look_again(settings_.settle - since);
      return defer(jobs, DeferralReason::waits_for_peers);
    }
    if (since < settings_.keep_room) add_to_come(gang, to_come(whole, gang), whole, jobs.back());
    if (!within_pool_maxima(gang)) return defer(jobs, DeferralReason::pool_maximum);
    const Choice choice = choose(gang, to_seconds(settings_.keep_room - since));
    if (settings_.buys && (choice.wait > 0 || choice.spots.empty() || !choice.zone.valid())) {
      for (const JobId job : jobs) result_.served[job.index()] = false;
      return;
    }
    if (choice.wait > 0) {  // what is free there already is kept for it
      take(gang, room_.take(gang, choice.zone, gang.tasks()), false);
      look_again(std::max(overdue, seconds(choice.wait)));
    }
    if (choice.wait > 0 || choice.spots.empty()) return defer(jobs, DeferralReason::waits_for_peers);
    result_.apart += zones_of(choice.spots) > 1;
    room_.take(gang, choice.spots);
    take(gang, choice.spots, true);
  }

  Gang gang_of(WholeJobId id, const std::vector<JobId>& jobs) {
    Gang gang{id, {}, PeersByZone(cluster_.zones.size(), 0.0), 0, cluster_.jobs[jobs.front()].shuffle};
    if (const auto peers = running_.find(id); peers != running_.end()) {
      gang.running = peers->second.in_zone;
      gang.running_tasks = peers->second.tasks;
    }
    IdVector<ZoneId, double> usd;
    for (const JobId job : jobs)
      for (std::uint32_t g = 0; g < cluster_.groups[job].size(); ++g) {
        const TaskGroup& group = cluster_.groups[job][g];
        if (group.count == 0 || (group.reads && group.zones.empty())) continue;
        non_cpu_costs(cluster_, costs_, cluster_.jobs[job], group, ZoneId::none(), usd);
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

  void add_to_come(Gang& gang, std::uint32_t tasks, const WholeJob& whole, JobId like) const {
    if (tasks == 0) return;
    const double work = gang.parts.empty() ? least_work : gang.parts.front().work;
    gang.parts.push_back(
        {like, 0, tasks, true, whole.each, work, 1, IdVector<ZoneId, double>(cluster_.zones.size(), 0.0)});
  }

  // For peers that have not arrived, where most of the others run.
  void keep_room(WholeJobId id, const RunningPeers& peers) {
    const WholeJob& whole = cluster_.jobs[peers.part].whole;
    if (cluster_.now - whole.arrived >= settings_.keep_room) return;
    Gang gang{id, {}, peers.in_zone, peers.tasks, {}};
    add_to_come(gang, to_come(whole, gang), whole, peers.part);
    const auto most = std::max_element(gang.running.begin(), gang.running.end()) - gang.running.begin();
    take(gang, room_.take(gang, ZoneId(static_cast<std::uint32_t>(most)), gang.tasks()), false);
  }

  // Tasks that their pools' maxima never allow at once are left out. False: they allow too few now.
  bool within_pool_maxima(Gang& gang) const {
    IdVector<PoolId, double> need(cluster_.pools.size(), 0.0);
    for (GangPart& part : gang.parts) {
      const Job& job = cluster_.jobs[part.job];
      const double most = cluster_.pools[job.pool].maximum.value(), cores = cores_of(part.request);
      if (part.to_come || most <= 0) continue;
      const double ever = std::floor((most - need[job.pool] + 1e-7) / cores);
      part.tasks = static_cast<std::uint32_t>(std::clamp(ever, 0.0, double{1} * part.tasks));
      need[job.pool] += part.tasks * cores;
    }
    for (const PoolId pool : need.ids())
      if (need[pool] > 0 && result_.pool_cores[pool].value() + need[pool] > cluster_.pools[pool].maximum.value() + 1e-7)
        return false;
    return gang.tasks() > 0;
  }

  // Those that are here do not wait for others that no zone will ever hold beside them.
  Choice choose(Gang& gang, double patience) {
    Choice choice = in_one_zone(gang, patience);
    const bool to_come =
        std::any_of(gang.parts.begin(), gang.parts.end(), [](const auto& part) { return part.to_come; });
    if (to_come && choice.some_zone_holds_all) return choice;
    if (to_come) {
      std::erase_if(gang.parts, [](const GangPart& part) { return part.to_come; });
      choice = in_one_zone(gang, patience);
    }
    Choice apart;
    apart.spots = in_several_zones(gang);
    apart.usd = usd_of(gang, apart);
    const bool all = count_tasks(apart.spots) == gang.tasks();
    if (all ? apart.usd < choice.usd : !choice.some_zone_holds_all && !room_.are_large_enough(gang)) return apart;
    return choice;
  }

  // Waiting for no longer than `patience`, in seconds.
  Choice in_one_zone(const Gang& gang, double patience) {
    Choice best;
    bool holds_all = false;
    for (const ZoneId zone : cluster_.zones.ids()) {
      Choice choice;
      choice.zone = zone;
      if (std::optional<std::vector<Spot>> now = room_.all_now(gang, zone)) {
        choice.spots = *std::move(now);
      } else {
        holds_all = holds_all || room_.is_large_enough(gang, zone);
        std::optional<GangRoom::Later> later = patience > 0 ? room_.all_later(gang, zone) : std::nullopt;
        if (!later || later->seconds > patience) continue;
        choice.wait = std::max(1e-6, later->seconds);
        choice.spots = std::move(later->spots);
      }
      choice.usd = usd_of(gang, choice);
      if (choice.usd < best.usd) best = std::move(choice);
    }
    best.some_zone_holds_all = holds_all || !best.spots.empty();
    return best;
  }

  double usd_of(const Gang& gang, const Choice& choice) const {
    PeersByZone in_zone = gang.running;
    double usd = settings_.waiting_price * classes_.mean_price.value() * gang.work() * choice.wait / 3600;
    for (const Spot& spot : choice.spots) {
      const GangPart& part = gang.parts[spot.part];
      const ZoneId zone = cluster_.nodes[spot.node].zone;
      const double price = classes_.classes[classes_.class_of[spot.node]].price.value();
      usd += spot.tasks * (part.work * price + part.read_usd[zone]);
      in_zone[zone] += part.weight * spot.tasks;
    }
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

  void defer(const std::vector<JobId>& jobs, DeferralReason reason) {
    for (const JobId job : jobs)
      for (const TaskGroup& group : cluster_.groups[job])
        if (group.count > 0)
          for (const TaskId task : cluster_.tasks_of(group)) result_.deferrals.push_back({task, reason});
  }

  void look_again(Duration after) { result_.look_again = std::min(after, result_.look_again.value_or(after)); }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  PeersSettings settings_;
  NodeClasses& classes_;
  GangRoom room_;
  std::map<WholeJobId, RunningPeers> running_;
  std::map<WholeJobId, std::vector<JobId>> pending_;
  PeersPlan result_;
};

bool any_peers(const ClusterSnapshot& cluster) {
  const auto peers = [&](JobId id) { return cluster.jobs[id].whole.peers; };
  return std::any_of(cluster.pending.begin(), cluster.pending.end(), peers) ||
         std::any_of(cluster.running.begin(), cluster.running.end(),
                     [&](const RunningTask& run) { return peers(cluster.tasks[run.task].job); });
}

}  // namespace

PeersPlan place_peers(const PolicyInput& input, const PeersSettings& settings, NodeClasses& classes,
                      IdVector<NodeId, Resources>& free) {
  if (!any_peers(input.cluster)) return {};
  return Peers(input, settings, classes, free).run();
}

}  // namespace lips
