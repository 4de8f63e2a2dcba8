// The room that ResourceQuotas of namespaces leave for pods that their owners have not made yet. Knows no pod.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct ResourceQuota {
  ObjectMeta meta;
  ResourceAmounts hard, used;  // of its status; of pods' requests, without the prefix "requests."
  bool scoped = false;         // it is for some pods only
};
using ResourceQuotaDecoder = ObjectDecoder<ResourceQuota>;

class Quotas {
 public:
  void update(ResourceQuota quota);
  void forget(const ObjectMeta& meta);
  // They have been listed, or cannot be.
  void settle() { settled_ = true; }
  bool settled() const { return settled_; }

  // The part that pods to come use up, beside pods that are there.
  class Room {
   public:
    explicit Room(const Quotas& quotas) : quotas_(quotas) {}
    // So many of `count` pods with these requests, for which there is room. They use it up. A quota with scopes does not
    // count.
    std::int64_t take(const std::string& name_space, const ResourceAmounts& requests, std::int64_t count);

   private:
    const Quotas& quotas_;
    std::map<std::string, ResourceAmounts> taken_;  // by namespace
  };

 private:
  std::map<std::string, std::map<std::string, ResourceQuota>> quotas_;  // by namespace and name
  bool settled_ = false;
};

}  // namespace lips::kubernetes
