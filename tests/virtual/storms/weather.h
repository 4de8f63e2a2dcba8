// The troubles of a storm that lie between the operator and its cluster, and those of its processes.
#pragma once

#include <memory>

#include "tests/virtual/drills/operator_loop.h"
#include "tests/virtual/storms/storm_case.h"
#include "virtual/run_through.h"

namespace lips::virtual_cluster::storms {

// When the store goes back to a backup; the server is away for seconds meanwhile.
struct Restore {
  TimePoint saved, back;
  std::uint64_t gap = 0;
};
std::optional<Restore> restore_of(const StormCase& storm, TimePoint start);

// Lost requests, broken watches, outages, and how often processes begin anew. `start`: the first moment of the run.
Storm weather_of(const StormCase& storm, TimePoint start);

// The processes of the operator, each with its clock; some are killed after a write.
class Processes {
 public:
  explicit Processes(const StormCase& storm);
  // This outlives the run.
  void prepare(ThroughOptions& options);
  // A client has written something.
  void wrote() {
    if (left_ > 0 && --left_ == 0 && loop_) loop_->kill();
  }

 private:
  void begin(VirtualKubernetes& cluster);

  const bool killed_, clocks_;
  Random deaths_, clock_;
  std::size_t left_ = 0;  // writes until it is killed; 0: it is not
  std::shared_ptr<drills::OperatorLoop> loop_;
};

}  // namespace lips::virtual_cluster::storms
