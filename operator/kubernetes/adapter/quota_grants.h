// Pods that applications announce and nobody has made yet: what can never come is not waited for. Applications of a
// namespace share what its ResourceQuotas leave, those that asked first have it first. Knows no pod.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/pods/quotas.h"

namespace lips::kubernetes {

class QuotaGrants {
 public:
  explicit QuotaGrants(const Quotas& quotas) : quotas_(quotas) {}

  // So many of `count` further pods of the application can come. What it was granted before is void.
  std::int64_t grant(const std::string& name_space, const std::string& application, const PodToCome& pod,
                     std::int64_t count);
  // Applications of which no further pod can come any more, in this call and in the one before: the server counts pods
  // in their quotas a little before or after they are seen. Nothing is granted to them from here on.
  std::vector<std::string> take_refused();
  // Its pods have come, or nobody waits for them any more.
  void forget(const std::string& name_space, const std::string& application);
  // Somebody has asked before it was known which quotas there are: all that was granted is to be asked for again.
  bool awaits_quotas() const { return asked_ && !quotas_.settled(); }
  // Somebody has asked.
  bool asked() const { return asked_; }
  std::size_t kept() const;

 private:
  struct Granted {
    PodToCome pod;
    std::int64_t count = 0;
    bool refused = false;  // at the last review
  };
  const Quotas& quotas_;
  std::map<std::string, std::map<std::string, Granted>> granted_;  // by namespace and application
  bool asked_ = false;
};

}  // namespace lips::kubernetes
