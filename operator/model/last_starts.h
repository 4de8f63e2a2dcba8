// When the tasks of a job that wait can all have started: the least that any plan can reach.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "model/snapshot.h"
#include "model/task_ends.h"

namespace lips {

// If running tasks end when expected, what others use of nodes stays theirs, and nothing else starts. A node that has
// not been launched takes tasks from its boot on.
class LastStarts {
 public:
  explicit LastStarts(const ClusterSnapshot& cluster);  // outlives it
  // Pending tasks of a part of a job: so many, those of least work.
  struct Waiting {
    JobId part;
    std::size_t tasks = 0;
  };
  // Seconds from now until all have started, and until the last to start has ended. 0 without any. Infinity: no node,
  // and none that could be launched, takes one.
  struct Last {
    double start = 0, end = 0;
  };
  Last of(std::span<const Waiting> waiting);
  Last of(JobId part, std::size_t tasks) {
    const Waiting waiting{part, tasks};
    return of({&waiting, 1});
  }

 private:
  // So many tasks of a request at once, one after the other, from then on (seconds from now).
  struct Room {
    double from, tasks;
  };
  using Rooms = std::vector<Room>;  // by time
  struct Lengths;

  static double last_start(const Rooms& rooms, const Lengths& tasks);
  using Like = std::pair<Resources, ConstraintId>;  // what a task asks of a node
  void add(const Waiting& waiting, Lengths& tasks) const;
  const Rooms& rooms_of(const Job& job);
  Rooms find_rooms(const Job& job);
  static bool can_have_started(const Rooms& rooms, const Lengths& tasks, double by);

  const ClusterSnapshot& cluster_;
  const double fastest_;
  std::map<Like, Rooms> rooms_;
  IdVector<NodeId, std::vector<TaskEnd>> ends_;  // empty until they are needed
};

}  // namespace lips
