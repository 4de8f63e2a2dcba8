// The bill of the nodes of a running cluster, used or not, by the rules of invoice/: from launch to termination, boot
// included, each launch for a minute at least, less what commitments cover. Knows of nodes what each look at the
// cluster shows; between two looks they count as they were at the first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "invoice/commitments.h"
#include "invoice/node_hours.h"
#include "model/snapshot.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

struct NodeTerms {
  Commitments commitments;
  Duration boot{};            // of an elastic node that is like no offer, from its launch until pods start on it
  bool lists_absent = false;  // elastic nodes that are not there are listed too: a simulated cluster
};

class NodeMeter {
 public:
  explicit NodeMeter(MetricRegistry& registry) : registry_(registry) {}

  // As from now; what was counted under other commitments stays.
  void bill_by(const NodeTerms& terms, TimePoint now);
  void look(const ClusterSnapshot& cluster, TimePoint now);
  void listed(const ClusterSnapshot& start, TimePoint now);  // before any task of it is known
  void lost(const Node& node, TimePoint now);
  void bound(const Node& node, TimePoint now);  // a task, to the node
  void count_until(TimePoint now);
  Usd dollars() const { return dollars_; }  // of all, so far
  // The part of them for nodes while nothing ran on them, as each look and binding saw it; their boot is of it.
  Usd idle_dollars() const { return listed_.value() > 0 ? dollars_ * (idle_ / listed_) : Usd(0); }
  double task_core_seconds() const { return task_core_seconds_; }
  bool lists_absent() const { return terms_.lists_absent; }
  // Another replica counts from now on.
  void stop(TimePoint now);

 private:
  struct Life {
    NodeKind kind;
    UsdPerHour price;
    Cores cores;
    TimePoint launched{}, billed_until{};
    Duration least_life{};
    bool idle = true;        // nothing runs on it
    std::uint64_t seen = 0;  // the last look that saw it
  };
  using Place = std::pair<ZoneId, CapacityType>;
  void begin(const ClusterSnapshot& cluster, const Node& node, const NodeKind& kind, TimePoint now);
  void bill(Life& life, TimePoint now);
  void tell(TimePoint now);
  void look_at_nodes(const ClusterSnapshot& cluster, TimePoint now);
  void see_idle(const ClusterSnapshot& cluster);
  void start_hours(TimePoint now);
  ZoneId zone_of(const std::string& name);

  MetricRegistry& registry_;
  NodeTerms terms_;
  std::optional<TimePoint> counted_;
  TimePoint committed_since_{};  // what is covered before is told already
  std::uint64_t looks_ = 0;
  std::unordered_map<std::string, Life> lives_;  // of nodes, by name
  std::map<std::string, ZoneId> zones_;          // ids of its own: those of a listing end with it
  IdVector<ZoneId, std::string> zone_names_;
  NodeHours hours_{Tariff()};
  std::map<Place, Usd> told_;  // of these hours
  Cores held_;
  Usd dollars_;
  Usd listed_, idle_;  // before commitments: of all nodes, and of those on which nothing runs
  double task_core_seconds_ = 0;
};

}  // namespace lips
