// What an adapter to a real cluster tells of its own work: requests, bindings, leadership, what it could not
// understand. Every call may come from any thread and must not wait. Observers decide nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "model/move_phase.h"

namespace lips {

enum class BindOutcome : std::uint8_t {
  bound,
  conflict,
  refused,
  failed
};  // conflict: another was quicker; failed: no answer
enum class WatchTrouble : std::uint8_t { restarted, relisted };

class AdapterObserver {
 public:
  virtual ~AdapterObserver() = default;

  // An answer of the API server, or 0 when there was none. `verb` as Kubernetes names it, `resource` in the plural.
  virtual void on_request(std::string_view /*verb*/, std::string_view /*resource*/, int /*code*/, Duration /*took*/) {}
  virtual void on_watch(std::string_view /*resource*/, WatchTrouble) {}
  // `took`: from the decision to the answer.
  virtual void on_bind_outcome(BindOutcome, Duration /*took*/) {}
  // The gate of a pod of another scheduler is gone, and it has that zone; "none": it was let go without one.
  virtual void on_steered(std::string_view /*pool*/, std::string_view /*zone*/) {}
  // From the pod's creation (or the end of its gates) to its binding.
  virtual void on_pod_waited(Duration) {}

  virtual void on_leader(bool /*this copy leads*/) {}
  virtual void on_synced(bool /*all caches hold what the cluster holds*/) {}
  virtual void on_loop() {}  // the adapter is alive although nothing happens

  virtual void on_unknown_price(std::string_view /*node*/, std::string_view /*instance_type*/, bool /*unknown*/) {}
  // Pods that wait now, for one of a few reasons; every reason that ever was is said again, with 0 when none is left.
  virtual void on_pending(std::string_view /*reason*/, std::uint64_t /*pods*/) {}
  // A move of no phase yet counts as pending.
  virtual void on_moves(MovePhase, std::uint64_t /*now in this phase*/) {}
  virtual void on_move_ended(bool /*committed*/, Mebibytes) {}
  // The API server did not do what it was asked, and asking again does not help: a missing right, a policy, an object
  // that it finds wrong. Not said of what is gone or was quicker.
  virtual void on_refused_write(std::string_view /*verb*/, std::string_view /*resource*/, int /*code*/) {}
  // An object that was not understood, or asks for what is not honoured; `reason` is one of a few words.
  virtual void on_rejected(std::string_view /*kind*/, std::string_view /*reason*/) {}
};

}  // namespace lips
