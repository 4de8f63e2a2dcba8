// The cost of pods of other schedulers, and what they would have cost where the policy would have put them, added up by
// day, namespace and job. Bounded: the oldest days go, and jobs beyond a number share a row.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/watched_dollars.h"

namespace lips {

class WatchReport {
 public:
  static constexpr std::size_t most_days = 31, most_jobs_a_day = 2'000;
  static constexpr const char* other_jobs = "(other jobs)";

  // All changes of a look. Pods that run count in its day alone.
  void add(const std::vector<WatchedChange>& changes, const std::string& day);
  std::vector<WatchedRow> rows() const;  // by day, namespace, job

 private:
  using Job = std::pair<std::string, std::string>;  // namespace, name
  std::map<std::string, std::map<Job, WatchedSum>> days_;
};

}  // namespace lips
