#include "kubernetes/adapter/readiness.h"

#include <algorithm>
#include <utility>

namespace lips::kubernetes {

// Whoever led before may have bound what our watches have not brought yet, and so may this copy itself, by requests
// that nobody answered.
bool Readiness::review() {
  const bool leads = !rules_.leads || rules_.leads();
  const std::uint64_t reign = rules_.reign ? rules_.reign() : reign_;
  const bool began = leads && rules_.leads && (!leads_ || reign != reign_);
  if (began) {
    asked_ = rules_.relist();
    log_.info("leading: scheduling from now on");
  }
  if (!leads && leads_) log_.info("standby: another replica holds the lease");
  leads_ = leads;
  reign_ = reign;
  return began || !leads;
}

bool Readiness::heard(const Listed& listed) {
  const auto kind = static_cast<std::size_t>(listed.kind);
  served_[kind] = std::max(served_[kind], listed.request);
  return !std::exchange(listed_[kind], true) && listed_once();
}

bool Readiness::listed_once() const {
  return std::all_of(listed_.begin(), listed_.end(), [](bool listed) { return listed; });
}

bool Readiness::knows_all() const {
  const auto anew = [this](Followed kind) { return served_[static_cast<std::size_t>(kind)] >= asked_; };
  return listed_once() && anew(Followed::pods) && anew(Followed::nodes);
}

}  // namespace lips::kubernetes
