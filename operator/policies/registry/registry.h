// Every policy by name. A new one is one file and one line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

struct PolicyEntry {
  std::string_view name;
  std::string_view summary;  // one sentence for --help
  std::unique_ptr<Policy> (*make)(const PolicySettings& settings);
  Result<void> (*check)(const PolicySettings& settings) =
      nullptr;  // fails with the reason when settings do not go together
};

std::span<const PolicyEntry> policy_registry();
// not_found with the list of names when there is none of that name.
Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicySettings& settings);

}  // namespace lips
