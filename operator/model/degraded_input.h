// The input of a degraded task as one line of text: the row of the code that it wants, and where the k rows lie from
// which to decode it. The operator writes it to lips.dev/input of a pod; the decoder reads it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

struct DegradedInput {
  ErasureCode code;
  std::uint32_t natives = 0;  // in the stripe: rows from here to k - 1 are zeros and stored nowhere
  std::uint32_t row = 0;      // wanted
  std::uint64_t bytes = 0;    // of the wanted block
  std::vector<std::pair<std::uint32_t, std::string>> sources;  // row, and its path or URL
  friend bool operator==(const DegradedInput&, const DegradedInput&);
};

// `location` says where a reader on the assignment's node finds a block's replica.
using SourceLocation = std::function<std::string(BlockId, StoreId)>;
DegradedInput degraded_input(const ClusterSnapshot& cluster, const Assignment& assignment,
                             const SourceLocation& location);

// "degraded:code=12,9;natives=9;row=4;bytes=134217728;0=/data/a/0;2=http://node-7/a/2;..."; in locations '%' and ';'
// are written %25 and %3B.
std::string format_degraded_input(const DegradedInput& input);
bool is_degraded_input(std::string_view text);
Result<DegradedInput> parse_degraded_input(std::string_view text);

}  // namespace lips
