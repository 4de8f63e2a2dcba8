#include "telemetry/metrics/spend_books.h"

#include "telemetry/metrics/rise.h"

namespace lips {

Bill SpendBooks::add(const Charge& charge) {
  jobs_.add(charge.day, charge.pool, charge.job, {0, {}, {}, charge.more});
  Sum& sum = sums_[charge.pool];
  sum.due += charge.more;
  Bill told;
  for (Usd Bill::*term : {&Bill::cpu, &Bill::transfer, &Bill::shuffle, &Bill::moves, &Bill::storage})
    told.*term = rise(sum.due.*term, sum.told.*term);
  return told;
}

void SpendBooks::add_ended(std::int64_t day, const EndedTask& task) {
  jobs_.add(day, task.pool, task.job, {1, task.predicted, task.ours, {}});
}

Bill SpendBooks::due(const std::string& pool) const {
  const auto sum = sums_.find(pool);
  return sum == sums_.end() ? Bill{} : sum->second.due;
}

}  // namespace lips
