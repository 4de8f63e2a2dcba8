// Finds a known commodity by what rows of the model tell commodities apart by. Knows none of that itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "policies/lips/market/ids.h"

namespace lips {

// Spreads the costs and demands of one snapshot's commodities over 64 bits.
class CommodityHash {
 public:
  void mix(std::uint64_t bits) {
    hash_ = (hash_ ^ bits) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 32;
  }
  void mix(double value) { mix(std::bit_cast<std::uint64_t>(value)); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

// Commodities by hash: open addressing, at most half full.
class CommodityTable {
 public:
  // The one with that hash that `same` accepts, or `fresh`, which is then known.
  template <class Same>
  CommodityId find_or_add(std::uint64_t hash, CommodityId fresh, Same same) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    std::size_t at = hash & (entries_.size() - 1);
    for (; entries_[at].id.valid(); at = (at + 1) & (entries_.size() - 1))
      if (entries_[at].hash == hash && same(entries_[at].id)) return entries_[at].id;
    entries_[at] = {hash, fresh};
    ++count_;
    return fresh;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    CommodityId id;
  };
  void grow() {
    std::vector<Entry> before(std::max<std::size_t>(64, 4 * entries_.size()));
    before.swap(entries_);
    for (const Entry& entry : before) {
      if (!entry.id.valid()) continue;
      std::size_t at = entry.hash & (entries_.size() - 1);
      while (entries_[at].id.valid()) at = (at + 1) & (entries_.size() - 1);
      entries_[at] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace lips
