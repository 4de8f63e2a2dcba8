#include "kubernetes/pods/pod_groups.h"

namespace lips::kubernetes {

void PodGroups::update(PodGroup group) {
  ++version_;
  std::string name = full_name(group.meta);
  groups_.insert_or_assign(std::move(name), std::move(group));
}

void PodGroups::forget(const ObjectMeta& meta) { version_ += groups_.erase(full_name(meta)); }

void PodGroups::set_trouble(std::string why) {
  if (why == trouble_) return;
  trouble_ = std::move(why);
  ++version_;
}

const PodGroup* PodGroups::find(const std::string& name_space, const std::string& name) const {
  const auto group = groups_.find(name_space + '/' + name);
  return group == groups_.end() ? nullptr : &group->second;
}

std::string PodGroups::why_missing(const std::string& name) const {
  return trouble_.empty() ? "PodGroup '" + name + "' does not exist yet" : "PodGroups cannot be listed: " + trouble_;
}

}  // namespace lips::kubernetes
