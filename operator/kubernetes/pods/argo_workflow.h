// A Workflow of Argo (argoproj.io): the parts that say which of its steps begin when others have ended. A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/pods/workflow_decoder.h"

namespace lips::kubernetes {

struct ArgoTemplate {
  struct Task {
    std::string name, of;            // `of`: the template that it runs
    std::vector<std::string> after;  // names of others, as `dependencies` or `depends` mentions them, once each
    std::int32_t copies = 1;         // as withItems and withSequence say; 1 if that is known to Argo alone
  };
  enum class Kind : std::uint8_t { other, pod, suspend, dag, steps };  // other: it runs no pods whose needs it says
  std::string name;
  Kind kind = Kind::other;
  JobSpec pod;                             // as far as the template says
  bool ends_by_itself = false;             // suspend: after a time
  std::vector<std::vector<Task>> tasks{};  // of a DAG: one group; of steps: each group begins when the one before ends
};

struct ArgoSpec {
  std::string entrypoint, scheduler;
  PodNotes pod_notes;  // without those in which Argo fills something in
  bool suspended = false;
  std::vector<ArgoTemplate> templates;
};

// A node that has begun.
struct ArgoNode {
  std::string name;
  StepState state = StepState::waiting;
  std::optional<TimePoint> since;
};

struct ArgoWorkflow {
  ObjectMeta meta;
  bool deleting = false, ended = false;
  ArgoSpec spec, stored;         // stored: of the WorkflowTemplate to which the spec refers
  std::vector<ArgoNode> nodes;   // of status.nodes
  bool nodes_elsewhere = false;  // compressed, or in a database
};

// A step for each pod of a task, by the names of Argo's nodes. A task whose template is not here is a step of which
// nothing is known, and so is one that runs a template inside itself.
Workflow workflow_of(const ArgoWorkflow& from);

using ArgoWorkflowDecoder = WorkflowDecoder<ArgoWorkflow>;

}  // namespace lips::kubernetes
