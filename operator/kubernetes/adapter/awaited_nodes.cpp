#include "kubernetes/adapter/awaited_nodes.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

constexpr Duration moment{60'000'000};           // an order that is gone for longer begins anew
constexpr Duration kept_in_mind{3'600'000'000};  // of a pause, after its end

bool is_of_place(const Node& node, const TextMap& place) {
  return std::all_of(place.begin(), place.end(), [&](const auto& label) {
    const std::string* value = find_text(node.labels, label.first);
    return value && *value == label.second;
  });
}

bool is_large_enough(const NodeOrder& order, const NodeRecord& record, const ResourceAmounts& taken) {
  return resource_filter.rejects(order.needs, {*record.node, NodeProfile{}, taken}).empty();
}

// Then an autoscaler launches nothing.
bool has_room(const NodeOrder& order, const NodeRecord& record) {
  const ResourceAmounts taken = record.taken();
  return is_large_enough(order, record, taken) && why_rejected(order.needs, *record.node, taken).empty();
}

}  // namespace

void AwaitedNodes::note_nodes(const NodeCache& nodes, TimePoint now) {
  std::erase_if(nodes_, [&](const auto& seen) {
    const NodeRecord* record = nodes.find(seen.first);
    return !record || !record->node;
  });
  for (const auto& [name, record] : nodes.all())
    if (record.node) nodes_.try_emplace(name, now);
}

bool AwaitedNodes::came(const NodeOrder& order, const NodeCache& nodes, TimePoint since) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& seen) {
    const NodeRecord& record = *nodes.find(seen.first);
    if (!is_of_place(*record.node, order.place)) return false;
    // A new node takes no pods yet, but its machine has been had.
    return (seen.second > since && is_large_enough(order, record, record.daemons)) || has_room(order, record);
  });
}

std::vector<AwaitedNodes::Given> AwaitedNodes::review(const std::set<NodeOrder>& standing, const NodeCache& nodes,
                                                      Duration boot, TimePoint now) {
  std::vector<Given> given;
  for (const NodeOrder& order : standing) {
    Wait& wait = waits_.try_emplace(order, Wait{now, now}).first->second;
    if (now - wait.asked > moment) wait.since = now;
    wait.asked = now;
  }
  if (waits_.empty()) return given;
  note_nodes(nodes, now);
  for (auto& [order, wait] : waits_) {
    if (came(order, nodes, wait.since)) {
      wait = {now, wait.asked};
    } else if (wait.asked == now && now - std::max(wait.since, wait.closed_until) >= boot + patience_.beyond_boot) {
      Duration pause = patience_.first_pause;
      for (int i = 0; i < wait.pauses && pause < patience_.longest_pause; ++i) pause *= 2;
      pause = std::min(pause, patience_.longest_pause);
      given.push_back({order, now - std::max(wait.since, wait.closed_until), pause});
      wait.closed_until = now + pause;
      ++wait.pauses;
    }
  }
  std::erase_if(waits_, [&](const auto& entry) {
    const Wait& wait = entry.second;
    return now - wait.asked > moment && now - wait.closed_until > (wait.pauses > 0 ? kept_in_mind : Duration(0));
  });
  return given;
}

std::vector<NodeOrder> AwaitedNodes::sold_out(TimePoint now) const {
  std::vector<NodeOrder> result;
  for (const auto& [order, wait] : waits_)
    if (now < wait.closed_until) result.push_back(order);
  return result;
}

}  // namespace lips::kubernetes
