// Why the last plan lets each task wait, and of which tasks it says something else than the plan before. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "kubernetes/pods/waiting_words.h"
#include "model/plan.h"

namespace lips::kubernetes {

class PlanWords {
 public:
  struct News {
    bool of_all = false;        // of any task
    std::vector<TaskId> tasks;  // else of these
  };
  // `tasks`: the number that the model has, by ids of that listing.
  News take(const Plan& plan, std::uint64_t listing, std::size_t tasks);
  // nullptr: the last plan did not know the task, or it had another id.
  const WaitingWords* of(TaskId task, std::uint64_t listing) const;

 private:
  using ByTask = std::map<TaskId, const WaitingWords*>;

  const WaitingWords* rest_ = nullptr;  // of all but these
  ByTask said_;
  std::size_t tasks_ = 0;
  std::uint64_t listing_ = 0;
};

}  // namespace lips::kubernetes
