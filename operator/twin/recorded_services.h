// The pods beside the tasks of a journal as services of a simulation: how many of each workload there were, from record
// to record. Knows no nodes and no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/service_pods.h"
#include "model/snapshot.h"
#include "simulation/services.h"

namespace lips::twin {

class RecordedServices {
 public:
  // Records in the order in which they were made; none: an older record, or a program that did not look.
  void add(TimePoint now, const std::optional<std::vector<ServicePods>>& services);

  struct Placed {
    std::vector<simulation::Service> services;  // times since the first record; the last one ends what is there
    std::size_t workloads = 0, pods = 0;
    std::size_t nowhere = 0;     // pods that are left out: no node of the cluster may take them
    std::size_t no_amounts = 0;  // workloads that ask for resources of which the records know no amounts
    std::size_t any_label = 0;   // workloads that select nodes by labels that the records do not have
  };
  // Adds constraints that the cluster lacks.
  Placed place(ClusterSnapshot& cluster) const;
  bool known() const { return known_; }  // every record says what there was

 private:
  using Key = std::tuple<std::string, Resources, std::vector<std::pair<std::string, double>>, PlacementConstraint>;
  struct Span {
    TimePoint from{}, until{};
    std::uint32_t pods = 0;
  };
  struct Seen {
    std::vector<std::pair<TimePoint, std::uint32_t>> there;  // since when, pods; the youngest last
    std::vector<Span> ended;
    bool placed = false;  // some node took one of its pods
  };
  void change(Seen& seen, std::uint32_t pods, TimePoint came, TimePoint now) const;

  std::map<Key, Seen> seen_;
  std::optional<TimePoint> began_;
  TimePoint last_{}, before_{};  // the last record and the one before it, since the first
  bool known_ = true;
};

}  // namespace lips::twin
