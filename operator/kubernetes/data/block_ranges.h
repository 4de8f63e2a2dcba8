// Sets of block numbers as people and statuses write them: "0-99,105". Knows no data set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lips::kubernetes {

class BlockRanges {
 public:
  static constexpr std::uint32_t most_blocks = 1'000'000;

  struct Range {
    std::uint32_t first = 0, last = 0;  // both belong to it
    friend bool operator==(const Range&, const Range&) = default;
  };

  BlockRanges() = default;
  static BlockRanges all(std::uint32_t blocks);
  static BlockRanges one(std::uint32_t block);
  // Empty text: no block. Ranges may come in any order and touch.
  static Result<BlockRanges> parse(std::string_view text);
  std::string text() const;

  bool empty() const { return ranges_.empty(); }
  std::uint32_t count() const;
  bool contains(std::uint32_t block) const;
  bool contains(const BlockRanges& other) const;
  std::uint32_t end() const { return ranges_.empty() ? 0 : ranges_.back().last + 1; }  // one beyond the largest
  void add(std::uint32_t block) { add(Range{block, block}); }
  void add(Range range);
  void add(const BlockRanges& other);
  void remove(const BlockRanges& other);
  BlockRanges intersection(const BlockRanges& other) const;
  std::vector<std::uint32_t> blocks() const;
  const std::vector<Range>& ranges() const { return ranges_; }
  friend bool operator==(const BlockRanges&, const BlockRanges&) = default;

 private:
  std::vector<Range> ranges_;  // sorted, neither overlapping nor touching
};

}  // namespace lips::kubernetes
