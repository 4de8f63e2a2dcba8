// The policy of a running operator: checked, replaceable between two plans, and reporting each decision with its input.
// Decides nothing itself.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "controller/checked_policy.h"
#include "policies/policy.h"
#include "policies/settings.h"

namespace lips::cmd {

struct NamedPolicy {
  std::string name;
  PolicySettings settings;
  std::unique_ptr<Policy> policy;
};
Result<std::shared_ptr<const NamedPolicy>> make_named_policy(const std::string& name, const PolicySettings& settings);

class LivePolicy : public Policy {
 public:
  // On the controller's thread, after each plan; `took` in seconds of the input's stopwatch.
  using Decided = std::function<void(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took)>;

  // `fault`: why the policy's decision was refused; the plan that is reported then defers everything.
  LivePolicy(std::shared_ptr<const NamedPolicy> policy, Decided decided, CheckedPolicy::OnFault fault)
      : policy_(std::move(policy)), decided_(std::move(decided)), fault_(std::move(fault)) {}

  // From any thread; the new policy makes the next plan.
  void use(std::shared_ptr<const NamedPolicy> policy);
  std::shared_ptr<const NamedPolicy> current() const;

  Cadence cadence() const override { return current()->policy->cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const NamedPolicy> policy_;
  Decided decided_;
  CheckedPolicy::OnFault fault_;
};

}  // namespace lips::cmd
