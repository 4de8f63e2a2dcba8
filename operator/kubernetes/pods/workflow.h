// A workflow: steps of which some begin when others have ended, as in a JobSet or a Workflow of Argo. A value; knows no
// format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/job_codec.h"

namespace lips::kubernetes {

using StepIndex = Id<struct WorkflowStepTag>;

enum class StepState : std::uint8_t {
  to_come,  // it has no pods or Jobs yet
  waiting,  // it has some, and not all have started
  running,
  ended
};

struct Step {
  struct After {
    StepIndex step;
    bool ready = false;  // only until all of its pods run; else until it ends
    friend bool operator==(const After&, const After&) = default;
  };
  std::string name;  // of its first Job, or of its node in the status; empty: it makes no pods, and joins other steps
  std::shared_ptr<const JobSpec> spec;  // of each copy; null: not known
  std::int32_t copies = 1;              // that run side by side
  std::vector<After> after;
  StepState state = StepState::to_come;
  std::optional<TimePoint> since;  // of one that runs; none: not known
  bool open_ended = false;         // somebody has to end it
};

struct Workflow {
  enum class Kind : std::uint8_t { job_set, argo };
  ObjectMeta meta;
  Kind kind = Kind::job_set;
  bool suspended = false, deleting = false;
  bool ended = false;   // it has succeeded or failed
  std::string problem;  // why its steps are not known; empty: they are
  IdVector<StepIndex, Step> steps;

  // Says whether it will begin further steps.
  bool goes_on() const { return !suspended && !deleting && !ended; }
};

// The most steps of a workflow; one with more is not counted on.
inline constexpr std::size_t most_steps = 10'000;
inline constexpr std::size_t most_dependencies = 100'000;

}  // namespace lips::kubernetes
