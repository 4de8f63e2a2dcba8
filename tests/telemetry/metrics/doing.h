// The state of an operator that does this, and nothing else.
#pragma once

#include "controller/operator_state.h"

namespace lips {

inline OperatorState doing(Doing what) {
  OperatorState state;
  state.doing = what;
  return state;
}

}  // namespace lips
