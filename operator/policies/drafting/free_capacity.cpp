#include "policies/drafting/free_capacity.h"

namespace lips {

namespace {
constexpr double least_cpu = 1e-6;
}

FreeCapacity::Kind FreeCapacity::kind_of(const Job& job) {
  if (!kinds_.empty() && kinds_[last_kind_].constraint == job.constraint && kinds_[last_kind_].request == job.request)
    return last_kind_;
  const auto [found, added] =
      kind_by_need_.try_emplace({job.constraint, job.request}, static_cast<Kind>(kinds_.size()));
  if (added) {
    KindState kind;
    kind.request = job.request;
    kind.constraint = job.constraint;
    kind.eligible.assign(cluster_.profiles.size(), -1);
    kinds_.push_back(std::move(kind));
  }
  return last_kind_ = found->second;
}

const Resources& FreeCapacity::left(NodeId node) const {
  if (!taken_from_.empty())
    if (const auto found = taken_from_.find(node); found != taken_from_.end()) return found->second;
  return cluster_.free[node];
}

bool FreeCapacity::has_room(NodeId node) const {
  const Resources& free = left(node);
  return free.slots > 0 && free.cpu.value() > least_cpu && cluster_.nodes[node].schedulable;
}

bool FreeCapacity::eligible(KindState& kind, NodeId node) const {
  std::int8_t& known = kind.eligible[cluster_.nodes[node].profile.index()];
  if (known < 0) known = cluster_.eligible(kind.constraint, node) ? 1 : 0;
  return known == 1;
}

bool FreeCapacity::can_take(Kind kind, NodeId node) {
  return fits(kinds_[kind].request, left(node)) && cluster_.nodes[node].schedulable && eligible(kinds_[kind], node);
}

bool FreeCapacity::could_take(Kind kind, NodeId node) {
  return cluster_.nodes[node].schedulable && fits(kinds_[kind].request, cluster_.nodes[node].capacity) &&
         eligible(kinds_[kind], node);
}

ZoneSet FreeCapacity::zones_that_could_take(Kind kind) {
  KindState& state = kinds_[kind];
  if (state.zones_known) return state.zones;
  state.zones_known = true;
  for (NodeId node : cluster_.nodes.ids()) {
    if (static_cast<std::size_t>(state.zones.size()) == cluster_.zones.size()) break;
    if (!state.zones.contains(cluster_.nodes[node].zone) && could_take(kind, node))
      state.zones.insert(cluster_.nodes[node].zone);
  }
  return state.zones;
}

void FreeCapacity::take(Kind kind, NodeId node) {
  const bool had_room = has_room(node);
  const auto [entry, added] = taken_from_.try_emplace(node, cluster_.free[node]);
  entry->second = entry->second - kinds_[kind].request;
  if (listed_ && had_room && !has_room(node)) --open_left_;
}

const std::vector<NodeId>& FreeCapacity::open() {
  if (!listed_) {
    for (NodeId node : cluster_.nodes.ids())
      if (has_room(node)) open_.push_back(node);
    open_left_ = open_.size();
    listed_ = true;
  }
  return open_;
}

std::size_t FreeCapacity::open_left() {
  open();
  return open_left_;
}

}  // namespace lips
