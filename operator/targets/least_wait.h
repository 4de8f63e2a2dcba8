// The least that tasks can wait on these nodes, whatever the plans: what no price of waiting can go below.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "base/units.h"

namespace lips {

// At no time are fewer tasks unfinished than on one machine as fast as all nodes together that always works on the
// task with the least work left (Schrage, Operations Research 16, 1968). Of these all wait but what the nodes can hold
// at once. In tasks of expected length; tasks that start anew only wait longer.
class LeastWait {
 public:
  struct Nodes {
    double work_rate = 0;  // CPU-seconds a second
    Cores cores;
    friend Nodes operator*(const Nodes& nodes, double times) { return {nodes.work_rate * times, nodes.cores * times}; }
  };
  void arrive(std::uint32_t tasks, CpuSeconds each, Cores request);
  // A task will never run, whether it has started on that machine or not.
  void withdraw() { ++withdrawn_; }
  // Task-seconds that tasks wait from the last call until now.
  double advance(TimePoint now, const Nodes& nodes);
  // Task-seconds that those that are left will wait, if no more arrive.
  double rest(const Nodes& nodes) const;

 private:
  double run(double span, const Nodes& nodes);
  double waiting(double unfinished, const Nodes& nodes) const;

  std::map<int, double> left_;  // tasks by their length: see length() in least_wait.cpp
  double unfinished_ = 0;
  std::uint64_t withdrawn_ = 0;  // since nothing was left the last time, as `least_request_`
  Cores least_request_{std::numeric_limits<double>::infinity()};
  std::optional<TimePoint> advanced_;
};

// The same on the nodes of today, and on so many times as many.
class LeastWaits {
 public:
  static constexpr std::array times{1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0};
  using Sums = std::array<double, times.size()>;  // task-seconds
  void arrive(TimePoint now, const LeastWait::Nodes& nodes, std::uint32_t tasks, CpuSeconds each, Cores request);
  void withdraw();
  // All that is there arrives once more.
  void begin_anew() { on_ = {}; }
  // By how much the waits of all that has arrived have grown since the last call, those to come included.
  Sums take(TimePoint now, const LeastWait::Nodes& nodes);

 private:
  std::array<LeastWait, times.size()> on_;
  Sums waited_{}, taken_{};
};

}  // namespace lips
