// Says whether moving data to a cheaper node pays, by given prices or in a cluster, with the answer in words and as
// JSON. Reads no options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/costs.h"
#include "model/snapshot.h"
#include "policies/lips/data/break_even.h"

namespace lips::cmd {

struct MoveCase {
  std::string what;      // "J5-grep, 108 tasks with blocks in us-east-1a"
  std::string from, to;  // names of the nodes
  MoveQuestion question;
};

// A task that reads a data set, or a task of a job.
struct ReadingTask {
  JobId job;
  ConstraintId constraint;
  BlockId block;  // none: no input
  CpuSeconds cpu;
  Mebibytes input;
};

struct MovePlaces {
  std::string from, to;  // names of nodes; empty: the cheapest with the data, the best without it
};

// One case for all tasks whose blocks are in the same zones. invalid_input if a named node does not exist.
Result<std::vector<MoveCase>> move_cases(const ClusterSnapshot& cluster, const CostModel& costs,
                                         const std::string& what, std::span<const ReadingTask> tasks,
                                         const MovePlaces& places);

std::string move_text(std::span<const MoveCase> cases);
std::string move_json(std::span<const MoveCase> cases);

}  // namespace lips::cmd
