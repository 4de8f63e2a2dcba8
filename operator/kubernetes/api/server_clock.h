// The lead of the API server's clock over the operator's, from the dates of its answers: each was made after the
// request was sent and before the answer came, and is cut to a whole second. The estimate is what most of many such
// spans allow. Reads no clock.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/units.h"

namespace lips::kubernetes {

class ServerClock {
 public:
  static constexpr Duration tolerance{5'000'000};   // of a difference
  static constexpr Duration remembers{60'000'000};  // an answer; so long a difference lasts before it counts
  static constexpr Duration resolution{1'000'000};  // of a date

  // The first two by the operator's clock, which does not jump.
  struct DatedAnswer {
    TimePoint sent, received, date;
  };
  void note(const DatedAnswer& answer);

  // By the last answers; none: there was no date.
  std::optional<Duration> ahead() const;
  // The same, if no answer of the last minute allows that it is less than `tolerance` from zero; none: it is near
  // enough, or it is not known, or other answers said otherwise a moment ago.
  std::optional<Duration> differs() const;

 private:
  // The server's clock is ahead by more than `least` and less than `most`.
  struct Span {
    TimePoint received;
    Duration least{}, most{};
    bool allows(Duration ahead) const { return least <= ahead && ahead <= most; }
    bool allows_none() const { return least <= tolerance && -tolerance <= most; }
  };
  std::optional<Duration> most_allowed() const;

  std::deque<Span> spans_;  // at most one of each second, by when it was received
};

}  // namespace lips::kubernetes
