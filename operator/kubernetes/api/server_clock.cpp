#include "kubernetes/api/server_clock.h"

#include <algorithm>

namespace lips::kubernetes {

void ServerClock::note(const DatedAnswer& answer) {
  const Span span{answer.received, answer.date - answer.received, answer.date + resolution - answer.sent};
  const auto second = [](const Span& of) { return std::chrono::floor<std::chrono::seconds>(of.received); };
  auto place = spans_.end();  // two clients may tell of their answers in another order
  while (place != spans_.begin() && second(*std::prev(place)) > second(span)) --place;
  if (place == spans_.begin() || second(*std::prev(place)) != second(span))
    spans_.insert(place, span);
  else if (Span& known = *std::prev(place); span.most - span.least < known.most - known.least)
    known = span;
  while (spans_.back().received - spans_.front().received > remembers) spans_.pop_front();
}

// The middle of the differences that most spans allow (Marzullo's algorithm); of several, of the highest.
std::optional<Duration> ServerClock::most_allowed() const {
  std::optional<Duration> best;
  std::size_t most = 0;
  for (const Span& each : spans_) {
    std::size_t allow = 0;
    Duration end = each.most;
    for (const Span& other : spans_) {
      if (!other.allows(each.least)) continue;
      ++allow;
      end = std::min(end, other.most);
    }
    if (allow <= most) continue;
    most = allow;
    best = each.least + (end - each.least) / 2;
  }
  return best;
}

std::optional<Duration> ServerClock::ahead() const { return most_allowed(); }

std::optional<Duration> ServerClock::differs() const {
  if (std::any_of(spans_.rbegin(), spans_.rend(), [](const Span& span) { return span.allows_none(); }))
    return std::nullopt;
  return most_allowed();
}

}  // namespace lips::kubernetes
