// Priorities of a pool between which waiting tasks may take the room of running ones (preemption).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "model/snapshot.h"

namespace lips {

struct PriorityGap {
  std::int32_t waits = std::numeric_limits<std::int32_t>::min();  // the highest of waiting tasks that preempt
  std::int32_t runs = std::numeric_limits<std::int32_t>::max();   // the lowest of running tasks

  bool is_open() const { return waits > runs; }
  // The waiting job takes the room of running ones below its priority; none: of none.
  std::optional<std::int32_t> preempts_up_to(const Job& waiting) const {
    return waiting.preempts && waiting.priority > runs ? std::optional(waiting.priority) : std::nullopt;
  }
  // Some waiting task may take the room of a task of that job.
  bool is_above(const Job& job) const { return waits > job.priority; }
};

IdVector<PoolId, PriorityGap> priority_gaps(const ClusterSnapshot& cluster);

}  // namespace lips
