// The offline models of LiPS: all that is pending now, over the nodes' whole uptime.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> make_lips_offline_simple(const PolicySettings& settings);  // Fig. 2: data stays where it is
std::unique_ptr<Policy> make_lips_offline(const PolicySettings& settings);         // Fig. 3: data may move

}  // namespace lips
