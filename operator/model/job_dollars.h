// Dollars by use of a job on a day: what was counted so far, and how it compares with what plans predicted. Plain
// values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/costs.h"

namespace lips {

inline constexpr std::string_view data_pool = "_data";  // of what no pool alone caused: moves and storage

struct JobDollars {
  std::uint64_t finished = 0;  // tasks
  Bill predicted, counted;     // of these: when they were bound, and when they ended
  Bill spent;                  // by all tasks, also those that run still, failed or were lost
  JobDollars& operator+=(const JobDollars& other) {
    finished += other.finished;
    predicted += other.predicted, counted += other.counted, spent += other.spent;
    return *this;
  }
};

struct JobDay {
  std::int64_t day = 0;  // since 1970-01-01, on the clock of the cluster
  std::string pool, job;
  JobDollars dollars;
};

}  // namespace lips
