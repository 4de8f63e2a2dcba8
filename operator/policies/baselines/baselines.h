// Published and everyday schedulers, for comparison. One idea, one file; docs/policies.md names the sources.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> make_hadoop_default(const PolicySettings& settings);
std::unique_ptr<Policy> make_delay(const PolicySettings& settings);
std::unique_ptr<Policy> make_eva(const PolicySettings& settings);
std::unique_ptr<Policy> make_fifo(const PolicySettings& settings);
std::unique_ptr<Policy> make_spread(const PolicySettings& settings);
std::unique_ptr<Policy> make_most_allocated(const PolicySettings& settings);
std::unique_ptr<Policy> make_own_zone_cheapest(const PolicySettings& settings);
std::unique_ptr<Policy> make_greedy_cheapest(const PolicySettings& settings);
std::unique_ptr<Policy> make_single_zone_round_robin(const PolicySettings& settings);
std::unique_ptr<Policy> make_starburst(const PolicySettings& settings);
std::unique_ptr<Policy> make_stratus(const PolicySettings& settings);

}  // namespace lips
