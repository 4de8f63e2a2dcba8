// The room that ResourceQuotas of namespaces leave for pods that their owners have not made yet. Knows no pod.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// A condition of a quota that is for some pods only, as the API server's admission reads it.
struct QuotaScope {
  std::string name;      // PriorityClass
  std::string relation;  // In, NotIn, Exists or DoesNotExist
  std::vector<std::string> values;
};

struct ResourceQuota {
  ObjectMeta meta;
  ResourceAmounts hard, used;      // of its status; of pods' requests, without the prefix "requests."
  std::vector<QuotaScope> scopes;  // all have to hold; empty: it is for all pods
};

// A pod as far as quotas tell one from another.
struct PodToCome {
  ResourceAmounts requests;
  std::string priority_class = {};  // empty: it names none
};
// Says whether the quota counts such a pod. One that a deadline of its own ends is not expected to come, and of scopes
// that are newer than these no pod is known to be.
bool counts(const ResourceQuota& quota, const PodToCome& pod);
using ResourceQuotaDecoder = ObjectDecoder<ResourceQuota>;

class Quotas {
 public:
  void update(ResourceQuota quota);
  void forget(const ObjectMeta& meta);
  // They have been listed, or cannot be.
  void settle() { settled_ = true; }
  bool settled() const { return settled_; }
  bool limits(const std::string& name_space) const { return quotas_.contains(name_space); }

  // The part that pods to come use up, beside pods that are there.
  class Room {
   public:
    explicit Room(const Quotas& quotas) : quotas_(quotas) {}
    // So many of `count` such pods, for which there is room. They use it up in the quotas that count them.
    std::int64_t take(const std::string& name_space, const PodToCome& pod, std::int64_t count);

   private:
    const Quotas& quotas_;
    std::map<std::pair<std::string, std::string>, ResourceAmounts> taken_;  // by namespace and name of the quota
  };

 private:
  std::map<std::string, std::map<std::string, ResourceQuota>> quotas_;  // by namespace and name
  bool settled_ = false;
};

}  // namespace lips::kubernetes
