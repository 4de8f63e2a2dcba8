// Makes the operator's state of facts, tells the observer of each new one, and writes one log line when it changes.
#pragma once

#include <optional>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "controller/operator_state.h"

namespace lips::kubernetes {

class StateTeller {
 public:
  StateTeller(AdapterObserver& telemetry, Log& log) : telemetry_(telemetry), log_(log) {}

  void review(const OperatorFacts& facts, TimePoint now);

 private:
  void write(const OperatorState& state);

  AdapterObserver& telemetry_;
  Log& log_;
  std::optional<OperatorState> told_;
};

}  // namespace lips::kubernetes
