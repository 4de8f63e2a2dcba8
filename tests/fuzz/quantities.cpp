// Text with units: ours and Kubernetes', times, ranges of blocks, base64.
#include "config/quantities.h"

#include "config/ranges.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/api/quantity.h"
#include "kubernetes/api/time_text.h"
#include "kubernetes/data/block_ranges.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

namespace {

bool read_ours(std::string_view input) {
  const auto span = parse_duration(input);
  if (span) FUZZ_CHECK(*span >= Duration(0) && *span <= longest_duration);
  const auto size = parse_size(input);
  if (size) FUZZ_CHECK(in_range(*size));
  const auto bandwidth = parse_bandwidth(input);
  if (bandwidth) FUZZ_CHECK(in_range(*bandwidth));
  return parse_amount(input, "USD/h") || parse_number(input) || span || size || bandwidth;
}

bool read_theirs(std::string_view input) {
  const auto quantity = parse_quantity(input);
  if (quantity) {
    FUZZ_CHECK(quantity->nanos > -1'000'000'000 && quantity->nanos < 1'000'000'000);
    FUZZ_CHECK(quantity->whole <= 0 || quantity->milli() > 0);
    FUZZ_CHECK(quantity->whole <= 0 || quantity->units() >= quantity->whole);
  }
  const auto time = parse_time(input);
  if (time) {
    const auto again = parse_time(micro_time_text(*time));
    FUZZ_CHECK(again && *again == *time);
    (void)time_text(*time);
  }
  const auto ranges = BlockRanges::parse(input);
  if (ranges) {
    const auto again = BlockRanges::parse(ranges->text());
    FUZZ_CHECK(again && *again == *ranges);
    FUZZ_CHECK(ranges->count() == ranges->blocks().size());
  }
  (void)decode_base64(std::string(input));
  return quantity || time || ranges;
}

}  // namespace

FUZZ_TARGET(quantities, bytes) {
  if (input.size() > 200) return false;
  const bool ours = read_ours(input);
  return read_theirs(input) || ours;
}

}  // namespace lips::kubernetes
