#include "policies/lips/placing/reclaim_room.h"

#include <algorithm>
#include <limits>

namespace lips {

namespace {

constexpr double grain = 1e-9;  // of a share
// All choices are tried among so many units and places. Beyond them the cheapest room of each task alone counts.
constexpr std::size_t few_units = 12, few_places = 8, few_nodes = 64;
constexpr int most_tries = 400;  // of one attempt to pack
// A node of many tasks has more choices than anybody can try.
constexpr int least_steps = 64, most_steps = 4096, most_steps_of_all = 1 << 18;

const Resources no_request{Cores(0), Mebibytes(0), 0};

Resources on_node(const ReclaimUnit& unit, NodeId node) {
  Resources sum{Cores(0), Mebibytes(0), 0};
  for (const auto& [where, room] : unit.room)
    if (where == node) sum += room;
  return sum;
}

Resources least_of(const Resources& a, const Resources& b) {
  Resources least = a;
  least.cpu = std::min(a.cpu, b.cpu), least.memory = std::min(a.memory, b.memory);
  least.slots = std::min(a.slots, b.slots);
  for (const auto& [resource, amount] : a.extended)
    least.extended.set(resource, std::min(amount, b.extended[resource]));
  return least;
}

}  // namespace

ReclaimRoom::ReclaimRoom(const ClusterSnapshot& cluster, const PoolShares& shares,
                         const std::vector<ReclaimUnit>& units, IdVector<PoolId, PoolLoss> losses,
                         IdVector<NodeId, Resources> free)
    : cluster_(cluster),
      shares_(shares),
      units_(units),
      units_on_(cluster.nodes.size()),
      losses_(std::move(losses)),
      free_(std::move(free)),
      ends_(nodes_of_reclaimed(cluster)),
      closed_(cluster.nodes.size(), false),
      taken_(units.size(), false) {
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const auto& [node, room] : units[u].room)
      if (units_on_[node].empty() || units_on_[node].back() != u) units_on_[node].push_back(u);
  for (const NodeId node : cluster.nodes.ids())
    if (ends_[node]) free_[node] = cluster.free[node];
}

void ReclaimRoom::begin(const ReclaimTurn& turn, MayStart may_start) {
  if (turn_.pool.valid())
    for (const NodeId node : free_.ids())
      if (!closed_[node]) free_[node] = least_of(free_[node], room_[node]);
  turn_ = turn;
  const PoolId pool = turn.pool;
  may_start_ = std::move(may_start);
  taken_before_ = taken_;
  places_.clear();
  nodes_ = {};
  room_ = free_;
  IdVector<NodeId, Resources> ending(free_.size(), Resources{Cores(0), Mebibytes(0), 0});
  IdVector<NodeId, bool> ends_for_it(free_.size(), false);
  used_ = losses_[pool].with_starts;
  ResourceAmounts before = used_;
  for (const RunningTask& run : cluster_.running)
    if (run.reclaimed_for == pool) {
      const Job& job = cluster_.jobs[run.job];
      ending[run.node] += job.request, ends_for_it[run.node] = true;
      if (job.pool == pool) add_amounts(before, job.request, 1);
    }
  most_ = std::max(shares_.of[pool].share, dominant_share(before, shares_.capacity));
  const Cores maximum = cluster_.pools[pool].maximum;
  most_cores_ =
      maximum.value() > 0 ? std::max(maximum, Cores(before.front())) : Cores(std::numeric_limits<double>::infinity());
  for (const NodeId node : room_.ids()) {
    closed_[node] = ends_[node] && !ends_for_it[node];
    if (closed_[node]) room_[node] = Resources{Cores(0), Mebibytes(0), 0};
    room_[node] += ending[node];
  }
}

bool ReclaimRoom::is_within_share(const Resources& request) const {
  return tasks_until_share(shares_.of[turn_.pool], used_, request, shares_.capacity) >= 1 - part_of_task;
}

bool ReclaimRoom::has_room(const Resources& request, const Resources& room) const {
  return fits(request, room) && (may_borrow_ || is_neutral(request));
}

bool ReclaimRoom::is_neutral(const Resources& request) const {
  ResourceAmounts used = used_;
  add_amounts(used, request, 1);
  return dominant_share(used, shares_.capacity) <= most_ + grain && used.front() <= most_cores_.value() + grain;
}

bool ReclaimRoom::may_take(std::size_t index) const {
  const ReclaimUnit& unit = units_[index];
  if (taken_[index]) return false;
  if (unit.pool == turn_.pool) return preempts_ && unit.priority < *preempts_;
  if (!may_borrow_ || !lends(shares_, unit.pool)) return false;
  const PoolLoss& loss = losses_[unit.pool];
  const auto keeps_share = [&](const ResourceAmounts& used) {
    double left = 0;
    for (std::size_t r = 0; r < used.size(); ++r)
      if (shares_.capacity[r] > 0) left = std::max(left, (used[r] - unit.amounts[r]) / shares_.capacity[r]);
    return left >= shares_.of[unit.pool].share - grain;
  };
  return keeps_share(loss.with_starts) && (unit.starts || keeps_share(loss.runs));
}

void ReclaimRoom::count(std::size_t index, double times) {
  const ReclaimUnit& unit = units_[index];
  PoolLoss& loss = losses_[unit.pool];
  for (std::size_t r = 0; r < unit.amounts.size(); ++r) {
    loss.with_starts[r] -= times * unit.amounts[r];
    if (unit.pool == turn_.pool) used_[r] -= times * unit.amounts[r];
    if (!unit.starts) loss.runs[r] -= times * unit.amounts[r];
  }
}

void ReclaimRoom::take(std::size_t index) {
  taken_[index] = true;
  count(index, 1);
  for (const auto& [node, room] : units_[index].room) room_[node] += room;
}

void ReclaimRoom::untake(std::size_t index) {
  taken_[index] = false;
  count(index, -1);
  for (const auto& [node, room] : units_[index].room) room_[node] -= room;
}

// One node, and the units on it that may be taken one by one.
struct ReclaimRoom::NodeChoices {
  const Resources& request;
  std::vector<std::size_t> units;  // the cheapest first
  std::vector<Resources> room;     // [i] of the i-th
  std::vector<Resources> rest;     // [i] of all from the i-th on
  std::vector<std::size_t> now = {};
  std::optional<Choice> best = {};
  int steps = 0;
};

std::optional<ReclaimRoom::Choice> ReclaimRoom::cheapest(NodeId node, const Resources& request) {
  if (has_room(request, room_[node])) return Choice{};
  NodeChoices choices{request, {}, {}, {}};
  for (const std::size_t u : units_on_[node])
    if (may_take(u)) choices.units.push_back(u), choices.room.push_back(on_node(units_[u], node));
  choices.rest.assign(choices.units.size() + 1, Resources{Cores(0), Mebibytes(0), 0});
  for (std::size_t i = choices.units.size(); i-- > 0;) choices.rest[i] = choices.rest[i + 1] + choices.room[i];
  choices.steps = std::clamp(most_steps_of_all / static_cast<int>(room_.size()), least_steps, most_steps);
  choose(choices, 0, room_[node], 0);
  return std::move(choices.best);
}

// With the cheapest ones first, the first choice that is found leaves out what costs most.
void ReclaimRoom::choose(NodeChoices& choices, std::size_t next, const Resources& room, double usd) {
  if (choices.best && usd >= choices.best->usd) return;
  if (has_room(choices.request, room)) {
    choices.best = Choice{usd, choices.now};
    return;
  }
  if (next == choices.units.size() || !fits(choices.request, room + choices.rest[next])) return;
  if (--choices.steps < 0) return;
  const std::size_t u = choices.units[next];
  if (may_take(u)) {
    taken_[u] = true, count(u, 1), choices.now.push_back(u);
    choose(choices, next + 1, room + choices.room[next], usd + units_[u].usd);
    taken_[u] = false, count(u, -1), choices.now.pop_back();
  }
  choose(choices, next + 1, room, usd);
}

void ReclaimRoom::offer(NodeId node, const Resources& request) {
  if (const std::optional<Choice> choice = cheapest(node, request)) nodes_.offers.emplace(choice->usd, node);
}

void ReclaimRoom::queue(JobId job, ZoneId within, TaskId one) {
  if (nodes_.job == job && nodes_.within == within) return;
  nodes_ = {job, within, {}};
  for (const NodeId node : cluster_.nodes.ids())
    if ((!within.valid() || cluster_.nodes[node].zone == within) && may_start_(one, node)) offer(node, request(one));
}

bool ReclaimRoom::place(TaskId task, ZoneId within) {
  const JobId job = cluster_.tasks[task].job;
  const bool may_borrow = turn_.borrows && is_within_share(request(task));
  preempts_ = turn_.gap.preempts_up_to(cluster_.jobs[job]);
  if (!may_borrow && !preempts_) return false;
  if (std::exchange(may_borrow_, may_borrow) != may_borrow) nodes_ = {};
  queue(job, within, task);
  while (!nodes_.offers.empty()) {
    const auto [usd, node] = nodes_.offers.top();
    nodes_.offers.pop();
    const std::optional<Choice> choice = cheapest(node, request(task));
    if (!choice) continue;
    if (choice->usd > usd) {
      nodes_.offers.emplace(choice->usd, node);
      continue;
    }
    if (!may_start_(task, node)) continue;
    for (const std::size_t u : choice->units) take(u);
    room_[node] -= request(task);
    add_amounts(used_, request(task), 1);
    places_.emplace_back(task, node);
    offer(node, request(task));
    for (const std::size_t u : choice->units)
      for (const auto& [freed, room] : units_[u].room)
        if (freed != node && may_start_(task, freed)) offer(freed, request(task));
    return true;
  }
  return false;
}

void ReclaimRoom::go_back(const Mark& mark) {
  nodes_ = {};
  for (; places_.size() > mark.places; places_.pop_back())
    room_[places_.back().second] += request(places_.back().first);
  for (std::size_t u = 0; u < taken_.size(); ++u)
    if (taken_[u] && !mark.taken[u]) untake(u);
  losses_ = mark.losses, used_ = mark.used;  // without rounding
}

bool ReclaimRoom::all_fit() const {
  return std::all_of(places_.begin(), places_.end(), [&](const ReclaimPlace& place) {
    return fits(request(place.first), room_[place.second] + request(place.first));
  });
}

bool ReclaimRoom::all_serve(const std::vector<std::size_t>& units, const std::vector<ReclaimPlace>& places) const {
  return std::all_of(units.begin(), units.end(), [&](std::size_t u) {
    if (units_[u].pool != turn_.pool) return true;
    return std::any_of(places.begin(), places.end(), [&](const ReclaimPlace& place) {
      return std::any_of(units_[u].room.begin(), units_[u].room.end(),
                         [&](const auto& room) { return room.first == place.second; });
    });
  });
}

bool ReclaimRoom::settle(bool may_move) {
  nodes_ = {};
  const std::vector<bool> before = taken_;
  for (std::size_t u = units_.size(); u-- > 0;) {
    if (!taken_[u] || taken_before_[u]) continue;
    untake(u);
    if (!all_fit() || (units_[u].pool == turn_.pool && !is_neutral(no_request))) take(u);
  }
  const bool few = units_.size() <= few_units && places_.size() <= few_places && room_.size() <= few_nodes;
  if (may_move && few) find_cheaper();
  return taken_ != before;
}

std::vector<std::size_t> ReclaimRoom::taken() const {
  std::vector<std::size_t> units;
  for (std::size_t u = 0; u < taken_.size(); ++u)
    if (taken_[u] && !taken_before_[u]) units.push_back(u);
  return units;
}

bool ReclaimRoom::pack(std::vector<ReclaimPlace>& places, std::size_t next, IdVector<NodeId, Resources>& room,
                       int& steps) const {
  if (next == places.size()) return true;
  const auto& [task, old] = places[next];
  for (const NodeId node : room.ids()) {
    if (!fits(request(task), room[node]) || !may_start_(task, node)) continue;
    if (--steps < 0) return false;
    room[node] -= request(task);
    places[next].second = node;
    if (pack(places, next + 1, room, steps)) return true;
    room[node] += request(task);
  }
  return false;
}

// The least dollars with which all tasks find room, wherever that is.
void ReclaimRoom::find_cheaper() {
  double best = 0;
  const std::vector<std::size_t> before = taken();
  bool own = false;
  for (const std::size_t u : before) best += units_[u].usd, own = own || units_[u].pool == turn_.pool;
  if (best <= 0) return;
  may_borrow_ = turn_.borrows;
  preempts_ = std::numeric_limits<std::int32_t>::max();
  for (const ReclaimPlace& place : places_)
    preempts_ = std::min(preempts_, turn_.gap.preempts_up_to(cluster_.jobs[cluster_.tasks[place.first].job]));
  std::vector<ReclaimPlace> tasks = places_;
  for (const std::size_t u : before) untake(u);
  for (const ReclaimPlace& place : places_) room_[place.second] += request(place.first);
  std::sort(tasks.begin(), tasks.end(), [&](const ReclaimPlace& a, const ReclaimPlace& b) {
    return std::pair(request(b.first).cpu, a.first) < std::pair(request(a.first).cpu, b.first);
  });
  std::vector<std::size_t> chosen = before, now;
  std::vector<ReclaimPlace> best_places = places_;
  const std::function<void(std::size_t, double)> search = [&](std::size_t next, double usd) {
    if (usd >= best * (1 - grain)) return;
    IdVector<NodeId, Resources> room = room_;
    int steps = most_tries;
    const bool may_use = !own || is_neutral(no_request);
    if (std::vector<ReclaimPlace> places = tasks; may_use && pack(places, 0, room, steps) && all_serve(now, places)) {
      best = usd, chosen = now, best_places = std::move(places);
      return;
    }
    for (std::size_t u = next; u < units_.size(); ++u) {
      if (!may_take(u)) continue;
      take(u);
      now.push_back(u);
      search(u + 1, usd + units_[u].usd);
      now.pop_back();
      untake(u);
    }
  };
  search(0, 0);
  for (const std::size_t u : chosen) take(u);
  places_ = std::move(best_places);
  for (const ReclaimPlace& place : places_) room_[place.second] -= request(place.first);
}

}  // namespace lips
