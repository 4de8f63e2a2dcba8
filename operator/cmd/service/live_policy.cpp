#include "cmd/service/live_policy.h"

#include "policies/registry/registry.h"

namespace lips::cmd {

Result<std::shared_ptr<const NamedPolicy>> make_named_policy(const std::string& name, const PolicySettings& settings) {
  Result<std::unique_ptr<Policy>> policy = make_policy(name, settings);
  if (!policy) return tl::unexpected(policy.error());
  return std::make_shared<const NamedPolicy>(NamedPolicy{name, settings, std::move(*policy)});
}

void LivePolicy::use(std::shared_ptr<const NamedPolicy> policy) {
  const std::lock_guard lock(mutex_);
  policy_ = std::move(policy);
}

std::shared_ptr<const NamedPolicy> LivePolicy::current() const {
  const std::lock_guard lock(mutex_);
  return policy_;
}

Result<Plan> LivePolicy::decide(const PolicyInput& input) const {
  const std::shared_ptr<const NamedPolicy> policy = current();
  const double began = input.stopwatch ? input.stopwatch->seconds() : 0;
  Result<Plan> plan = CheckedPolicy(*policy->policy, fault_).decide(input);
  const double took = input.stopwatch ? input.stopwatch->seconds() - began : 0;
  if (plan && decided_) decided_(*policy, input, *plan, took);
  return plan;
}

}  // namespace lips::cmd
