#include "kubernetes/adapter/request_book.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

std::int64_t second_of(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

void RequestBook::tried(int http_code, TimePoint now) {
  const std::int64_t at = second_of(now);
  Second& second = minute_[static_cast<std::size_t>(at) % seconds];
  if (second.at != at) second = {at, 0, 0};
  ++second.requests;
  if (http_code != 0) {
    silence_ended_ |= unanswered_since_ && now - *unanswered_since_ >= silence_;
    answered_ = now;
    unanswered_since_.reset();
    return;
  }
  ++second.unanswered;
  if (!unanswered_since_) unanswered_since_ = now;
}

void RequestBook::stopped(const std::string& write, TimePoint now) {
  std::erase_if(stopped_, [&](const auto& known) { return now - known.second >= writes_stop_for; });
  if (stopped_.size() < most_stopped || stopped_.contains(write)) stopped_[write] = now;
}

void RequestBook::lacks_right(const std::string& right, const std::string& why, TimePoint now) {
  std::erase_if(rights_, [&](const auto& known) { return now - known.second.last >= refusals_count_for; });
  if (rights_.size() >= most_rights && !rights_.contains(right)) return;
  Refused& refused = rights_.try_emplace(right, Refused{{"right to " + right, "", now}, now}).first->second;
  refused.lack.why = why, refused.last = now;
}

void RequestBook::has_right(const std::string& right) { rights_.erase(right); }

bool RequestBook::lacks_any() const { return !rights_.empty(); }

RequestBook::Seen RequestBook::seen(TimePoint now) const {
  Seen seen;
  seen.answered = answered_;
  if (unanswered_since_ && now - *unanswered_since_ >= silence_) seen.unanswered_since = unanswered_since_;
  for (const Second& second : minute_) {
    if (second.at <= second_of(now) - static_cast<std::int64_t>(seconds)) continue;
    seen.requests += second.requests, seen.unanswered += second.unanswered;
  }
  for (const auto& [what, at] : stopped_)
    if (now - at < writes_stop_for) seen.stopped.push_back({what, at});
  for (const auto& [right, refused] : rights_)
    if (now - refused.lack.since >= silence_ && now - refused.last < refusals_count_for)
      seen.rights.push_back(refused.lack);
  std::stable_sort(seen.stopped.begin(), seen.stopped.end(),
                   [](const StoppedWrite& a, const StoppedWrite& b) { return a.at > b.at; });
  return seen;
}

}  // namespace lips::kubernetes
