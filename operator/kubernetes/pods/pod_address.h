// Which addresses a pod may have in the pods' network. Pure.
#pragma once

#include <string>

namespace lips::kubernetes {

// A number, IPv4 or IPv6, that is no loopback, link-local (where clouds answer for their machines), multicast or
// unspecified address: whoever may write the status of a pod chooses what it says.
bool is_pod_address(const std::string& address);

}  // namespace lips::kubernetes
