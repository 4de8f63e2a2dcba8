// Observes the work of an adapter to a real cluster: requests, bindings, leadership, rejected objects. Every call may
// come from any thread and must not block. Observers decide nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "controller/adapter_status.h"
#include "controller/operator_state.h"
#include "model/move_phase.h"

namespace lips {

enum class BindOutcome : std::uint8_t {
  bound,
  conflict,
  refused,
  failed
};  // conflict: another scheduler was faster; failed: no answer
enum class WatchTrouble : std::uint8_t { restarted, relisted };

class AdapterObserver {
 public:
  virtual ~AdapterObserver() = default;

  // An answer of the API server, or 0 when there was none. `verb` as Kubernetes names it, `resource` in the plural.
  virtual void on_request(std::string_view /*verb*/, std::string_view /*resource*/, int /*code*/, Duration /*took*/) {}
  virtual void on_watch(std::string_view /*resource*/, WatchTrouble) {}
  // `took`: from the decision to the answer.
  virtual void on_bind_outcome(BindOutcome, Duration /*took*/) {}
  // A pod of another scheduler has lost its gate and got that zone; "none": it was released without one.
  virtual void on_steered(std::string_view /*pool*/, std::string_view /*zone*/) {}
  // From the pod's creation (or the end of its gates) to its binding.
  virtual void on_pod_waited(Duration) {}

  virtual void on_leader(bool /*this replica leads*/) {}
  // The state has changed, if only in its words.
  virtual void on_state(const OperatorState&) {}
  // About once a second.
  virtual void on_status(const AdapterStatus&) {}
  virtual void on_loop() {}  // the adapter is alive although nothing happens

  virtual void on_unknown_price(std::string_view /*node*/, std::string_view /*instance_type*/, bool /*unknown*/) {}
  // Offers of an autoscaler that count as sold out now, because no node came of orders.
  virtual void on_sold_out(std::uint64_t /*offers*/) {}
  // How fast a core of the type is beside the others, as learned from run times.
  virtual void on_type_speed(std::string_view /*instance_type*/, double /*speed*/) {}
  // A driver was asked for its application's traffic: read, unreachable or refused.
  virtual void on_driver_answer(std::string_view /*outcome*/) {}
  // The number of pods that wait now for one of a few reasons; a reason that is gone is reported again with 0.
  virtual void on_pending(std::string_view /*reason*/, std::uint64_t /*pods*/) {}
  // For how long the pod has waited that may be placed and has waited longest; 0: none waits.
  virtual void on_longest_wait(Duration) {}
  // The same of a pool, and its pods that no plan helps, by reason; what is over is reported again with 0.
  virtual void on_pool_wait(std::string_view /*pool*/, Duration) {}
  virtual void on_pool_held(std::string_view /*pool*/, std::string_view /*reason*/, std::uint64_t /*pods*/) {}
  // The watch of that kind has delivered something, if only a bookmark.
  virtual void on_watch_heard(std::string_view /*resource*/) {}
  // A move without a phase counts as pending.
  virtual void on_moves(MovePhase, std::uint64_t /*now in this phase*/) {}
  // In all stores, as of the last look at each.
  virtual void on_unowned_copies(double /*files*/, double /*bytes*/) {}
  virtual void on_move_ended(std::string_view /*pool of the data*/, bool /*committed*/, Mebibytes) {}
  // The API server has refused a write for good: a missing right, a policy, an invalid object. Not called for objects
  // that are gone, or for conflicts with a quicker writer. Code 0: not sent, as one object was written too often.
  virtual void on_refused_write(std::string_view /*verb*/, std::string_view /*resource*/, int /*code*/) {}
  // An object that cannot be decoded, or that needs something LiPS does not honour; `reason` is one of a few words.
  virtual void on_rejected(std::string_view /*kind*/, std::string_view /*reason*/) {}
};

}  // namespace lips
