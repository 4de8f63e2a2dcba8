// Which DataMoves get no further, so that no task waits for their copies any longer: each step of a copy has a bound.
// A step is a phase of an attempt, counted once, so that a move that goes back and forth gets no further either. Knows
// what this process has seen, and of the time before what the objects say. Reads no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

class MoveProgress {
 public:
  using Moves = std::map<std::string, DataMoveResource>;  // by name
  struct Bounds {
    Duration turn = std::chrono::minutes(10);         // without any copy that gets further, for those that wait
    Duration longest_turn = std::chrono::hours(1);    // for one that waits, whatever others do
    Duration around_copy = std::chrono::minutes(10);  // pauses between attempts, and the pod that serves the source
    std::function<Duration(std::int64_t bytes)> longest_copy;  // of one attempt
  };
  explicit MoveProgress(Bounds bounds) : bounds_(std::move(bounds)) {}

  // Call it every second or so. True: other moves are stalled than before.
  bool review(const Moves& moves, TimePoint now);

  bool is_stalled(const std::string& name) const { return stalled_.contains(name); }
  // By name, with the time of the last step.
  const std::map<std::string, TimePoint>& stalled() const { return stalled_; }
  // Tasks may wait for the copies of it, or do so no longer: it has not ended.
  static bool is_under_way(const DataMoveResource& move);

 private:
  struct Known {
    std::set<std::pair<std::int32_t, MovePhase>> steps;  // attempt and phase
    TimePoint first{}, last{};
  };
  bool note(const Moves& moves, TimePoint now);
  static TimePoint first_seen(const DataMoveResource& move, TimePoint now);
  TimePoint last_step(const DataMoveResource& move, TimePoint now) const;
  Duration bound_of(const DataMoveResource& move) const;

  Bounds bounds_;
  std::map<std::string, Known> known_;  // by uid
  TimePoint queue_moved_{};             // the last step of any copy, or nothing was under way
  std::map<std::string, TimePoint> stalled_;
};

}  // namespace lips::kubernetes
