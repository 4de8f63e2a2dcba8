// Merges units of nearly equal costs where there are too many of them, and deals what the coarse program decides to the
// true ones. Knows no program.
#pragma once

#include <vector>

#include "policies/lips/amounts.h"
#include "policies/lips/units.h"

namespace lips {

// Into one go units of equal eligibility, request, pool and zones whose prices of reading elsewhere are alike.
class Coarsening {
 public:
  explicit Coarsening(const Units& units);
  const Units& units() const { return coarse_; }
  // Each coarse amount to its members one after the other, those dearest to leave out first.
  Amounts deal(const Amounts& coarse) const;

 private:
  void price_overflow(std::size_t g);

  const Units& units_;
  Units coarse_;
  std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace lips
