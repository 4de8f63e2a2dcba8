// The PodGroups of the cluster. Knows no pod.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "kubernetes/pods/pod_group.h"

namespace lips::kubernetes {

class PodGroups {
 public:
  void update(PodGroup group);
  void forget(const ObjectMeta& meta);
  // Why none is known; empty: they have been listed, or nobody has asked for them.
  void set_trouble(std::string why);

  const PodGroup* find(const std::string& name_space, const std::string& name) const;
  // For a pod whose group is not there.
  std::string why_missing(const std::string& name) const;
  // Grows with every change.
  std::uint64_t version() const { return version_; }

 private:
  std::map<std::string, PodGroup> groups_;  // by namespace/name
  std::string trouble_;
  std::uint64_t version_ = 0;
};

}  // namespace lips::kubernetes
