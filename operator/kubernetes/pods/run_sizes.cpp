#include "kubernetes/pods/run_sizes.h"

#include <algorithm>
#include <utility>

namespace lips::kubernetes {

void RunSizes::runs(const std::string& uid, const Run& of, bool driver) {
  if (!run_of_.emplace(uid, of.run).second) return;
  Open& open = open_[of.run];
  open.of = of;
  (driver ? open.drivers : open.workers).insert(uid);
  open.most = std::max(open.most, static_cast<std::uint32_t>(open.workers.size()));
}

std::optional<RunSizes::Ended> RunSizes::ended(const std::string& uid) {
  const auto run = run_of_.extract(uid);
  if (run.empty()) return std::nullopt;
  const auto open = open_.find(run.mapped());
  open->second.workers.erase(uid);
  open->second.drivers.erase(uid);
  if (!open->second.workers.empty() || !open->second.drivers.empty()) return std::nullopt;
  Ended ended{std::move(open->second.of), open->second.most};
  open_.erase(open);
  return ended.workers > 0 ? std::optional(std::move(ended)) : std::nullopt;
}

}  // namespace lips::kubernetes
