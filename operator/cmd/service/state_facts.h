// The facts about the operator's state that the adapter does not know: refused plans, another mode in the
// configuration, prices that cannot be read, a journal that cannot be written. From any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "controller/operator_state.h"
#include "model/pod_mode.h"

namespace lips::cmd {

class StateFacts {
 public:
  // `chart`: the mode for which the chart was installed; empty: no chart says one.
  StateFacts(PodMode mode, const std::string& chart);

  // `why`: the last plan was refused; empty: it was not.
  void planned(const std::string& why);
  // The file says that mode now.
  void configured(PodMode mode);
  // `why`: prices.metrics cannot be read; empty: it can.
  void read_prices(const std::string& why, TimePoint now);

  // `why`: the journal cannot be written; empty: it can.
  void write_journal(const std::string& why, TimePoint now);

  void add_to(OperatorFacts& facts) const;

 private:
  const PodMode mode_;
  const std::string chart_;  // says another mode, in words
  mutable std::mutex mutex_;
  std::string refused_, other_mode_;
  std::optional<Lack> prices_, journal_;
};

}  // namespace lips::cmd
