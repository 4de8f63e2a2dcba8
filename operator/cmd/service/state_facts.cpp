#include "cmd/service/state_facts.h"

#include <fmt/format.h>

namespace lips::cmd {

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
  if (why.empty())
    prices_.reset();
  else
    prices_ = Lack{"prices.metrics", "the last prices stay in force (" + why + ")", prices_ ? prices_->since : now};
}

void StateFacts::add_to(OperatorFacts& facts) const {
  const std::lock_guard lock(mutex_);
  facts.plans_refused = refused_;
  facts.other_mode = other_mode_.empty() ? chart_ : other_mode_;
  if (prices_) facts.degraded.push_back(*prices_);
}

}  // namespace lips::cmd
