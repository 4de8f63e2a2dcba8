#include "kubernetes/pods/claim_users.h"

namespace lips::kubernetes {

void ClaimUsers::use(const ObjectMeta& pod, const std::vector<std::string>& claims) {
  if (claims.empty()) return;
  const std::string name = full_name(pod);
  std::vector<std::string>& used = claims_of_[name];
  if (!used.empty()) return;  // a pod's claims never change
  for (const std::string& claim : claims) {
    used.push_back(pod.name_space + '/' + claim);
    users_[used.back()].insert(name);
  }
}

void ClaimUsers::leave(const ObjectMeta& pod) {
  const auto used = claims_of_.find(full_name(pod));
  if (used == claims_of_.end()) return;
  for (const std::string& claim : used->second) {
    const auto users = users_.find(claim);
    if (users == users_.end()) continue;
    users->second.erase(used->first);
    if (users->second.empty()) users_.erase(users);
  }
  claims_of_.erase(used);
  left_ = true;
}

std::string ClaimUsers::other_user(const ObjectMeta& pod, const std::string& claim) const {
  const auto users = users_.find(pod.name_space + '/' + claim);
  if (users == users_.end()) return "";
  const std::string name = full_name(pod);
  for (const std::string& user : users->second)
    if (user != name) return user;
  return "";
}

}  // namespace lips::kubernetes
