// Where tasks run: zones, racks, nodes, and which tasks a node may take.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace lips {

using ProfileId = Id<struct ProfileTag>;        // a distinct set of labels and taints
using ConstraintId = Id<struct ConstraintTag>;  // a distinct set of selectors and tolerations

struct Zone {
  std::string name;
};

struct Rack {
  std::string name;
  ZoneId zone;
};

// What a task asks for and a node offers. A slot is one concurrent task (Hadoop's slot, Kubernetes' pod count).
struct Resources {
  Cores cpu;
  Mebibytes memory;
  std::int32_t slots = 1;

  friend Resources operator+(Resources a, const Resources& b) { return {a.cpu + b.cpu, a.memory + b.memory, a.slots + b.slots}; }
  friend Resources operator-(Resources a, const Resources& b) { return {a.cpu - b.cpu, a.memory - b.memory, a.slots - b.slots}; }
  friend bool operator==(const Resources&, const Resources&) = default;
  friend auto operator<=>(const Resources&, const Resources&) = default;
};

// With room for rounding errors of many additions and subtractions.
bool fits(const Resources& request, const Resources& free);
// How many tasks of this request fit into the free resources at once.
std::int64_t fit_count(const Resources& request, const Resources& free);

struct Taint {
  std::string key, value, effect;  // effect: NoSchedule, PreferNoSchedule or NoExecute
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

// Labels and taints that decide eligibility; many nodes share one profile.
struct NodeProfile {
  std::vector<std::pair<std::string, std::string>> labels;  // sorted by key
  std::vector<Taint> taints;                                // sorted
  friend auto operator<=>(const NodeProfile&, const NodeProfile&) = default;
};

struct Toleration {
  std::string key, value, effect;  // empty: any
  bool exists = false;             // operator Exists: any value
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

struct LabelRequirement {
  enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist, greater, less };
  std::string key;
  Operator op = Operator::in;
  std::vector<std::string> values;
  friend auto operator<=>(const LabelRequirement&, const LabelRequirement&) = default;
};

struct PlacementConstraint {
  std::vector<LabelRequirement> required;                // all of them (node selector)
  std::vector<std::vector<LabelRequirement>> any_of;     // at least one term, when there are terms (required affinity)
  std::vector<Toleration> tolerations;
  friend auto operator<=>(const PlacementConstraint&, const PlacementConstraint&) = default;
};

// As kube-scheduler's NodeAffinity and TaintToleration filters decide it.
bool eligible(const PlacementConstraint& constraint, const NodeProfile& profile);

enum class CapacityType : std::uint8_t { on_demand, spot };

struct Node {
  std::string name;
  ZoneId zone;
  RackId rack;
  ProfileId profile;
  std::string instance_type;
  CapacityType capacity_type = CapacityType::on_demand;
  Resources capacity;         // what batch tasks may use of it
  double speed = 1;           // CPU-seconds of work per core and second
  UsdPerHour price;           // while the node exists: the cloud's invoice
  UsdPerCpuSecond cpu_price;  // per CPU-second of work used: the paper's billing; full_packing_price() unless stated
  bool schedulable = true;    // ready and not cordoned

  CpuSeconds work_per(Duration span) const { return CpuSeconds(capacity.cpu.value() * speed * to_seconds(span)); }
};

// The price of a CPU-second if every core of the node were always busy.
UsdPerCpuSecond full_packing_price(UsdPerHour price, Cores cpu, double speed);

}  // namespace lips
