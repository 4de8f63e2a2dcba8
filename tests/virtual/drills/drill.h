// The parts that all drills share: scenes that a seed draws, a run with what was seen of it, and the promises that hold
// whatever happens.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/adapter_observer.h"
#include "simulation/run.h"
#include "tests/virtual/drills/audit.h"
#include "virtual/run_through.h"

namespace lips::virtual_cluster::drills {

// A cluster without failures of its own: every third one buys its nodes.
simulation::Scenario scene(std::uint64_t seed);

// The states of an operator, by the cluster's clock.
class States final : public AdapterObserver {
 public:
  struct Seen {
    TimePoint at;
    OperatorState state;
  };
  void use(const kubernetes::EventLoop& clock) { clock_ = &clock; }
  void on_state(const OperatorState& state) override { seen_.push_back({clock_ ? clock_->now() : TimePoint{}, state}); }
  const std::vector<Seen>& seen() const { return seen_; }
  // The last one until then; null: there was none.
  const OperatorState* at(TimePoint when) const;
  std::string words() const;  // one line for each

 private:
  const kubernetes::EventLoop* clock_ = nullptr;
  std::vector<Seen> seen_;
};

// The ConfigMap that remembers what the operator must not forget, where a restored store is noticed.
inline constexpr const char* memory_name = "lips-memory";
// A person confirms what the last state asks for after a restore (docs/runbooks.md#after-a-restore). Returns the code
// of the server's answer; none: the state asks for nothing.
std::optional<int> confirm_restore(VirtualKubernetes& cluster, const States& states);

struct Outcome {
  simulation::RunResult run;
  std::vector<std::string> wrong;
  TimePoint ended;
};

// Policy lips; adds to at_start and at_end what it needs.
Outcome run_drill(const simulation::Scenario& scenario, ThroughOptions options, Audit& audit);

// The same without a drill.
simulation::RunResult undisturbed(const simulation::Scenario& scenario);

// Every job ends; nothing is bound twice or where there is no room, no pod is deleted that waits, no last replica, and
// no object is written without end. The dollars by use are at most `dollars` times the usual ones.
struct Bounds {
  double dollars = 1.5;
  std::size_t writes_in_a_minute = 30;  // of one object
};
void expect_promises(const simulation::RunResult& usual, const Outcome& outcome, const Audit& audit,
                     const Bounds& bounds = {});

}  // namespace lips::virtual_cluster::drills
