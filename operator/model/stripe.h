// Stripes of erasure-coded data sets as plain arithmetic on block ids. Knows no replica and no cluster.
#pragma once

#include <cstdint>

#include "model/data.h"

namespace lips {

// A coded data set's `blocks` native blocks are followed directly by its parity blocks, n - k for each k native ones.
// The last stripe may have fewer native blocks; the missing ones count as blocks of zeros that nobody has to read.
struct Stripe {
  BlockId first_native, first_parity;
  std::uint32_t natives = 0, parities = 0;

  std::uint32_t size() const { return natives + parities; }
  // Native blocks come first.
  BlockId block(std::uint32_t member) const {
    return member < natives ? BlockId(first_native.index() + member) : BlockId(first_parity.index() + member - natives);
  }
};

inline bool is_coded(const DataSet& data_set) { return data_set.code.n > 0; }
std::uint32_t stripe_count(const DataSet& data_set);
std::uint32_t parity_blocks(const DataSet& data_set);
bool is_parity(const DataSet& data_set, BlockId block);
Stripe stripe_at(const DataSet& data_set, std::uint32_t index);
// The stripe of a block of a coded data set.
Stripe stripe_of(const DataSet& data_set, BlockId block);
// Row of the block in the code's generator matrix: 0 to k - 1 for native blocks, k to n - 1 for parity blocks.
std::uint32_t code_row(const DataSet& data_set, BlockId block);

}  // namespace lips
