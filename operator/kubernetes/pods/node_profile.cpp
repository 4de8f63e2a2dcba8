// The view of a node by filters and plans, notice that it is about to go included.
#include <algorithm>
#include <string>
#include <utility>

#include "kubernetes/pods/filters/filter.h"
#include "kubernetes/pods/notice.h"
#include "model/leaving.h"

namespace lips::kubernetes {

NodeProfile profile_of(const Node& node) {
  NodeProfile profile;
  profile.labels = node.labels;
  profile.labels.emplace_back(node_name_key, node.meta.name);
  std::sort(profile.labels.begin(), profile.labels.end());
  profile.taints = node.taints;
  if (std::string notice = notice_of(node); !notice.empty())
    profile.taints.push_back({leaving_taint, std::move(notice), "NoSchedule"});
  std::sort(profile.taints.begin(), profile.taints.end());
  return profile;
}

}  // namespace lips::kubernetes
