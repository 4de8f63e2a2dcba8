// A job that does not exist yet, from a small YAML file. Plans nothing.
#pragma once

#include <string>

#include "advice/change.h"
#include "base/result.h"

namespace lips::cmd {

// docs/cli.md describes the fields. Errors name file, line and field.
Result<advice::JobAdded> read_job(const std::string& file, const ClusterSnapshot& cluster);

}  // namespace lips::cmd
