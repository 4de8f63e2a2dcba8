// Money is computed here and nowhere else: the bill, the objective, the metrics and the report all use this.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/data.h"
#include "model/nodes.h"

namespace lips {

// The dollars that a user pays, by term. Priced preferences (waiting, locality, fairness) are not in it.
struct Bill {
  Usd cpu;       // CPU-seconds used (the paper's billing)
  Usd transfer;  // reads across zones by running maps
  Usd shuffle;   // map output across zones
  Usd moves;     // data that plans move or copy
  Usd storage;   // of extra copies
  Usd total() const { return cpu + transfer + shuffle + moves + storage; }
  Bill& operator+=(const Bill& other);
};

// Cores counted for a task that requests no CPU.
inline constexpr double least_cores = 0.1;

class CostModel {
 public:
  CostModel() = default;
  // price[from][to] per MiB; includes the charges of both directions.
  explicit CostModel(std::vector<std::vector<UsdPerMebibyte>> transfer) : transfer_(std::move(transfer)) {}

  UsdPerMebibyte transfer(ZoneId from, ZoneId to) const {
    return transfer_.empty() ? UsdPerMebibyte(0) : transfer_[from.index()][to.index()];
  }
  // From the cheapest of several zones; 0 when there is none.
  UsdPerMebibyte transfer(ZoneSet from, ZoneId to) const;
  static Usd cpu(CpuSeconds work, const Node& node) { return work * node.cpu_price; }
  // The work that a task takes from a node by holding cores for that span, whatever it was expected to need.
  static CpuSeconds work(Cores held, Duration span, const Node& node) {
    return CpuSeconds(std::max(held.value(), least_cores) * to_seconds(span) * node.speed);
  }
  static Usd storage(Mebibytes size, const DataStore& store, Duration span) { return size * (store.price * span); }
  std::size_t zones() const { return transfer_.size(); }

 private:
  std::vector<std::vector<UsdPerMebibyte>> transfer_;
};

// The same price between any two different zones.
CostModel uniform_costs(std::size_t zones, UsdPerMebibyte across_zones);

}  // namespace lips
