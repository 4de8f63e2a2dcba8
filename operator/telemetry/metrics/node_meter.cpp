#include "telemetry/metrics/node_meter.h"

#include <algorithm>

#include "model/offered_nodes.h"

namespace lips {

namespace {

constexpr Duration hour = std::chrono::hours(1);

TimePoint hour_of(TimePoint time) { return TimePoint(hour * (time.time_since_epoch() / hour)); }

// Nodes of an offer take as long as it says.
Duration boot_of(const ClusterSnapshot& cluster, const Node& node, Duration otherwise) {
  for (const Offer& offer : cluster.offers) {
    const Node& like = cluster.nodes[offer.like];
    if (like.instance_type == node.instance_type && like.zone == node.zone && like.capacity_type == node.capacity_type)
      return offer.boot;
  }
  return otherwise;
}

}  // namespace

ZoneId NodeMeter::zone_of(const std::string& name) {
  const auto [known, added] = zones_.try_emplace(name);
  if (added) known->second = zone_names_.push_back(name);
  return known->second;
}

void NodeMeter::start_hours(TimePoint now) {
  Tariff tariff;
  for (const Commitments::Nodes& nodes : terms_.commitments.reserved)
    tariff.reserved.push_back(
        {nodes.instance_type, nodes.zone.empty() ? ZoneId::none() : zone_of(nodes.zone), nodes.count});
  tariff.savings_plan = terms_.commitments.savings_plan;
  hours_ = NodeHours(std::move(tariff));
  told_.clear();
  committed_since_ = now;
}

void NodeMeter::bill_by(const NodeTerms& terms, TimePoint now) {
  count_until(now);
  const bool others = terms.commitments != terms_.commitments;
  terms_ = terms;
  if (others) start_hours(now);
}

void NodeMeter::bill(Life& life, TimePoint now) {
  const TimePoint until = life.launched + billed_time(now - life.launched, life.least_life);
  if (until <= life.billed_until) return;
  const auto& [type, zone, capacity_type] = life.kind;
  registry_.add("lips_node_core_seconds_total", {zone_names_[zone], to_string(capacity_type)},
                life.cores.value() * to_seconds(until - life.billed_until));
  hours_.add(hours_.line_of(life.kind), life.price, life.billed_until, until);
  const Usd listed = life.price * (until - life.billed_until);
  listed_ += listed;
  if (life.idle) idle_ += listed;
  life.billed_until = until;
}

void NodeMeter::count_until(TimePoint now) {
  if (!counted_ || now <= *counted_) return;
  const Duration span = now - *counted_;
  counted_ = now;
  for (auto& [name, life] : lives_) bill(life, now);
  tell(now);
  if (held_.value() <= 0) return;
  registry_.add("lips_task_core_seconds_total", {}, held_.value() * to_seconds(span));
  task_core_seconds_ += held_.value() * to_seconds(span);
}

// The hour that runs counts as if the rest of what is committed for it could still be used: so a node counts once
// nothing is left, and what is told never falls. The hour before stays open for nodes whose boot began in it.
void NodeMeter::tell(TimePoint now) {
  constexpr TimePoint never(longest_span);
  hours_.cover(committed_since_, never, hour_of(now) - hour);
  NodeHours so_far = hours_;
  so_far.cover(committed_since_, never);
  std::map<Place, Usd> due;
  for (const NodeLine& line : so_far.lines()) due[{line.zone, line.capacity_type}] += line.dollars;
  for (const auto& [place, dollars] : due) {
    const auto [told, first] = told_.try_emplace(place);
    const Usd more = std::max(Usd(0), dollars - told->second);
    if (more <= Usd(0) && !first) continue;
    registry_.add("lips_node_dollars_total", {zone_names_[place.first], to_string(place.second)}, more.value());
    told->second += more, dollars_ += more;
  }
}

// A node that was there at the first look, cordoned or not, or that no autoscaler launched, counts from when it is
// seen. Others count once pods can start on them, and then from their launch.
void NodeMeter::begin(const ClusterSnapshot& cluster, const Node& node, const NodeKind& kind, TimePoint now) {
  const bool elastic = node.fleet == FleetKind::elastic, first_look = looks_ == 1;
  if (elastic && !node.schedulable && (!first_look || terms_.lists_absent)) return;
  Life life{kind, node.price, node.capacity.cpu, now, now};
  life.seen = looks_;
  if (!first_look) life.least_life = Tariff().least_life;
  if (!first_look && elastic) life.launched = life.billed_until = now - boot_of(cluster, node, terms_.boot);
  lives_.insert_or_assign(node.name, std::move(life));
}

void NodeMeter::look(const ClusterSnapshot& cluster, TimePoint now) {
  count_until(now);
  if (!counted_) counted_ = now, start_hours(now);
  look_at_nodes(cluster, now);
  see_idle(cluster);
  held_ = Cores(0);
  for (const Cores cores : cluster.pool_cores) held_ += cores;
}

void NodeMeter::listed(const ClusterSnapshot& start, TimePoint now) {
  if (!counted_) return;
  count_until(now);
  look_at_nodes(start, now);
}

void NodeMeter::see_idle(const ClusterSnapshot& cluster) {
  IdVector<NodeId, bool> busy(cluster.nodes.size(), false);
  for (const RunningTask& run : cluster.running) busy[run.node] = true;
  for (const NodeId id : cluster.nodes.ids())
    if (const auto life = lives_.find(cluster.nodes[id].name); life != lives_.end())
      life->second.idle = !busy[id] && cluster.nodes[id].others.cpu.value() <= 0;
}

void NodeMeter::bound(const Node& node, TimePoint now) {
  const auto life = lives_.find(node.name);
  if (life == lives_.end()) return;
  bill(life->second, now);
  life->second.idle = false;
}

void NodeMeter::lost(const Node& node, TimePoint now) {
  count_until(now);
  if (node.fleet == FleetKind::elastic) lives_.erase(node.name);
}

void NodeMeter::look_at_nodes(const ClusterSnapshot& cluster, TimePoint now) {
  const IdVector<NodeId, bool> offered = offered_only(cluster);
  ++looks_;
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    const auto known = lives_.find(node.name);
    if ((offered[id] && known == lives_.end()) || !cluster.zones.contains(node.zone)) continue;
    const NodeKind kind{node.instance_type, zone_of(cluster.zones[node.zone].name), node.capacity_type};
    if (known == lives_.end() || known->second.kind != kind) {
      begin(cluster, node, kind, now);
    } else {
      known->second.price = node.price, known->second.cores = node.capacity.cpu;
      known->second.seen = looks_;
    }
  }
  std::erase_if(lives_, [&](const auto& life) { return life.second.seen != looks_; });
  for (auto& [name, life] : lives_) bill(life, now);
  tell(now);
}

void NodeMeter::stop(TimePoint now) {
  count_until(now);
  counted_.reset();
  looks_ = 0;
  lives_.clear();
  held_ = Cores(0);
}

}  // namespace lips
