#include "model/stripe.h"

#include <algorithm>

namespace lips {

namespace {
std::uint32_t natives_of(const DataSet& data_set) { return static_cast<std::uint32_t>(data_set.code.k); }
std::uint32_t parities_of(const DataSet& data_set) {
  return static_cast<std::uint32_t>(data_set.code.n - data_set.code.k);
}
std::uint32_t first_parity_of(const DataSet& data_set) { return data_set.first_block.index() + data_set.blocks; }
}  // namespace

std::uint32_t stripe_count(const DataSet& data_set) {
  return is_coded(data_set) ? (data_set.blocks + natives_of(data_set) - 1) / natives_of(data_set) : 0;
}

std::uint32_t parity_blocks(const DataSet& data_set) {
  return is_coded(data_set) ? stripe_count(data_set) * parities_of(data_set) : 0;
}

bool is_parity(const DataSet& data_set, BlockId block) {
  return is_coded(data_set) && block.index() >= first_parity_of(data_set);
}

Stripe stripe_at(const DataSet& data_set, std::uint32_t index) {
  const std::uint32_t k = natives_of(data_set);
  Stripe stripe;
  stripe.natives = std::min(k, data_set.blocks - index * k);
  stripe.parities = parities_of(data_set);
  stripe.first_native = BlockId(data_set.first_block.index() + index * k);
  stripe.first_parity = BlockId(first_parity_of(data_set) + index * stripe.parities);
  return stripe;
}

Stripe stripe_of(const DataSet& data_set, BlockId block) {
  return stripe_at(data_set, is_parity(data_set, block)
                                 ? (block.index() - first_parity_of(data_set)) / parities_of(data_set)
                                 : (block.index() - data_set.first_block.index()) / natives_of(data_set));
}

std::uint32_t code_row(const DataSet& data_set, BlockId block) {
  if (!is_parity(data_set, block)) return (block.index() - data_set.first_block.index()) % natives_of(data_set);
  return natives_of(data_set) + (block.index() - first_parity_of(data_set)) % parities_of(data_set);
}

}  // namespace lips
