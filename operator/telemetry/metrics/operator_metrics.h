// Counts the actions of a running operator: as observer of controller and adapter, and from reports about each plan.
// Any thread may call. Decides nothing; money comes from the cost model.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "controller/adapter_observer.h"
#include "controller/checked_policy.h"
#include "controller/observer.h"
#include "controller/operator_state.h"
#include "model/costs.h"
#include "model/invoice_so_far.h"
#include "model/job_dollars.h"
#include "model/own_targets.h"
#include "model/pool_use.h"
#include "model/targets.h"
#include "telemetry/metrics/decided_plan.h"
#include "telemetry/metrics/node_meter.h"
#include "telemetry/metrics/operator_figures.h"

namespace lips {

enum class JournalOutcome : std::uint8_t { written, skipped, failed };
inline constexpr EnumArray<JournalOutcome, std::string_view> journal_outcomes{"written", "skipped", "failed"};
enum class ReloadOutcome : std::uint8_t { applied, restart_needed, refused };
inline constexpr EnumArray<ReloadOutcome, std::string_view> reload_outcomes{"applied", "restart_needed", "refused"};

class OperatorMetrics : public Observer, public AdapterObserver {
 public:
  struct About {
    std::string version, revision, cluster;
    std::function<TimePoint()> now =
        {};  // the clock of the cluster, to charge running tasks; empty: as of the last event
  };
  explicit OperatorMetrics(About about);
  ~OperatorMetrics() override;

  // Call on the controller's thread before dispatching the plan. The invoice until then.
  InvoiceSoFar decided(const DecidedPlan& decided);
  // The latest comparison took so long, or failed. From one thread.
  void twin_told(const TwinState& state, double seconds);
  // The dollars of the nodes until now, which these are.
  Usd nodes_until(const ClusterSnapshot& cluster);
  void plan_refused(const PlanFault& fault);
  void journalled(JournalOutcome outcome, std::uint64_t bytes);
  void reloaded(ReloadOutcome outcome);
  // As of the plan that is decided; of all targets.
  void targets(const std::vector<TargetReport>& reports);
  // Takes the targets of jobs that have them: of all that wait or run, the worst first, and which were missed since the
  // last call.
  void own_targets(const std::vector<OwnTargetReport>& reports, const std::vector<MissedTarget>& missed);
  // The pool is steered or not, as from now.
  void left_alone(const std::string& pool, std::optional<LeftAlone> reason);
  void bill_nodes_by(const NodeTerms& terms);                       // from now on
  void prices_as_of(std::chrono::system_clock::time_point oldest);  // of those in use
  void prices_read(std::chrono::system_clock::time_point last);     // from prices.metrics

  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override;
  void on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) override;

  void on_request(std::string_view verb, std::string_view resource, int code, Duration took) override;
  void on_watch(std::string_view resource, WatchTrouble trouble) override;
  void on_bind_outcome(BindOutcome outcome, Duration took) override;
  void on_steered(std::string_view pool, std::string_view zone) override;
  void on_pod_waited(Duration span) override;
  void on_leader(bool leads) override;
  void on_state(const OperatorState& state) override;
  void on_status(const AdapterStatus& status) override;
  void on_loop() override;
  void on_unknown_price(std::string_view node, std::string_view instance_type, bool unknown) override;
  void on_type_speed(std::string_view instance_type, double speed) override;
  void on_driver_answer(std::string_view outcome) override;
  void on_sold_out(std::uint64_t offers) override;
  void on_longest_wait(Duration span) override;
  void on_watch_heard(std::string_view resource) override;
  void on_pending(std::string_view reason, std::uint64_t pods) override;
  void on_moves(MovePhase phase, std::uint64_t count) override;
  void on_unowned_copies(double files, double bytes) override;
  void on_move_ended(std::string_view pool, bool committed, Mebibytes size) override;
  void on_pool_wait(std::string_view name, Duration span) override;
  void on_pool_held(std::string_view name, std::string_view reason, std::uint64_t pods) override;
  void on_refused_write(std::string_view verb, std::string_view resource, int code) override;
  void on_rejected(std::string_view kind, std::string_view reason) override;

  // In Prometheus' text format.
  std::string exposition() const;
  OperatorFigures figures() const;
  std::vector<JobDay> by_job() const;
  OperatorState state() const;
  std::optional<AdapterStatus> status() const;  // none: the adapter has told none
  bool leads() const;
  double seconds_since_turn() const;  // since the last turn of the main loop

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lips
