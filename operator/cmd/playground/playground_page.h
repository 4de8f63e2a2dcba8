// The page of a playground: the clock with its controls, and what to try. Pure.
#pragma once

#include <string>

#include "virtual/api_json.h"

namespace lips::cmd {

// `facts`: scenario, time, speed, stopped, jobs, ended, over. `host`: the name and port by which the visitor calls.
// `page_of_operator`: its address; empty: none.
std::string playground_page(const lips::virtual_cluster::Json& facts, const std::string& host,
                            const std::string& page_of_operator);

}  // namespace lips::cmd
