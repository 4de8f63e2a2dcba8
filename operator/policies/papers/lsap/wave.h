// The content of one assignment problem: the idle slots, and the pending tasks that can matter to its solution. Knows
// no cost.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/drafting/draft.h"

namespace lips::lsap {

struct IdleNode {
  NodeId node;
  std::int32_t slots = 0;  // tasks of the smallest request that waits: at most so many fit
};

struct WaitingTask {
  TaskId task;
  FreeCapacity::Kind kind = 0;
  bool may_be_local = false;  // a replica of its input is on a node with a slot that it may take
};

// Tasks that were left out of the wave, because at least as many of their like before them are in it.
struct LeftOut {
  std::size_t before = 0;  // their place among the tasks
  PoolId pool;
  std::uint64_t count = 0;
};

struct Wave {
  std::vector<IdleNode> nodes;     // by id
  std::vector<WaitingTask> tasks;  // by arrival of their jobs
  std::vector<LeftOut> left_out;
  std::vector<std::vector<std::uint8_t>> takes;  // [kind][at of node]: one task of the kind fits and may run there
  std::uint64_t slots = 0, waiting = 0;          // waiting: with those left out

  bool enough_slots() const { return slots >= waiting; }
};

// `by_rack`: racks of one zone differ in cost, so that tasks with replicas in equal zones are not alike. `like`: so
// many times the slots are kept of tasks that are alike but for replicas on idle nodes.
Wave gather_wave(Draft& draft, bool by_rack, std::uint64_t like);

}  // namespace lips::lsap
