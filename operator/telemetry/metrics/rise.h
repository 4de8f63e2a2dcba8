// Counters only rise: a correction downwards waits until more is due.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace lips {

// By how much a counter rises that has told `told`.
inline Usd rise(Usd due, Usd& told) {
  const Usd more(std::max(0.0, due.value() - told.value()));
  told += more;
  return more;
}

}  // namespace lips
