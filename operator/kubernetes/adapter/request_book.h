// The requests of the last minutes: how many there were, since when none is answered, which writes the governor
// stopped, for which no right is there. Reads no clock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "controller/adapter_status.h"
#include "controller/operator_state.h"

namespace lips::kubernetes {

class RequestBook {
 public:
  static constexpr Duration writes_stop_for{120'000'000};  // see WriteGovernor

  // `silence`: the API server counts as unreachable after so long without an answer.
  explicit RequestBook(Duration silence) : silence_(silence) {}

  void tried(int http_code, TimePoint now);  // 0: no answer
  void stopped(const std::string& write, TimePoint now);
  // Writes are tried again within five minutes (MissingRights), so that a refusal is forgotten after twice as long.
  void lacks_right(const std::string& right, const std::string& why, TimePoint now);
  void has_right(const std::string& right);
  bool lacks_any() const;
  // True: since the last call the API server has answered again, after it had been unreachable.
  bool take_end_of_silence() { return std::exchange(silence_ended_, false); }

  struct Seen {
    std::optional<TimePoint> unanswered_since;   // nothing has been answered since then, for long enough
    std::optional<TimePoint> answered;           // last
    std::uint64_t requests = 0, unanswered = 0;  // in the last minute
    std::vector<StoppedWrite> stopped;           // that are still stopped, the last one first
    std::vector<Lack> rights;                    // that have been missing for long enough
  };
  Seen seen(TimePoint now) const;

 private:
  static constexpr std::size_t seconds = 60, most_stopped = 100, most_rights = 100;
  static constexpr Duration refusals_count_for{600'000'000};
  struct Refused {
    Lack lack;
    TimePoint last{};
  };
  struct Second {
    std::int64_t at = -1;
    std::uint64_t requests = 0, unanswered = 0;
  };
  const Duration silence_;
  std::array<Second, seconds> minute_{};
  std::optional<TimePoint> unanswered_since_, answered_;
  bool silence_ended_ = false;
  std::map<std::string, TimePoint> stopped_;
  std::map<std::string, Refused> rights_;
};

}  // namespace lips::kubernetes
