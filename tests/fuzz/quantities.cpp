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

void read_ours(std::string_view input) {
  if (const auto span = parse_duration(input)) FUZZ_CHECK(*span >= Duration(0) && *span <= longest_duration);
  if (const auto size = parse_size(input)) FUZZ_CHECK(in_range(*size));
  if (const auto bandwidth = parse_bandwidth(input)) FUZZ_CHECK(in_range(*bandwidth));
  (void)parse_amount(input, "USD/h");
  (void)parse_number(input);
}

void read_theirs(std::string_view input) {
  if (const auto quantity = parse_quantity(input)) {
    FUZZ_CHECK(quantity->nanos > -1'000'000'000 && quantity->nanos < 1'000'000'000);
    FUZZ_CHECK(quantity->whole <= 0 || quantity->milli() > 0);
    FUZZ_CHECK(quantity->whole <= 0 || quantity->units() >= quantity->whole);
  }
  if (const auto time = parse_time(input)) {
    const auto again = parse_time(micro_time_text(*time));
    FUZZ_CHECK(again && *again == *time);
    (void)time_text(*time);
  }
  if (const auto ranges = BlockRanges::parse(input)) {
    const auto again = BlockRanges::parse(ranges->text());
    FUZZ_CHECK(again && *again == *ranges);
    FUZZ_CHECK(ranges->count() == ranges->blocks().size());
  }
  (void)decode_base64(std::string(input));
}

}  // namespace

FUZZ_TARGET(quantities, bytes) {
  if (input.size() > 200) return;
  read_ours(input);
  read_theirs(input);
}

}  // namespace lips::kubernetes
