#include "simulation/truth_fleet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.h"
#include "simulation/truth_jobs.h"
#include "simulation/truth_losses.h"
#include "simulation/truth_services.h"

namespace lips::simulation {

TruthFleet::TruthFleet(World& world, const Peers& peers)
    : world_(world),
      peers_(peers),
      fleet_(world.scenario.fleet),
      packing_(world.scenario.cluster),
      limits_(fleet_.limits),
      told_limits_(limits_) {
  sold_out_.resize(fleet_.offers.size(), false);
  out_.resize(world_.scenario.cluster.zones.size(), 0);
  for (std::uint32_t i = 0; i < fleet_.outages.size(); ++i) {
    world_.queue.add(fleet_.outages[i].from, {SimEvent::Kind::outage, i, 0});
    world_.queue.add(fleet_.outages[i].until, {SimEvent::Kind::outage_end, i, 0});
  }
  if (!fleet_.offers.empty()) place_of_.assign(world.scenario.cluster.nodes.size(), 0);
  for (std::uint32_t offer = 0; offer < fleet_.offers.size(); ++offer)
    for (const NodeId node : fleet_.offers[offer].places()) {
      nodes_.push_back(node);
      places_.push_back({State::absent, 0, offer, {}});
      place_of_[node.index()] = static_cast<std::uint32_t>(places_.size());
    }
}

void TruthFleet::request(const std::optional<std::vector<NodeRequest>>& requests, bool marked) {
  if (places_.empty() || requests == requests_) return;
  requests_ = requests;
  tasks_marked_ = tasks_marked_ || (marked && requests_.has_value());
  world_.more_wait = world_.more_wait || !requests_ || !requests_->empty();
  open_batch();
}

// A batch ends when no pod has arrived for a second, or ten seconds after the first.
void TruthFleet::open_batch() {
  if (launched_or_gone_) tell_left();
  if (!std::exchange(world_.more_wait, false) || places_.empty() || !any_wait()) return;
  if (batch_opened_ == TimePoint::max()) batch_opened_ = world_.now;
  const AutoscalerSettings& settings = fleet_.autoscaler;
  world_.queue.add(std::min(world_.now + settings.batch_idle, batch_opened_ + settings.batch_most),
                   {SimEvent::Kind::batch, 0, ++batch_});
}

bool TruthFleet::current(const SimEvent& event) {
  const Place* found = place(NodeId(event.index));
  return found && found->state != State::absent && found->launch == event.generation;
}

void TruthFleet::handle(const SimEvent& event) {
  const NodeId node(event.index);
  switch (event.kind) {
    case SimEvent::Kind::boot:
      if (current(event)) boot(node);
      return;
    case SimEvent::Kind::notice:
      if (current(event)) give_notice(node);
      return;
    case SimEvent::Kind::interruption:
      if (current(event)) go(node, RunListener::Gone::interrupted);
      return;
    case SimEvent::Kind::outage:
      return begin_outage(fleet_.outages[event.index]);
    case SimEvent::Kind::outage_end:
      --out_[fleet_.outages[event.index].zone.index()];
      launched_or_gone_ = true;
      return;
    case SimEvent::Kind::batch:
      if (event.generation == batch_) buy();
      return;
    case SimEvent::Kind::poll:
      return consolidate();
    case SimEvent::Kind::validation:
      return validate();
    default:
      return;
  }
}

// The pods that wait, by request and constraint: an autoscaler knows no more of them.
std::vector<PodsAlike> TruthFleet::pending() const {
  std::vector<PodsAlike> pods = requests_ ? tasks_that_wait() : all_that_wait();
  const std::vector<PodsAlike> services = peers_.services.that_wait();
  pods.insert(pods.end(), services.begin(), services.end());
  return pods;
}

bool TruthFleet::any_wait() const { return world_.waiting > 0 || peers_.services.any_wait(); }

// Those for which a plan asks.
std::vector<PodsAlike> TruthFleet::tasks_that_wait() const {
  std::map<std::tuple<Resources, ConstraintId, NodeId>, std::uint64_t> counts;
  for (const NodeRequest& asks : *requests_) {
    const TaskRecord& record = world_.tasks[asks.task];
    const Job& job = world_.job(record.job);
    const Resources& request = asks.to_come > 0 ? job.whole.each : job.request;
    const NodeId like = asks.offer.valid() ? fleet_.offers[asks.offer.index()].first : NodeId::none();
    if (asks.to_come > 0 || record.state == SimTaskState::waiting)
      counts[{request, job.constraint, like}] += std::max(1u, asks.to_come);
  }
  std::vector<PodsAlike> groups;
  for (const auto& [key, count] : counts)
    groups.push_back({std::get<Resources>(key), std::get<ConstraintId>(key), std::get<NodeId>(key), count});
  return groups;
}

std::vector<PodsAlike> TruthFleet::all_that_wait() const {
  std::map<std::pair<Resources, ConstraintId>, std::uint64_t> counts;
  for (std::uint32_t i = 0; i < world_.jobs.size(); ++i) {
    const JobRecord& record = world_.jobs[i];
    if (record.ended || record.failed || record.waiting == 0) continue;
    counts[{world_.job(JobId(i)).request, world_.job(JobId(i)).constraint}] += record.waiting;
  }
  std::vector<PodsAlike> groups;
  for (const auto& [key, count] : counts) groups.push_back({key.first, key.second, NodeId::none(), count});
  return groups;
}

std::vector<PodsAlike> TruthFleet::pods_on(NodeId node) const {
  std::vector<PodsAlike> groups;
  for (const Attempt& attempt : world_.attempts)
    if (attempt.live && !attempt.refused && attempt.assignment.node == node)
      groups.push_back({world_.job(attempt.job).request, world_.job(attempt.job).constraint, NodeId::none(), 1});
  peers_.services.add_those_on(node, groups);
  return groups;
}

std::vector<NodeRoom> TruthFleet::rooms(std::span<const NodeId> without) const {
  std::vector<NodeRoom> rooms;
  for (const NodeId node : world_.scenario.cluster.nodes.ids())
    if (world_.up[node.index()] && !world_.cordoned[node.index()] &&
        std::find(without.begin(), without.end(), node) == without.end())
      rooms.push_back({node, world_.free[node]});
  return rooms;
}

// First the nodes that are up, then those on their way.
std::vector<NodeRoom> TruthFleet::rooms_to_come() const {
  std::vector<NodeRoom> all = rooms({});
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].state == State::booting)
      all.push_back({nodes_[i], world_.scenario.cluster.nodes[nodes_[i]].capacity});
  return all;
}

// Reports only offers that sell out or become available again, and what limits leave beside the nodes that are up:
// those that boot stand for requests that are still made.
void TruthFleet::tell_left() {
  LaunchLimits limits = limits_;
  for (std::size_t i = 0; i < places_.size() && !limits.empty(); ++i)
    if (const LimitId within = fleet_.offers[places_[i].offer].within;
        places_[i].state == State::booting && within.valid())
      limits[within].give_back(world_.scenario.cluster.nodes[nodes_[i]].capacity, 1);
  bool news = limits != told_limits_;
  told_limits_ = limits;
  IdVector<OfferId, std::uint32_t> left;
  for (const OfferRoom& offer : offers()) {
    const OfferId id = left.push_back(offer.left);
    news = news || (left[id] == 0) != sold_out_[id];
    sold_out_[id] = left[id] == 0;
  }
  if (news) world_.emit(OffersChanged{std::move(left), std::move(limits)});
  // A node that has gone can be launched again once its loss has been reported.
  launched_or_gone_ = !world_.unreported_losses.empty();
}

std::vector<OfferRoom> TruthFleet::offers() const {
  std::vector<OfferRoom> rooms;
  for (const NodeOffer& offer : fleet_.offers) rooms.push_back({offer.first, 0, offer.within});
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].state == State::absent && !world_.loss_unreported(nodes_[i]) && !is_out(places_[i].offer))
      ++rooms[places_[i].offer].left;
  return rooms;
}

void TruthFleet::buy() {
  batch_opened_ = TimePoint::max();
  if (!any_wait()) return;
  const Purchase purchase = packing_.buy(pending(), rooms_to_come(), offers(), limits_);
  for (const std::uint32_t offer : purchase.launches) launch(offer);
  for (const NodeId node : purchase.nominated)
    if (Place* nominated = place(node)) nominated->nominated_until = world_.now + fleet_.autoscaler.nomination;
  world_.queue.add(world_.now + fleet_.autoscaler.retry, {SimEvent::Kind::batch, 0, ++batch_});
}

void TruthFleet::launch(std::uint32_t offer) {
  const NodeOffer& of = fleet_.offers[offer];
  for (const NodeId node : of.places()) {
    Place& free = *place(node);
    if (free.state != State::absent || world_.loss_unreported(node)) continue;
    free.state = State::booting;
    ++free.launch, ++there_;
    launched_or_gone_ = true;
    if (of.within.valid()) limits_[of.within].take(world_.scenario.cluster.nodes[node].capacity, 1);
    world_.last_progress = world_.last_task = world_.now;
    world_.listener.on_launch(node, world_.now);
    world_.queue.add(world_.now + of.boot, {SimEvent::Kind::boot, node.index(), free.launch});
    if (of.interruptions > 0) {
      constexpr std::uint64_t stream = 0x73706f74;  // of lives of spot nodes
      Random random(derive_seed(derive_seed(world_.scenario.seed, stream), node.index() * 1'000'003ull + free.launch));
      const Duration life = std::min(seconds(random.exponential(3600 / of.interruptions)), longest_span / 4);
      world_.queue.add(world_.now + life, {SimEvent::Kind::notice, node.index(), free.launch});
    }
    return;
  }
}

void TruthFleet::boot(NodeId node) {
  Place& booted = *place(node);
  if (booted.state != State::booting) return;
  booted.state = State::up;
  launched_or_gone_ = true;
  world_.up[node.index()] = true;
  world_.cordoned[node.index()] = false;
  world_.pods[node].changed = world_.now;
  world_.listener.on_node(node, true, world_.now);
  world_.update_heartbeat(node);
  world_.emit(NodeBack{node});
  if (!std::exchange(polling_, true))
    world_.queue.add(world_.now + fleet_.autoscaler.poll, {SimEvent::Kind::poll, 0, 0});
}

bool TruthFleet::is_out(std::uint32_t offer) const {
  const Node& like = world_.scenario.cluster.nodes[fleet_.offers[offer].first];
  return like.capacity_type == CapacityType::spot && out_[like.zone.index()] > 0;
}

void TruthFleet::begin_outage(const SpotOutage& outage) {
  ++out_[outage.zone.index()];
  launched_or_gone_ = true;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool there = places_[i].state == State::up || places_[i].state == State::booting;
    const Node& node = world_.scenario.cluster.nodes[nodes_[i]];
    if (there && node.zone == outage.zone && node.capacity_type == CapacityType::spot) give_notice(nodes_[i]);
  }
}

// The node takes no more tasks; running ones have the notice period to end.
void TruthFleet::give_notice(NodeId node) {
  Place& leaving = *place(node);
  if (leaving.state == State::up) {
    world_.cordoned[node.index()] = true;
    world_.update_heartbeat(node);
    world_.emit(NodeChanged{node, peers_.services.seen(node)});
  }
  leaving.state = State::draining;
  world_.queue.add(world_.now + fleet_.autoscaler.notice, {SimEvent::Kind::interruption, node.index(), leaving.launch});
}

void TruthFleet::go(NodeId node, RunListener::Gone why) {
  Place& gone = *place(node);
  world_.listener.on_gone(node, why, world_.now);
  gone.state = State::absent;
  --there_;
  launched_or_gone_ = true;
  if (const LimitId within = fleet_.offers[gone.offer].within; within.valid())
    limits_[within].give_back(world_.scenario.cluster.nodes[node].capacity, 1);
  const bool was_up = world_.up[node.index()];
  if (was_up)
    lose_node(world_, peers_, node, true);
  else
    world_.listener.on_node(node, false, world_.now);
  bool held_data = false;
  for (const StoreId store : world_.scenario.cluster.stores.ids())
    if (world_.scenario.cluster.stores[store].node == node) {
      held_data = held_data || world_.stores[store].used.value() > 0;
      lose_store(world_, peers_, {store});
    }
  if (held_data) peers_.jobs.fail_jobs_without_data();
}

bool TruthFleet::consolidatable(NodeId node) {
  const Place* found = place(node);
  return found && found->state == State::up && found->nominated_until <= world_.now &&
         world_.pods[node].changed + fleet_.autoscaler.consolidate_after <= world_.now;
}

// Says whether a task there is not to be evicted: its plan marked it, or its pods say so themselves.
bool TruthFleet::holds_one_to_stay(NodeId node) const {
  const std::vector<bool>& not_evicted = world_.scenario.not_evicted;
  if (!tasks_marked_ && not_evicted.empty()) return false;
  return std::any_of(world_.attempts.begin(), world_.attempts.end(), [&](const Attempt& attempt) {
    return attempt.live && !attempt.refused && attempt.assignment.node == node &&
           (tasks_marked_ || not_evicted[attempt.job.index()]);
  });
}

// Says whether their pods fit on other nodes that are already up.
bool TruthFleet::can_be_emptied(std::span<const NodeId> nodes) const {
  std::vector<PodsAlike> pods = pending();
  for (const NodeId node : nodes) {
    const std::vector<PodsAlike> on_it = pods_on(node);
    pods.insert(pods.end(), on_it.begin(), on_it.end());
  }
  return packing_.fit(std::move(pods), rooms(nodes));
}

// Nodes that save most per lost pod come first. Takes as many at once as a binary search finds, or else the first that
// can go alone.
std::vector<NodeId> TruthFleet::underutilized(std::vector<NodeId> used) const {
  std::erase_if(used, [this](NodeId node) { return holds_one_to_stay(node); });
  if (!packing_.fit(pending(), rooms({}))) return {};
  const auto worth = [&](NodeId node) {
    return world_.scenario.cluster.nodes[node].price.value() / world_.pods[node].count;
  };
  std::stable_sort(used.begin(), used.end(), [&](NodeId a, NodeId b) { return worth(a) > worth(b); });
  const std::span<const NodeId> all(used);
  std::size_t most = 0;
  for (std::size_t low = 2, high = std::min(all.size(), allowed()); low <= high;) {
    const std::size_t middle = (low + high) / 2;
    if (can_be_emptied(all.first(middle)))
      most = middle, low = middle + 1;
    else
      high = middle - 1;
  }
  if (most > 0) return {used.begin(), used.begin() + static_cast<std::ptrdiff_t>(most)};
  for (const NodeId& node : used)
    if (can_be_emptied({&node, 1})) return {node};
  return {};
}

std::size_t TruthFleet::allowed() const {
  return static_cast<std::size_t>(std::ceil(fleet_.autoscaler.budget * static_cast<double>(there_)));
}

// Removes as many empty nodes as the budget allows, or else some whose pods fit elsewhere.
void TruthFleet::consolidate() {
  polling_ = there_ > 0 && fleet_.autoscaler.consolidation != Consolidation::never;
  if (!polling_) return;
  std::vector<NodeId> used;
  candidates_.clear();
  for (const NodeId node : nodes_) {
    if (!consolidatable(node)) continue;
    if (world_.pods[node].count > 0)
      used.push_back(node);
    else if (candidates_.size() < allowed())
      candidates_.push_back(node);
  }
  candidates_empty_ = !candidates_.empty();
  if (!candidates_empty_ && fleet_.autoscaler.consolidation == Consolidation::when_empty_or_underutilized &&
      allowed() > 0)
    candidates_ = underutilized(std::move(used));
  candidates_since_ = world_.now;
  if (candidates_.empty())
    world_.queue.add(world_.now + fleet_.autoscaler.poll, {SimEvent::Kind::poll, 0, 0});
  else
    world_.queue.add(world_.now + fleet_.autoscaler.validation, {SimEvent::Kind::validation, 0, 0});
}

// Empty nodes that got a pod meanwhile stay. If one underutilized node has changed, all of them stay. When budget is
// left, the next look follows at once.
void TruthFleet::validate() {
  std::vector<NodeId> candidates = std::exchange(candidates_, {});
  const std::size_t chosen = candidates.size(), budget = allowed();
  std::erase_if(candidates,
                [&](NodeId node) { return !consolidatable(node) || world_.pods[node].changed > candidates_since_; });
  if (!candidates_empty_ && (candidates.size() < chosen || !can_be_emptied(candidates))) candidates.clear();
  for (const NodeId node : candidates)
    go(node, candidates_empty_ ? RunListener::Gone::empty : RunListener::Gone::underutilized);
  const Duration pause = !candidates.empty() && candidates.size() < budget ? Duration(0) : fleet_.autoscaler.poll;
  world_.queue.add(world_.now + pause, {SimEvent::Kind::poll, 0, 0});
}

}  // namespace lips::simulation
