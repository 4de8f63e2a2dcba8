// The dollars spent, as counters tell it: by pool they only rise, so a correction downwards waits until more is due. By
// job and day the sums are exact.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/costs.h"
#include "spending/spend.h"
#include "telemetry/metrics/job_ledger.h"

namespace lips {

class SpendBooks {
 public:
  // By how much the counters of the pool rise.
  Bill add(const Charge& charge);
  // On that day.
  void add_ended(std::int64_t day, const EndedTask& task);
  // The cost of the tasks of the pool, corrections included.
  Bill due(const std::string& pool) const;
  void forget_pool(const std::string& pool) { sums_.erase(pool); }
  std::vector<JobDay> by_job() const { return jobs_.rows(); }

 private:
  struct Sum {
    Bill due, told;
  };
  std::map<std::string, Sum> sums_;  // by pool
  JobLedger jobs_;
};

}  // namespace lips
