#include "kubernetes/adapter/state_teller.h"

#include <string>
#include <utility>

namespace lips::kubernetes {
namespace {

std::string names_of(const std::vector<Lack>& lacks) {
  std::string text;
  for (const Lack& lack : lacks) text += (text.empty() ? "" : "; ") + lack.what + ": " + lack.why;
  return text;
}

bool is_trouble(const OperatorState& state) {
  if (!state.degraded.empty() || !state.awaited.empty()) return true;
  switch (state.doing) {
    case Doing::unreachable:
    case Doing::plans_refused:
    case Doing::mode_differs:
    case Doing::moves_suspended:
    case Doing::writes_stopped:
      return true;
    default:
      return false;
  }
}

}  // namespace

void StateTeller::review(const OperatorFacts& facts, TimePoint now) {
  OperatorState state = state_of(facts, told_ ? &*told_ : nullptr, now);
  if (told_ && state == *told_) return;
  const bool change = !told_ || is_change(*told_, state);
  told_ = std::move(state);
  telemetry_.on_state(*told_);
  if (change) write(*told_);
}

void StateTeller::write(const OperatorState& state) {
  const LogField name{"state", doing_names[state.doing]}, why{"why", state.why};
  const LogLevel level = is_trouble(state) ? LogLevel::warning : LogLevel::info;
  if (state.degraded.empty())
    log_.write(level, "state", {name, why});
  else
    log_.write(level, "state", {name, why, {"degraded", names_of(state.degraded)}});
}

}  // namespace lips::kubernetes
