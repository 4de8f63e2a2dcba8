// Says once, after a while, that something is missing without which nothing can be planned, and once that it is there.
#pragma once

#include <optional>
#include <string>

#include "base/log.h"
#include "controller/adapter_observer.h"

namespace lips::kubernetes {

class HeldUp {
 public:
  HeldUp(Duration after, AdapterObserver& telemetry, Log& log) : after_(after), telemetry_(telemetry), log_(log) {}

  // `why`: what is missing now; empty: nothing.
  void review(std::string why, TimePoint now);

 private:
  const Duration after_;
  AdapterObserver& telemetry_;
  Log& log_;
  std::string said_;
  std::optional<TimePoint> since_;
};

}  // namespace lips::kubernetes
