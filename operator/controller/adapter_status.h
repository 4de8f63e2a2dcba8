// The figures of an adapter that `lips status` shows beside the state: its watches, all that it holds, its requests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/units.h"

namespace lips {

struct WatchStatus {
  enum class State : std::uint8_t { listed, awaited, refused };
  std::string kind;
  State state = State::awaited;
  std::string why;                 // the server's words; empty: it has said nothing
  std::optional<TimePoint> heard;  // the last news, if only a bookmark
};
inline constexpr EnumArray<WatchStatus::State, std::string_view> watch_state_names{"listed", "awaited", "refused"};

struct StoppedWrite {
  std::string what;  // verb and path
  TimePoint at;
};

// Copies in a store that belong to no data set.
struct UnownedInStore {
  std::string store, example;  // the name; a folder of them
  std::int64_t copies = 0, bytes = 0;
  std::optional<TimePoint> since;  // when the example was first seen
};

struct AdapterStatus {
  TimePoint at;
  Duration machine_behind{};  // the machine's clock, of the time by which the operator counts
  std::vector<WatchStatus> watches;
  std::uint64_t orders = 0, bindings = 0;      // nodes asked for; pods being bound
  std::map<std::string, std::uint64_t> moves;  // by phase
  std::uint64_t drops = 0;                     // of replicas, under way
  std::uint64_t requests = 0, unanswered = 0;  // in the last minute
  std::uint64_t at_once = 0;                   // most requests in flight
  std::vector<StoppedWrite> stopped;           // by the governor, lately
  std::vector<UnownedInStore> unowned;         // the stores with most of them first
};

}  // namespace lips
