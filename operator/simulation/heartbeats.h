// Which node reports next. Every node reports once an interval, evenly staggered; only nodes with room count. A node
// whose report waits for its answer sends no other one.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace lips::simulation {

class Heartbeats {
 public:
  Heartbeats(std::size_t nodes, Duration interval, TimePoint start)
      : nodes_(static_cast<std::int64_t>(nodes)),
        interval_(interval.count()),
        start_(start),
        open_((nodes + 63) / 64, 0),
        held_(open_) {}

  void set_open(NodeId node, bool open) {
    std::uint64_t& word = open_[node.index() / 64];
    word = open ? word | bit(node) : word & ~bit(node);
  }

  struct Beat {
    TimePoint at = TimePoint::max();
    NodeId node;
  };
  // The first beat of an open node that is not before `now` and comes after the last one taken.
  Beat next(TimePoint now) const {
    std::int64_t turn = last_ + 1;
    const std::int64_t elapsed = (now - start_).count();
    // May be one or two too early. Computed in two parts, because a million nodes times a century overflows.
    const std::int64_t due = elapsed / interval_ * nodes_ + elapsed % interval_ * nodes_ / interval_;
    if (due - 1 > turn) turn = due - 1;
    while (time(turn) < now) ++turn;
    const std::int64_t found = next_open(turn % nodes_);
    if (found < 0) return {};
    const std::int64_t ahead = (found - turn % nodes_ + nodes_) % nodes_;
    return {time(turn + ahead), NodeId(static_cast<std::uint32_t>(found))};
  }
  void take(const Beat& beat) {
    std::int64_t turn = (beat.at - start_).count() / interval_ * nodes_ + beat.node.index();
    while (time(turn) < beat.at) turn += nodes_;
    while (time(turn) > beat.at) turn -= nodes_;
    last_ = turn;
  }
  // The beat is taken while nobody answers.
  void hold(const Beat& beat) {
    take(beat);
    held_[beat.node.index() / 64] |= bit(beat.node);
    waiting_.push_back(beat.node);
  }
  // The nodes of the beats that were held, in their order, but for nodes that have no room any more.
  std::vector<NodeId> release() {
    std::vector<NodeId> nodes = std::exchange(waiting_, {});
    for (const NodeId node : nodes) held_[node.index() / 64] &= ~bit(node);
    std::erase_if(nodes, [this](NodeId node) { return (open_[node.index() / 64] & bit(node)) == 0; });
    return nodes;
  }

 private:
  static std::uint64_t bit(NodeId node) { return std::uint64_t{1} << (node.index() % 64); }
  TimePoint time(std::int64_t turn) const {
    return start_ + Duration(turn / nodes_ * interval_ + turn % nodes_ * interval_ / nodes_);
  }
  // The first open node at or after `from`, cyclically, whose beat is not held; -1: none.
  std::int64_t next_open(std::int64_t from) const {
    const std::size_t words = open_.size();
    const std::size_t first = static_cast<std::size_t>(from) / 64;
    for (std::size_t i = 0; i <= words; ++i) {
      const std::size_t index = (first + i) % words;
      std::uint64_t word = open_[index] & ~held_[index];
      if (i == 0) word &= ~std::uint64_t{0} << (from % 64);
      if (word != 0) return static_cast<std::int64_t>(index * 64) + std::countr_zero(word);
    }
    return -1;
  }

  std::int64_t nodes_, interval_;
  TimePoint start_;
  std::int64_t last_ = -1;
  std::vector<std::uint64_t> open_, held_;
  std::vector<NodeId> waiting_;  // whose beats are held
};

}  // namespace lips::simulation
