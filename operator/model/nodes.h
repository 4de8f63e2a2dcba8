// Where tasks run: zones, racks, nodes, and which tasks a node may take.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_array.h"
#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/extended_amounts.h"

namespace lips {

using ProfileId = Id<struct ProfileTag>;        // a distinct set of labels and taints
using ConstraintId = Id<struct ConstraintTag>;  // a distinct set of selectors and tolerations

struct Zone {
  std::string name;
  static constexpr auto fields = field_names("name");
};

struct Rack {
  std::string name;
  ZoneId zone;
  static constexpr auto fields = field_names("name", "zone");
};

// Resources that a task requests or a node offers. A slot is one concurrent task (a slot of Hadoop, the pod count of
// Kubernetes).
struct Resources {
  Cores cpu;
  Mebibytes memory;
  std::int32_t slots = 1;
  ExtendedAmounts extended = {};  // named by ClusterSnapshot::extended_names
  static constexpr auto fields = field_names("cpu", "memory", "slots", "extended");

  Resources& operator+=(const Resources& b) { return add(b, 1); }
  Resources& operator-=(const Resources& b) { return add(b, -1); }
  friend Resources operator+(Resources a, const Resources& b) { return a += b; }
  friend Resources operator-(Resources a, const Resources& b) { return a -= b; }
  // `count` times these resources.
  friend Resources operator*(const Resources& a, std::int32_t count) {
    Resources result{Cores(0), Mebibytes(0), 0};
    return result.add(a, count);
  }
  friend bool operator==(const Resources&, const Resources&) = default;
  friend auto operator<=>(const Resources&, const Resources&) = default;

 private:
  Resources& add(const Resources& b, std::int32_t times) {
    cpu += b.cpu * times;
    memory += b.memory * times;
    slots += b.slots * times;
    extended.add(b.extended, times);
    return *this;
  }
};

// Tolerates the rounding errors of many additions and subtractions.
bool fits(const Resources& request, const Resources& free);
// How many tasks of this request fit into the free resources at once.
std::int64_t fit_count(const Resources& request, const Resources& free);

struct Taint {
  std::string key, value, effect;  // effect: NoSchedule, PreferNoSchedule or NoExecute
  static constexpr auto fields = field_names("key", "value", "effect");
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

// Labels and taints that decide eligibility; many nodes share one profile.
struct NodeProfile {
  std::vector<std::pair<std::string, std::string>> labels;  // sorted by key
  std::vector<Taint> taints;                                // sorted
  static constexpr auto fields = field_names("labels", "taints");
  friend auto operator<=>(const NodeProfile&, const NodeProfile&) = default;
};

struct Toleration {
  std::string key, value, effect;  // empty: any
  bool exists = false;             // operator Exists: any value
  static constexpr auto fields = field_names("key", "value", "effect", "exists");
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

struct LabelRequirement {
  enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist, greater, less };
  std::string key;
  Operator op = Operator::in;
  std::vector<std::string> values;
  static constexpr auto fields = field_names("key", "operator", "values");
  friend auto operator<=>(const LabelRequirement&, const LabelRequirement&) = default;
};

struct PlacementConstraint {
  std::vector<LabelRequirement> required;             // all of them (node selector)
  std::vector<std::vector<LabelRequirement>> any_of;  // at least one term, when there are terms (required affinity)
  std::vector<Toleration> tolerations;
  // At least one term of each (topology of bound volumes).
  std::vector<std::vector<std::vector<LabelRequirement>>> volumes = {};
  static constexpr auto fields = field_names("required", "anyOf", "tolerations", "volumes");
  friend auto operator<=>(const PlacementConstraint&, const PlacementConstraint&) = default;
};

// As kube-scheduler's NodeAffinity and TaintToleration filters decide it.
bool eligible(const PlacementConstraint& constraint, const NodeProfile& profile);

enum class CapacityType : std::uint8_t { on_demand, spot };
inline constexpr EnumArray<CapacityType, std::string_view> capacity_type_names{"on-demand", "spot"};  // Karpenter's
constexpr std::string_view to_string(CapacityType type) { return capacity_type_names[type]; }
// A fixed node stays, and is paid for, whatever runs on it. An elastic one goes when it is empty.
enum class FleetKind : std::uint8_t { fixed, elastic };

struct Node {
  std::string name;
  ZoneId zone;
  RackId rack;
  ProfileId profile;
  std::string instance_type;
  CapacityType capacity_type = CapacityType::on_demand;
  FleetKind fleet = FleetKind::fixed;
  Resources capacity;                           // the part that tasks may use
  Resources others{Cores(0), Mebibytes(0), 0};  // of it, used by work that is not scheduled here
  double speed = 1;                             // CPU-seconds of work per core and second
  UsdPerHour price;                             // while the node exists: the invoice
  // Per CPU-second of work used: billing as in the paper. full_packing_price() unless stated.
  UsdPerCpuSecond cpu_price;
  bool schedulable = true;  // ready and not cordoned
  double preference = 1;    // times `cpu_price` where plans compare nodes; on no bill. Above 1: avoid it
  static constexpr auto fields =
      field_names("name", "zone", "rack", "profile", "instanceType", "capacityType", "fleet", "capacity", "others",
                  "speed", "price", "cpuPrice", "schedulable", "preference");

  CpuSeconds work_per(Duration span) const {
    return CpuSeconds((capacity.cpu - others.cpu).value() * speed * to_seconds(span));
  }
};

// The price of a CPU-second if every core of the node were always busy.
UsdPerCpuSecond full_packing_price(UsdPerHour price, Cores cpu, double speed);

}  // namespace lips
