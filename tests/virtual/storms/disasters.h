// The troubles of a storm that lie in the cluster: its store, its definitions, rights and administrators.
#pragma once

#include <string>

#include "tests/virtual/drills/drill.h"
#include "tests/virtual/storms/storm_case.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster::storms {

class Disasters {
 public:
  explicit Disasters(const StormCase& storm) : storm_(storm), administrator_(storm.random(Trouble::administrator)) {}
  // This, the scenario and the cluster outlive the run. `restored`: called when the store has gone back.
  void begin(VirtualKubernetes& cluster, const simulation::Scenario& scenario, std::function<void()> restored);
  // A person who reads the operator's state confirms that replicas were checked (docs/operations.md).
  drills::States& states() { return states_; }

 private:
  void restore();
  void confirm();
  void take_rights();
  void drop_a_field();
  void hide_a_kind();
  void administrate();
  void set_quotas(const simulation::Scenario& scenario);
  void set_budgets(const simulation::Scenario& scenario);

  const StormCase& storm_;
  VirtualKubernetes* cluster_ = nullptr;
  drills::States states_;
  ObjectStore::Backup backup_;
  std::function<void()> restored_;
  Random administrator_;
  TimePoint begun_;
};

}  // namespace lips::virtual_cluster::storms
