#include "controller/operator_state.h"

#include <algorithm>

namespace lips {
namespace {

std::string listed(const std::vector<Lack>& lacks) {
  std::string text;
  for (const Lack& lack : lacks) text += (text.empty() ? "" : "; ") + lack.what + ": " + lack.why;
  return text;
}

std::string why_standby(const OperatorFacts& facts) {
  if (!facts.leader.empty()) return facts.leader + " leads";
  if (!facts.lease_trouble.empty()) return "no replica is known to lead: " + facts.lease_trouble;
  return "no replica leads yet";
}

Doing doing_of(const OperatorFacts& facts) {
  if (facts.stopping) return Doing::stopping;
  if (facts.unreachable) return Doing::unreachable;
  if (facts.awaits) return Doing::awaits;
  if (!facts.leads) return Doing::stands_by;
  if (!facts.plans_refused.empty()) return Doing::plans_refused;
  if (!facts.other_mode.empty()) return Doing::mode_differs;
  if (!facts.moves_suspended.empty()) return Doing::moves_suspended;
  if (!facts.stopped_write.empty()) return Doing::writes_stopped;
  return facts.mode == PodMode::watch ? Doing::watches : Doing::decides;
}

std::string why(Doing doing, const OperatorFacts& facts) {
  switch (doing) {
    case Doing::stopping:
      return "it was asked to stop";
    case Doing::unreachable:
      return facts.unreachable->why;
    case Doing::awaits:
      return facts.awaited.empty() ? "the first lists are not complete"
                                   : "nothing is planned: " + listed(facts.awaited);
    case Doing::stands_by:
      return why_standby(facts);
    case Doing::plans_refused:
      return "every task waits for a plan that passes its checks: " + facts.plans_refused;
    case Doing::mode_differs:
      return facts.other_mode + "; this process runs with " + std::string(to_string(facts.mode));
    case Doing::moves_suspended:
      return "pods are planned and bound, but " + facts.moves_suspended;
    case Doing::writes_stopped:
      return "written again and again, so it is not written for a while: " + facts.stopped_write;
    case Doing::watches:
      return "it binds pods that name it, and only watches those of other schedulers";
    case Doing::decides:
      return "its plans are carried out";
  }
  return "";
}

bool same_names(const std::vector<Lack>& a, const std::vector<Lack>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Lack& x, const Lack& y) { return x.what == y.what; });
}

}  // namespace

std::string OperatorState::words() const {
  std::string text = std::string(doing_names[doing]) + ": " + why;
  for (const Lack& lack : degraded) text += "; degraded: " + lack.what + ": " + lack.why;
  return text;
}

OperatorState state_of(const OperatorFacts& facts, const OperatorState* before, TimePoint now) {
  OperatorState state;
  state.doing = doing_of(facts);
  state.why = why(state.doing, facts);
  state.since = before && before->doing == state.doing ? before->since : now;
  if (facts.unreachable && !facts.stopping) state.since = facts.unreachable->since;
  state.awaited = facts.awaited, state.degraded = facts.degraded;
  state.leader = facts.leader;
  return state;
}

bool is_change(const OperatorState& before, const OperatorState& now) {
  return before.doing != now.doing || (now.doing == Doing::stands_by && before.leader != now.leader) ||
         !same_names(before.awaited, now.awaited) || !same_names(before.degraded, now.degraded);
}

}  // namespace lips
