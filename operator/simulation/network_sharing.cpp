#include "simulation/network_sharing.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace lips::simulation {

std::size_t SharedNetwork::PathHash::operator()(const Path& path) const {
  std::size_t hash = std::hash<double>{}(path.limit.value());
  for (std::uint8_t i = 0; i < path.count; ++i) hash = hash * 1000003u + path.links[i].index();
  return hash;
}

LinkId SharedNetwork::add_link(MebibytesPerSecond capacity) {
  LIPS_CHECK(capacity.value() > 0, "a link without capacity");
  Link link;
  link.capacity = capacity.value();
  links_.push_back(std::move(link));
  return LinkId(static_cast<std::uint32_t>(links_.size() - 1));
}

std::uint32_t SharedNetwork::class_of(const Path& path, TimePoint now) {
  const auto [entry, added] = by_path_.try_emplace(path, 0);
  if (!added) return entry->second;
  std::uint32_t id = 0;
  if (free_classes_.empty()) {
    id = static_cast<std::uint32_t>(classes_.size());
    classes_.emplace_back();
  } else {
    id = free_classes_.back();
    free_classes_.pop_back();
  }
  entry->second = id;
  FlowClass& made = classes_[id];
  made.path = path;
  made.served = made.rate = 0;
  made.updated = now;
  made.limit = path.limit.value() > 0 ? path.limit.value() : 1e300;
  for (std::uint8_t i = 0; i < path.count; ++i) {
    Link& link = links_[path.links[i].index()];
    made.limit = std::min(made.limit, link.capacity);
    made.position[i] = static_cast<std::uint32_t>(link.classes.size());
    link.classes.push_back(id);
  }
  return id;
}

void SharedNetwork::remove_class(std::uint32_t id) {
  FlowClass& gone = classes_[id];
  by_path_.erase(gone.path);
  for (std::uint8_t i = 0; i < gone.path.count; ++i) {
    Link& link = links_[gone.path.links[i].index()];
    const std::uint32_t last = link.classes.back();
    FlowClass& moved = classes_[last];
    for (std::uint8_t j = 0; j < moved.path.count; ++j)
      if (moved.path.links[j] == gone.path.links[i]) moved.position[j] = gone.position[i];
    link.classes[gone.position[i]] = last;
    link.classes.pop_back();
    if (link.classes.empty()) link.demand = 0;
  }
  ++gone.version;
  gone.waiting.clear();
  free_classes_.push_back(id);
}

void SharedNetwork::settle(FlowClass& flow_class, TimePoint now) const {
  flow_class.served += flow_class.rate * to_seconds(now - flow_class.updated);
  flow_class.updated = now;
}

FlowId SharedNetwork::start(const Path& path, Mebibytes size, TimePoint now) {
  LIPS_CHECK(path.count > 0 && size.value() > 0, "a flow has a link and a size");
  const std::uint32_t id = class_of(path, now);
  std::uint32_t flow = 0;
  if (free_flows_.empty()) {
    flow = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  FlowClass& joined = classes_[id];
  settle(joined, now);
  flows_[flow].flow_class = id;
  flows_[flow].target = joined.served + size.value();
  joined.waiting.push_back({flows_[flow].target, flow, flows_[flow].generation});
  std::push_heap(joined.waiting.begin(), joined.waiting.end());
  change_count(id, 1, now);
  return FlowId(flow);
}

Mebibytes SharedNetwork::stop(FlowId flow, TimePoint now) {
  Flow& stopped = flows_[flow.index()];
  const std::uint32_t id = stopped.flow_class;
  settle(classes_[id], now);
  const double left = std::max(0.0, stopped.target - classes_[id].served);
  ++stopped.generation;
  free_flows_.push_back(flow.index());
  change_count(id, -1, now);
  return Mebibytes(left);
}

MebibytesPerSecond SharedNetwork::rate(FlowId flow) const {
  return MebibytesPerSecond(classes_[flows_[flow.index()].flow_class].rate);
}

// Collects the component while demand is at its largest: a link that stops being full frees the flows that shared it.
void SharedNetwork::change_count(std::uint32_t id, std::int32_t by, TimePoint now) {
  const auto add_demand = [&] {
    FlowClass& changed = classes_[id];
    changed.count = static_cast<std::uint32_t>(static_cast<std::int64_t>(changed.count) + by);
    for (std::uint8_t i = 0; i < changed.path.count; ++i)
      links_[changed.path.links[i].index()].demand += by * changed.limit;
  };
  if (by > 0) add_demand();
  collect_component(id);
  if (by < 0) add_demand();
  share(now);
  if (classes_[id].count == 0) {
    remove_class(id);
  } else {
    schedule(id, now);
  }
}

void SharedNetwork::collect_component(std::uint32_t id) {
  ++mark_;
  component_.assign(1, id);
  component_links_.clear();
  classes_[id].mark = mark_;
  for (std::size_t next = 0; next < component_.size(); ++next) {
    const FlowClass& member = classes_[component_[next]];
    for (std::uint8_t i = 0; i < member.path.count; ++i) {
      Link& link = links_[member.path.links[i].index()];
      if (link.mark == mark_ || !link.may_be_full()) continue;
      link.mark = mark_;
      component_links_.push_back(member.path.links[i].index());
      for (std::uint32_t other : link.classes) {
        if (classes_[other].mark == mark_) continue;
        classes_[other].mark = mark_;
        component_.push_back(other);
      }
    }
  }
}

void SharedNetwork::fix(FlowClass& flow_class, double rate, TimePoint now) {
  flow_class.fixed = true;
  for (std::uint8_t i = 0; i < flow_class.path.count; ++i) {
    Link& link = links_[flow_class.path.links[i].index()];
    link.left = std::max(0.0, link.left - rate * flow_class.count);
    link.active -= flow_class.count;
  }
  if (rate == flow_class.rate) return;
  settle(flow_class, now);
  flow_class.rate = rate;
  schedule(static_cast<std::uint32_t>(&flow_class - classes_.data()), now);
}

// Progressive filling. A link's fair level only rises while classes are fixed below it, so stale heap entries are put
// back.
void SharedNetwork::share(TimePoint now) {
  if (component_links_.empty()) {
    FlowClass& alone = classes_[component_[0]];
    fix(alone, alone.count > 0 ? alone.limit : 0, now);
    return;
  }
  levels_.clear();
  for (std::uint32_t id : component_) classes_[id].fixed = false;
  for (std::uint32_t id : component_links_) {
    Link& link = links_[id];
    link.left = link.capacity;
    link.active = 0;
    for (std::uint32_t member : link.classes) link.active += classes_[member].count;
    if (link.active > 0) levels_.emplace_back(link.left / link.active, id);
  }
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
  by_limit_.clear();
  for (std::uint32_t id : component_) by_limit_.emplace_back(classes_[id].limit, id);
  std::sort(by_limit_.begin(), by_limit_.end());
  std::size_t next = 0;
  const auto fix_up_to = [&](double level) {
    for (; next < by_limit_.size(); ++next) {
      FlowClass& candidate = classes_[by_limit_[next].second];
      if (candidate.fixed) continue;
      if (candidate.limit > level) return;
      fix(candidate, candidate.count > 0 ? candidate.limit : 0, now);
    }
  };
  while (!levels_.empty()) {
    const auto [level, id] = levels_.front();
    fix_up_to(level);
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
    levels_.pop_back();
    Link& link = links_[id];
    if (link.active < 0.5) continue;
    const double actual = link.left / link.active;
    if (actual > level * (1 + 1e-12)) {
      levels_.emplace_back(actual, id);
      std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
      continue;
    }
    for (std::uint32_t member : link.classes)
      if (!classes_[member].fixed) fix(classes_[member], level, now);
  }
  fix_up_to(1e301);
}

void SharedNetwork::drop_stopped(FlowClass& flow_class) const {
  std::vector<Waiting>& waiting = flow_class.waiting;
  while (!waiting.empty() && flows_[waiting.front().flow].generation != waiting.front().generation) {
    std::pop_heap(waiting.begin(), waiting.end());
    waiting.pop_back();
  }
}

void SharedNetwork::schedule(std::uint32_t id, TimePoint now) {
  FlowClass& flow_class = classes_[id];
  ++flow_class.version;
  drop_stopped(flow_class);
  if (flow_class.waiting.empty() || flow_class.rate <= 0) return;
  const double left = std::max(0.0, flow_class.waiting.front().target - flow_class.served);
  ends_.push_back({now + seconds(left / flow_class.rate), id, flow_class.version});
  std::push_heap(ends_.begin(), ends_.end());
  if (ends_.size() > 4 * classes_.size() + 4096) forget_stale_ends();
}

void SharedNetwork::forget_stale_ends() {
  std::erase_if(ends_, [&](const End& end) { return classes_[end.flow_class].version != end.version; });
  std::make_heap(ends_.begin(), ends_.end());
}

TimePoint SharedNetwork::next_end() {
  while (!ends_.empty() && classes_[ends_.front().flow_class].version != ends_.front().version) {
    std::pop_heap(ends_.begin(), ends_.end());
    ends_.pop_back();
  }
  return ends_.empty() ? TimePoint::max() : ends_.front().at;
}

void SharedNetwork::take_ended(TimePoint now, std::vector<FlowId>& ended) {
  while (next_end() <= now && !ends_.empty()) {
    const std::uint32_t id = ends_.front().flow_class;
    FlowClass& flow_class = classes_[id];
    settle(flow_class, now);
    // Ends are rounded up to whole microseconds.
    const double reached = flow_class.served * (1 + 1e-12) + 1e-9 + flow_class.rate * 1e-6;
    std::int32_t count = 0;
    for (drop_stopped(flow_class); !flow_class.waiting.empty() && flow_class.waiting.front().target <= reached;
         drop_stopped(flow_class)) {
      const std::uint32_t flow = flow_class.waiting.front().flow;
      ++flows_[flow].generation;
      free_flows_.push_back(flow);
      ended.emplace_back(flow);
      ++count;
    }
    if (count > 0)
      change_count(id, -count, now);
    else
      schedule(id, now + Duration(1));  // later, so rounding never stops the clock
  }
}

}  // namespace lips::simulation
