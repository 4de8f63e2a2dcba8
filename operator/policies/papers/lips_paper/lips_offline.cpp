#include "policies/papers/lips_paper/lips_offline.h"

#include "policies/papers/lips_paper/lips_paper.h"

namespace lips {

namespace {

// Planned anew when something arrives or ends: "all jobs arrive at time 0" is all that is there at that moment. What
// exceeds the uptime waits on F instead of making the whole program infeasible.
PaperMode offline(const PolicySettings& settings, bool moves) {
  PaperMode mode;
  mode.model.moves = moves;
  mode.horizon = settings.paper.uptime;
  mode.least_task = settings.paper.least_task;
  mode.cadence = {Cadence::Trigger::events, settings.paper.uptime, settings.replan_every};
  return mode;
}

}  // namespace

std::unique_ptr<Policy> make_lips_offline_simple(const PolicySettings& settings) {
  return make_paper_policy(offline(settings, false));
}

std::unique_ptr<Policy> make_lips_offline(const PolicySettings& settings) {
  return make_paper_policy(offline(settings, true));
}

}  // namespace lips
