// Who pays for the copies of an input that several tasks read. An input that enters a zone pays at least the cheapest
// last hop once, and whoever reads it there may share that. Shares of its readers that sum to one in each zone are
// multipliers of the program in which a block is copied to a zone if any task reads it there: the bound holds at any
// of them. Storage of copies is left out, which only lowers it.
#pragma once

#include <cstddef>
#include <vector>

#include "bounds/relaxed_run.h"

namespace lips {

// By reader and zone: USD that it saves if it reads there for nothing, beside its cheapest other zone.
using ReadingThere = std::vector<std::vector<double>>;

class CopyShares {
 public:
  explicit CopyShares(const RelaxedRun& run);  // outlives it; all tasks pay the same everywhere

  // USD that one such task pays for its input in that zone.
  double transfer(const AlikeMap& map, std::size_t zone) const {
    const double usd = run_.transfer(map, zone);
    return map.reader == no_reader ? usd : usd * shares_[map.reader][zone];
  }
  // Moves that part of the way to shares by what the readers save: then either all can pay, or nobody wants the copy.
  void approach(const ReadingThere& saves, double part);

 private:
  const RelaxedRun& run_;
  std::vector<std::vector<double>> shares_;  // of one task, by reader and zone
};

}  // namespace lips
