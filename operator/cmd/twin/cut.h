// A part of a journal, by its epochs or by time, written as a journal of its own. Reads no options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "base/units.h"

namespace lips::cmd {

// The number of an epoch, a time since the first record, or a time on the clock.
using CutPoint = std::variant<std::uint64_t, Duration, TimePoint>;
Result<CutPoint> parse_cut_point(const std::string& option, const std::string& text);

struct Cut {
  std::string journal, output;
  std::optional<CutPoint> from, to;  // both belong to it; none: from the first, to the last
  bool names_replaced = false;
  std::function<void(std::size_t done, std::size_t all)> at;
};
struct CutDone {
  std::size_t records = 0;
  std::uint64_t first = 0, last = 0;  // epochs
  std::size_t without_digest = 0;     // records whose plan this program does not make again, so nobody can check it
  std::string cut_off;                // of the journal: where it ends in the middle of a record
};
Result<CutDone> cut_journal(const Cut& cut);

}  // namespace lips::cmd
