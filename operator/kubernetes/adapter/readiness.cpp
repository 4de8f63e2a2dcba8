#include "kubernetes/adapter/readiness.h"

#include <algorithm>
#include <utility>

namespace lips::kubernetes {

// A previous leader may have bound pods that our watches have not shown yet; so may this replica itself, by requests
// without an answer.
bool Readiness::review() {
  const bool leads = !rules_.leads || rules_.leads();
  const std::uint64_t times_elected = rules_.times_elected ? rules_.times_elected() : times_elected_;
  const bool began = leads && rules_.leads && (!leads_ || times_elected != times_elected_);
  if (began) requested_list_ = rules_.relist();
  leads_ = leads;
  times_elected_ = times_elected;
  return began || !leads;
}

bool Readiness::handle(const Listed& listed) {
  served_[listed.kind] = std::max(served_[listed.kind], listed.request);
  return !std::exchange(listed_[listed.kind], true) && is_needed(listed.kind) && listed_once();
}

bool Readiness::listed_once() const {
  for (const WatchedKind kind : enumerators<WatchedKind>)
    if (is_needed(kind) && !listed_[kind]) return false;
  return true;
}

bool Readiness::has_synced() const {
  const auto anew = [this](WatchedKind kind) { return served_[kind] >= requested_list_; };
  return listed_once() && anew(WatchedKind::pods) && anew(WatchedKind::nodes);
}

}  // namespace lips::kubernetes
