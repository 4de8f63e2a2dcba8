// Billed hours of nodes, by kind and clock hour, and what commitments cover of them: the one rule for a run that is
// over and for a cluster that runs. Knows no node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "invoice/tariff.h"
#include "model/nodes.h"

namespace lips {

struct NodeLine {
  std::string instance_type;
  ZoneId zone;
  CapacityType capacity_type = CapacityType::on_demand;
  std::uint64_t launches = 0;
  double hours = 0, covered_hours = 0;  // billed; the part that commitments cover
  Usd dollars;                          // for hours that are not covered
};

using NodeKind = std::tuple<std::string, ZoneId, CapacityType>;  // instance type

// The billed time of a node that has lived so long: every started second, and at least the shortest billable life.
Duration billed_time(Duration lived, Duration least_life);

class NodeHours {
 public:
  explicit NodeHours(Tariff tariff) : tariff_(std::move(tariff)) {}

  std::size_t line_of(const NodeKind& kind);
  void launched(std::size_t line) { ++lines_[line].launches; }
  // Billed time of a node of that line.
  void add(std::size_t line, UsdPerHour price, TimePoint from, TimePoint to);
  // Takes off what commitments cover that are paid from `first` to `last`, and returns its on-demand price. Only clock
  // hours that end by `until` are looked at; what is added to them later is not covered.
  Usd cover(TimePoint first, TimePoint last, TimePoint until = TimePoint::max());
  const std::vector<NodeLine>& lines() const { return lines_; }

 private:
  // Hours of the on-demand nodes of one line within a clock hour, as far as no commitment covers them yet.
  struct HourOfLine {
    std::size_t line = 0;
    double hours = 0;
    Usd dollars;
  };
  Usd take(HourOfLine& entry, double hours);
  Usd cover_hour(std::vector<HourOfLine>& entries, double share);

  Tariff tariff_;
  std::vector<NodeLine> lines_;
  std::map<NodeKind, std::size_t> line_of_;
  std::map<std::int64_t, std::map<std::size_t, HourOfLine>> open_;  // by clock hour
  std::int64_t open_from_ = INT64_MIN;                              // earlier hours are closed
};

}  // namespace lips
