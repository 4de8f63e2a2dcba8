// The parts of batch/v1 Jobs that the operator reads: the number of tasks, and the annotations in which it keeps
// memories.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct BatchJob {
  ObjectMeta meta;
  std::optional<std::int32_t> completions;
  TextMap annotations;  // those under lips.dev/
};

class JobDecoder {
 public:
  JobDecoder();
  ~JobDecoder();
  Result<BatchJob> decode(std::string_view json);

 private:
  struct Working;
  std::unique_ptr<Working> working_;
};

}  // namespace lips::kubernetes
