#include "cmd/service/state_facts.h"

#include <fmt/format.h>

#include <utility>

namespace lips::cmd {
namespace {

void note(std::optional<Lack>& lack, const char* what, std::string why, TimePoint now) {
  if (why.empty())
    lack.reset();
  else
    lack = Lack{what, std::move(why), lack ? lack->since : now};
}

}  // namespace

StateFacts::StateFacts(PodMode mode, const std::string& chart)
    : mode_(mode),
      chart_(chart.empty() || chart == to_string(mode) ? ""
                                                       : fmt::format("the chart was installed for mode {}", chart)) {}

void StateFacts::planned(const std::string& why) {
  const std::lock_guard lock(mutex_);
  refused_ = why;
}

void StateFacts::configured(PodMode mode) {
  const std::lock_guard lock(mutex_);
  other_mode_ =
      mode == mode_ ? "" : fmt::format("the configuration says mode {}, which needs a restart", to_string(mode));
}

void StateFacts::read_prices(const std::string& why, TimePoint now) {
  const std::lock_guard lock(mutex_);
  note(prices_, "prices.metrics", why.empty() ? "" : "the last prices stay in force (" + why + ")", now);
}

void StateFacts::write_journal(const std::string& why, TimePoint now) {
  const std::lock_guard lock(mutex_);
  note(journal_, "journal", why.empty() ? "" : "decisions are not recorded (" + why + ")", now);
}

void StateFacts::add_to(OperatorFacts& facts) const {
  const std::lock_guard lock(mutex_);
  facts.plans_refused = refused_;
  facts.other_mode = other_mode_.empty() ? chart_ : other_mode_;
  for (const auto* lack : {&prices_, &journal_})
    if (*lack) facts.degraded.push_back(**lack);
}

}  // namespace lips::cmd
