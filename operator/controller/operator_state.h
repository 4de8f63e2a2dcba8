// Says what the operator does now: whether it decides and, if not, why. One value, from which /readyz, a metric, the
// log and `lips status` are made. Reads no clock and asks nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/units.h"
#include "model/pod_mode.h"

namespace lips {

// The first that holds counts; from mode_differs on it decides.
enum class Doing : std::uint8_t {
  stopping,
  unreachable,      // the API server does not answer
  awaits,           // something is not known without which nothing may be planned
  stands_by,        // another replica leads, or none
  plans_refused,    // the policy's plans fail their checks
  mode_differs,     // the configuration or the chart says another mode than this process runs with
  moves_suspended,  // the API server's store went back: no data is moved or dropped until a person has looked
  writes_stopped,   // one object was written again and again
  watches,          // of other schedulers' pods nothing is written
  decides
};
inline constexpr EnumArray<Doing, std::string_view> doing_names{
    "stopping",     "server-unreachable", "awaits-lists",   "stands-by", "plans-refused",
    "mode-differs", "moves-suspended",    "writes-stopped", "watches",   "decides"};

// A kind of object, or another source, that cannot be read.
struct Lack {
  std::string what, why;
  TimePoint since;
  friend bool operator==(const Lack&, const Lack&) = default;
};

struct OperatorFacts {
  bool stopping = false;
  std::optional<Lack> unreachable;
  bool awaits = false;         // nothing may be planned
  std::vector<Lack> awaited;   // that have lasted: without them nothing is planned
  std::vector<Lack> degraded;  // plans do without these
  bool leads = false;
  std::string leader;         // empty: nobody is known to lead
  std::string lease_trouble;  // why the lease cannot be renewed
  std::string plans_refused;  // why the last plan was
  PodMode mode = PodMode::watch;
  std::string other_mode;       // who says another one, and which
  std::string moves_suspended;  // why; empty: they are not
  std::string stopped_write;    // the last one
};

struct OperatorState {
  Doing doing = Doing::awaits;
  std::string why;
  TimePoint since;
  std::vector<Lack> awaited, degraded;
  std::string leader;

  bool decides() const { return doing >= Doing::mode_differs; }
  // It does its work, or could take over at once.
  bool ready() const { return doing >= Doing::stands_by; }
  // "stands-by: lips-0 leads; degraded: datasets.lips.dev: ..."
  std::string words() const;
  friend bool operator==(const OperatorState&, const OperatorState&) = default;
};

// `before`: the state until now; none: there was none.
OperatorState state_of(const OperatorFacts& facts, const OperatorState* before, TimePoint now);
// False: only words differ, such as what a server says of the same trouble.
bool is_change(const OperatorState& before, const OperatorState& now);

}  // namespace lips
