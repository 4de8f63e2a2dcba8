#include "kubernetes/data/block_ranges.h"

#include <algorithm>
#include <charconv>

namespace lips::kubernetes {
namespace {

bool read_number(std::string_view& text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number >= BlockRanges::most_blocks) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

BlockRanges BlockRanges::all(std::uint32_t blocks) {
  BlockRanges result;
  if (blocks > 0) result.ranges_.push_back({0, blocks - 1});
  return result;
}

BlockRanges BlockRanges::one(std::uint32_t block) {
  BlockRanges result;
  result.ranges_.push_back({block, block});
  return result;
}

Result<BlockRanges> BlockRanges::parse(std::string_view text) {
  const std::string found(text);
  BlockRanges result;
  while (!text.empty()) {
    Range range;
    bool good = read_number(text, range.first);
    range.last = range.first;
    if (good && text.starts_with('-')) {
      text.remove_prefix(1);
      good = read_number(text, range.last) && range.first <= range.last;
    }
    if (good && !text.empty()) {
      good = text.starts_with(',') && text.size() > 1;
      text.remove_prefix(1);
    }
    if (!good)
      return fail(ErrorCode::invalid_input, "found '" + found.substr(0, 60) +
                                                "'; allowed: block numbers below a million and ranges, as in 0-99,105");
    result.add(range);
  }
  return result;
}

std::string BlockRanges::text() const {
  std::string result;
  for (const Range& range : ranges_) {
    if (!result.empty()) result += ',';
    result += std::to_string(range.first);
    if (range.last != range.first) result += '-' + std::to_string(range.last);
  }
  return result;
}

std::uint32_t BlockRanges::count() const {
  std::uint32_t sum = 0;
  for (const Range& range : ranges_) sum += range.last - range.first + 1;
  return sum;
}

bool BlockRanges::contains(std::uint32_t block) const {
  auto place = std::upper_bound(ranges_.begin(), ranges_.end(), block,
                                [](std::uint32_t number, const Range& range) { return number < range.first; });
  return place != ranges_.begin() && std::prev(place)->last >= block;
}

bool BlockRanges::contains(const BlockRanges& other) const { return intersection(other) == other; }

void BlockRanges::add(Range range) {
  auto from = std::lower_bound(ranges_.begin(), ranges_.end(), range.first,
                               [](const Range& own, std::uint32_t first) { return own.last + 1 < first; });
  auto to = from;
  for (; to != ranges_.end() && to->first <= range.last + 1; ++to) {
    range.first = std::min(range.first, to->first);
    range.last = std::max(range.last, to->last);
  }
  ranges_.insert(ranges_.erase(from, to), range);
}

void BlockRanges::add(const BlockRanges& other) {
  for (const Range& range : other.ranges_) add(range);
}

void BlockRanges::remove(const BlockRanges& other) {
  std::vector<Range> left;
  auto gap = other.ranges_.begin();
  for (Range range : ranges_) {
    while (gap != other.ranges_.end() && gap->last < range.first) ++gap;
    bool consumed = false;
    for (auto cut = gap; cut != other.ranges_.end() && cut->first <= range.last; ++cut) {
      if (cut->first > range.first) left.push_back({range.first, cut->first - 1});
      consumed = cut->last >= range.last;
      if (consumed) break;
      range.first = cut->last + 1;
    }
    if (!consumed) left.push_back(range);
  }
  ranges_ = std::move(left);
}

BlockRanges BlockRanges::intersection(const BlockRanges& other) const {
  BlockRanges missing = *this, result = *this;
  missing.remove(other);
  result.remove(missing);
  return result;
}

std::vector<std::uint32_t> BlockRanges::blocks() const {
  std::vector<std::uint32_t> result;
  result.reserve(count());
  for (const Range& range : ranges_)
    for (std::uint32_t block = range.first; block <= range.last; ++block) result.push_back(block);
  return result;
}

}  // namespace lips::kubernetes
