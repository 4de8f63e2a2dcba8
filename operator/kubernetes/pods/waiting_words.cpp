#include "kubernetes/pods/waiting_words.h"

#include "base/enum_array.h"

namespace lips::kubernetes {

const WaitingWords& words_of(DeferralReason reason) {
  static constexpr EnumArray<DeferralReason, WaitingWords> words{
      WaitingWords{"NoCapacity", "no room that it may take is free now. It starts when the plan has some for it"},
      WaitingWords{"WaitsForNode", "the plan asks for a new node for it, which is not there yet"},
      WaitingWords{"CheaperLater", "waiting costs less than what is free now. What helps: a higher waitingPrice"},
      WaitingWords{"WaitsForData", "a copy of the data that it reads is on its way"},
      WaitingWords{"WaitsForLocality", "it waits for room near the data that it reads"},
      WaitingWords{"PoolMaximum", "its pool is at its maximum. What helps: a higher spec.maximum of the Pool"},
      WaitingWords{"NotEligible", "no node with room may take it"},
      WaitingWords{"NotConsidered", "the last plan did not get to it. A later one does"},
      WaitingWords{"PlanRefused", "the last plan failed its check and was not carried out. The next one decides"},
      WaitingWords{
          "WaitsForPeers",
          "it starts together with the other pods of its application, which have not all come or do not all find "
          "room yet"}};
  return words[reason];
}

const WaitingWords& words_of_planned() {
  static constexpr WaitingWords words{"Planned", "it is planned for a node, and starts when that has room"};
  return words;
}

}  // namespace lips::kubernetes
