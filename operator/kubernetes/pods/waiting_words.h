// Why a plan lets a pod wait, as the reason and message of a condition. None of the reasons is Unschedulable:
// autoscalers launch nodes for that one. Pure.
#pragma once

#include "model/plan.h"

namespace lips::kubernetes {

struct WaitingWords {
  const char *reason, *sentence;
};
const WaitingWords& words_of(DeferralReason reason);
// It is planned for a node that has no room yet.
const WaitingWords& words_of_planned();

}  // namespace lips::kubernetes
