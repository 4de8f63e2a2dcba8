// Jobs that are expected, and the room that a plan leaves them: in which zones, and what it changes for a task. Decides
// nothing, knows no words.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advice/question.h"

namespace lips::advice {

// The announcements of one job at one time together.
struct ExpectedJob {
  std::string name;
  Duration in{};  // from now; less than 0: it is late
  double chance = 1;
  CpuSeconds work;  // if it comes
  std::vector<DataSetId> inputs;
  std::vector<std::pair<ZoneId, CpuSeconds>> room;  // that the plan leaves it
};

// In the order in which they should come.
std::vector<ExpectedJob> expected_jobs(const ClusterSnapshot& cluster, const Plan& plan);

// A pending task that would start at another time, or in another zone, if nothing were expected.
struct MadeRoom {
  std::vector<ExpectedJob> jobs;      // to which the plan leaves room in zones where the task may run, most first
  std::optional<NodeId> starts_on;    // what would be: it starts at once there
  std::optional<Duration> starts_in;  // or as forecast; none: later than the forecast reaches
};

// `starts_in`: as forecast, none as above. None: what is expected changes nothing for the task.
Result<std::optional<MadeRoom>> room_made(const Question& question, const Outcome& outcome, TaskId task,
                                          std::optional<Duration> starts_in);

}  // namespace lips::advice
