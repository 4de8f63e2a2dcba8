// Compares the invoice of a running operator with those of other policies on the same work, now and then, from its own
// journal, on a thread of low priority that takes at most 2 % of a core.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "config/live_config.h"
#include "model/twin_report.h"

namespace lips::cmd {

class TwinKeeper {
 public:
  struct Parts {
    std::function<bool()> leads;                                 // and so writes the journal
    std::function<void(const TwinState&, double seconds)> told;  // after each comparison
  };
  // Both outlive this.
  TwinKeeper(const LiveConfig& live, Parts parts);

  TwinState latest() const;
  // The journal is complete: the next comparison need not wait for `twin.every`.
  void journal_is_complete();

 private:
  void work(const std::stop_token& stop);
  void compare(const OperatorConfig& config, const std::stop_token& stop);
  double due(const OperatorConfig& config) const;  // seconds of a stopwatch; the caller holds the lock

  const LiveConfig& live_;
  const Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<TwinReport> report_;
  std::string failed_;  // why the last comparison did; empty: it did not
  bool complete_ = false, running_ = false;
  double last_, made_ = 0;  // seconds of a stopwatch; last_: the end of the last comparison, or the start
  double took_ = 0;         // CPU-seconds of the last comparison
  std::jthread thread_;     // last: it uses the others
};

}  // namespace lips::cmd
