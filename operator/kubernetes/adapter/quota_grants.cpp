#include "kubernetes/adapter/quota_grants.h"

#include <utility>

namespace lips::kubernetes {

std::int64_t QuotaGrants::grant(const std::string& name_space, const std::string& application, const PodToCome& pod,
                                std::int64_t count) {
  asked_ = true;
  forget(name_space, application);
  if (!quotas_.limits(name_space)) return count;
  Quotas::Room room(quotas_);
  if (const auto others = granted_.find(name_space); others != granted_.end())
    for (const auto& [key, other] : others->second) room.take(name_space, other.pod, other.count);
  const std::int64_t granted = room.take(name_space, pod, count);
  if (granted > 0) granted_[name_space][application] = {pod, granted};
  return granted;
}

std::vector<std::string> QuotaGrants::take_refused() {
  std::vector<std::pair<std::string, std::string>> refused;
  for (auto& [name_space, applications] : granted_)
    for (auto& [application, granted] : applications) {
      Quotas::Room room(quotas_);
      const bool none = room.take(name_space, granted.pod, 1) == 0;
      if (none && granted.refused) refused.emplace_back(name_space, application);
      granted.refused = none;
    }
  std::vector<std::string> names;
  for (const auto& [name_space, application] : refused) {
    forget(name_space, application);
    names.push_back(application);
  }
  return names;
}

void QuotaGrants::forget(const std::string& name_space, const std::string& application) {
  const auto own = granted_.find(name_space);
  if (own == granted_.end()) return;
  own->second.erase(application);
  if (own->second.empty()) granted_.erase(own);
}

std::size_t QuotaGrants::kept() const {
  std::size_t sum = 0;
  for (const auto& [name_space, applications] : granted_) sum += applications.size();
  return sum;
}

}  // namespace lips::kubernetes
