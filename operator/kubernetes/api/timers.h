// Tasks by the time at which they are due. Knows no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/units.h"

namespace lips::kubernetes {

class Timers {
 public:
  using Id = std::uint64_t;
  using Task = std::function<void()>;

  Id add(TimePoint when, Task task) {
    tasks_.emplace(std::pair(when, ++last_), std::move(task));
    due_.emplace(last_, when);
    return last_;
  }
  void cancel(Id id) {
    const auto due = due_.find(id);
    if (due == due_.end()) return;
    tasks_.erase({due->second, id});
    due_.erase(due);
  }
  std::optional<TimePoint> next() const {
    return tasks_.empty() ? std::nullopt : std::optional(tasks_.begin()->first.first);
  }
  // Takes the earliest task that is due by then; of two at the same time, the one that was added first. Empty: none is.
  Task take_due(TimePoint now) {
    if (tasks_.empty() || tasks_.begin()->first.first > now) return {};
    auto first = tasks_.extract(tasks_.begin());
    due_.erase(first.key().second);
    return std::move(first.mapped());
  }

 private:
  std::map<std::pair<TimePoint, Id>, Task> tasks_;
  std::map<Id, TimePoint> due_;
  Id last_ = 0;
};

}  // namespace lips::kubernetes
