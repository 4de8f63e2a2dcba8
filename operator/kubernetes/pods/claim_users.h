// Which pods use which claims: only one pod at a time may use a ReadWriteOncePod claim. A pod of ours uses its claims
// as soon as it may be placed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

class ClaimUsers {
 public:
  void use(const ObjectMeta& pod, const std::vector<std::string>& claims);
  void leave(const ObjectMeta& pod);
  // Another pod that uses the claim; empty: none.
  std::string other_user(const ObjectMeta& pod, const std::string& claim) const;
  // Says whether a pod has left since the last call.
  bool take_left() { return std::exchange(left_, false); }

 private:
  std::map<std::string, std::set<std::string>> users_;         // by claim; all by namespace/name
  std::map<std::string, std::vector<std::string>> claims_of_;  // by pod
  bool left_ = false;
};

}  // namespace lips::kubernetes
