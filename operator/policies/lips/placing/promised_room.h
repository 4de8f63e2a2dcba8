// Room on single nodes that is promised to tasks which wait until one node has all of it: the most urgent of those that
// find only fragments. Whatever starts there meanwhile ends before, or leaves that room (backfilling as in EASY: Lifka,
// The ANL/IBM SP scheduling system, JSSPP 1995). So large tasks are not passed over for ever by small ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "model/nodes.h"

namespace lips {

class PromisedRoom {
 public:
  PromisedRoom() = default;
  // A node in eight may have a promise, at least one and at most 64.
  explicit PromisedRoom(std::size_t nodes) : most_(std::clamp<std::size_t>(nodes / 8, 1, 64)) {}

  // Promises are given for at most a minute, so that no room stays empty for longer because of them.
  static constexpr double longest = 60;

  // Promises room to a task that starts on the node in `at` seconds. `beside`: the other room there from then on.
  // False: the node has a promise, too many nodes have one, or the wait is too long.
  bool give(NodeId node, double at, const Resources& beside) {
    return at <= longest && by_node_.size() < most_ && by_node_.try_emplace(node, Promise{at, beside}).second;
  }
  bool none() const { return by_node_.empty(); }
  bool on(NodeId node) const { return !none() && by_node_.contains(node); }
  // The number of tasks, at most `tasks`, that may start on the node within this plan and end in `end` seconds without
  // breaking its promise.
  std::int64_t tasks(NodeId node, const Resources& request, double end, std::int64_t tasks) const {
    if (none()) return tasks;
    const auto promise = by_node_.find(node);
    if (promise == by_node_.end() || end <= promise->second.at) return tasks;
    return std::min(tasks, fit_count(request, promise->second.beside));
  }
  void take(NodeId node, const Resources& request, double end, std::uint32_t tasks) {
    if (none()) return;
    const auto promise = by_node_.find(node);
    if (promise != by_node_.end() && end > promise->second.at)
      promise->second.beside = promise->second.beside - request * static_cast<std::int32_t>(tasks);
  }

 private:
  struct Promise {
    double at = 0;  // seconds from now
    Resources beside;
  };
  std::size_t most_ = 0;
  std::unordered_map<NodeId, Promise> by_node_;  // looked up only
};

}  // namespace lips
