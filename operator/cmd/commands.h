// The commands of the program: the one table that the overview, the dispatch and completion read.
#pragma once

#include <span>
#include <string_view>

#include "cmd/cli/command.h"

namespace lips::cmd {

struct Command {
  std::string_view name, summary;
  int (*run)(Words words);
};
std::span<const Command> commands();

}  // namespace lips::cmd
