// Keeps what the operator's page shows of the cluster current while somebody looks at it, on a thread of its own:
// expected starts take many plans. Nobody looks: it does nothing.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "records/epoch_record.h"
#include "telemetry/status/overview.h"

namespace lips::cmd {

class OverviewKeeper {
 public:
  using Ask = std::function<std::shared_ptr<const EpochRecord>()>;  // may wait; null: there is none now
  explicit OverviewKeeper(Ask ask);

  // The latest one, which this call has made anew; waits shortly if there is none, or only an old one. None: there is
  // none yet.
  std::optional<Overview> latest();

 private:
  void work(const std::stop_token& stop);
  void make(const std::stop_token& stop);
  bool is_nothing_to_show();
  bool is_older_than(double seconds) const;  // or missing; the caller holds the lock
  void publish(Overview overview, double seen_at);

  const Ask ask_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false;
  std::optional<Overview> latest_;
  double seen_at_ = 0;   // seconds of a stopwatch: as of then
  std::jthread thread_;  // last: it uses the others
};

}  // namespace lips::cmd
