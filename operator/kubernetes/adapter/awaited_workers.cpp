#include "kubernetes/adapter/awaited_workers.h"

#include <utility>

namespace lips::kubernetes {

// With dynamic allocation some workers may come, and go again.
void AwaitedWorkers::review(const std::vector<AwaitedApplication>& applications, TimePoint now) {
  const std::set<std::string> before = std::exchange(settled_, {});
  std::erase_if(in_vain_until_, [&](const auto& entry) { return now >= entry.second; });
  for (const AwaitedApplication& application : applications) {
    if (application.announced == 0) continue;
    const bool came = application.here >= application.announced, late = now - application.since >= patience;
    const bool settled = before.contains(application.key);
    if (came) in_vain_until_.erase(application.name_space);
    if (!settled && late && 2 * application.here < application.announced)
      in_vain_until_[application.name_space] = now + mistrust;
    if (settled || came || late) settled_.insert(application.key);
  }
  const std::set<std::string> named = std::exchange(named_, {});
  for (const AwaitedApplication& application : applications) {
    if (application.announced == 0 || application.here > 0 || !in_vain(application.name_space)) continue;
    if (!named.contains(application.key)) mistrusted_.push_back(application.key);
    named_.insert(application.key);
  }
}

}  // namespace lips::kubernetes
