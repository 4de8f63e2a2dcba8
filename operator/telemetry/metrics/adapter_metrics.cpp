// The part of OperatorMetrics that observes the adapter.
#include <fmt/format.h>

#include "telemetry/metrics/operator_metrics_state.h"

namespace lips {

void OperatorMetrics::on_request(std::string_view verb, std::string_view resource, int code, Duration took) {
  state_->registry.add("lips_api_requests_total", {verb, resource, fmt::format("{}", code)});
  state_->registry.observe("lips_api_request_seconds", {verb}, to_seconds(took));
}

void OperatorMetrics::on_watch(std::string_view resource, WatchTrouble trouble) {
  state_->registry.add("lips_watches_total", {resource, trouble == WatchTrouble::restarted ? "restarted" : "relisted"});
}

void OperatorMetrics::on_bind_outcome(BindOutcome outcome, Duration took) {
  state_->registry.add("lips_binds_total", {bind_outcomes[outcome]});
  state_->registry.observe("lips_bind_seconds", {}, to_seconds(took));
  if (outcome == BindOutcome::bound) return;
  const std::lock_guard lock(state_->mutex);
  ++state_->figures.conflicts;
}

void OperatorMetrics::on_steered(std::string_view pool, std::string_view zone) {
  const std::lock_guard lock(state_->mutex);
  state_->registry.add("lips_steered_total", {state_->known(std::string(pool)), zone});
}

void OperatorMetrics::on_pod_waited(Duration span) {
  state_->registry.observe("lips_pod_wait_seconds", {}, to_seconds(span));
}

void OperatorMetrics::on_leader(bool leads) {
  state_->registry.set("lips_leader", {}, state_->leads = leads);
  if (leads) return;
  const std::lock_guard lock(state_->mutex);
  state_->node_meter.stop(state_->now());
}

void OperatorMetrics::on_state(const OperatorState& state) {
  const std::lock_guard lock(state_->mutex);
  MetricRegistry& registry = state_->registry;
  for (const Lack& lack : state_->doing.awaited) registry.set("lips_missing", {lack.what, "true"}, 0);
  for (const Lack& lack : state_->doing.degraded) registry.set("lips_missing", {lack.what, "false"}, 0);
  state_->doing = state;
  for (const Doing doing : enumerators<Doing>)
    registry.set("lips_operator_state", {doing_names[doing]}, doing == state.doing);
  registry.set("lips_synced", {}, state.doing != Doing::awaits);
  for (const Lack& lack : state.awaited) registry.set("lips_missing", {lack.what, "true"}, 1);
  for (const Lack& lack : state.degraded) registry.set("lips_missing", {lack.what, "false"}, 1);
}

void OperatorMetrics::on_status(const AdapterStatus& status) {
  const std::lock_guard lock(state_->mutex);
  state_->registry.set("lips_clock_behind_seconds", {}, to_seconds(status.machine_behind));
  state_->status = status;
}

void OperatorMetrics::on_loop() { state_->turned = SteadyClock::now().time_since_epoch().count(); }

void OperatorMetrics::on_unknown_price(std::string_view node, std::string_view instance_type, bool unknown) {
  const std::lock_guard lock(state_->mutex);
  state_->unknown_prices.note(node, instance_type, unknown);
}

void OperatorMetrics::on_type_speed(std::string_view instance_type, double speed) {
  state_->registry.set("lips_learned_speed_ratio", {instance_type}, speed);
}

void OperatorMetrics::on_driver_answer(std::string_view outcome) {
  state_->registry.add("lips_driver_answers_total", {outcome});
}

void OperatorMetrics::on_sold_out(std::uint64_t offers) {
  state_->registry.set("lips_sold_out_offers", {}, static_cast<double>(offers));
}

void OperatorMetrics::on_longest_wait(Duration span) {
  state_->registry.set("lips_longest_wait_seconds", {}, to_seconds(span));
}

void OperatorMetrics::on_watch_heard(std::string_view resource) {
  state_->registry.set("lips_watch_heard_timestamp_seconds", {resource}, now_since_1970());
}

void OperatorMetrics::on_pending(std::string_view reason, std::uint64_t pods) {
  state_->registry.set("lips_pending_pods", {reason}, static_cast<double>(pods));
}

void OperatorMetrics::on_moves(MovePhase phase, std::uint64_t count) {
  state_->registry.set("lips_moves", {move_phases[phase]}, static_cast<double>(count));
  state_->phases_told = true;
}

void OperatorMetrics::on_unowned_copies(double files, double bytes) {
  state_->registry.set("lips_unowned_copies", {}, files);
  state_->registry.set("lips_unowned_copy_bytes", {}, bytes);
}

void OperatorMetrics::on_move_ended(std::string_view pool, bool committed, Mebibytes) {
  const std::lock_guard lock(state_->mutex);
  state_->count_move(std::string(pool), committed);
}

void OperatorMetrics::on_pool_wait(std::string_view name, Duration span) {
  const std::string pool(name);
  const std::lock_guard lock(state_->mutex);
  state_->note_waiting(pool, "", span > Duration(0));
  state_->registry.set("lips_pool_longest_wait_seconds", {state_->known(pool)}, to_seconds(span));
}

void OperatorMetrics::on_pool_held(std::string_view name, std::string_view reason, std::uint64_t pods) {
  const std::string pool(name);
  const std::lock_guard lock(state_->mutex);
  state_->note_waiting(pool, std::string(reason), pods > 0);
  state_->registry.set("lips_pool_held_pods", {state_->known(pool), reason}, static_cast<double>(pods));
}

void OperatorMetrics::on_refused_write(std::string_view verb, std::string_view resource, int code) {
  if (code == 0) return state_->registry.add("lips_stopped_writes_total", {verb, resource});
  state_->registry.add("lips_refused_writes_total", {verb, resource, fmt::format("{}", code)});
}

void OperatorMetrics::on_rejected(std::string_view kind, std::string_view reason) {
  state_->registry.add("lips_rejected_objects_total", {kind, reason});
}

}  // namespace lips
