// `lips generate scenario`: a scenario file of a stated size and shape. Knows the file's format, not the simulator.
#pragma once

#include "cmd/cli/command.h"

namespace lips::cmd {

int generate_scenario(Words words);

}  // namespace lips::cmd
