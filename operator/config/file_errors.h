// The errors in a file: the first messages, and how many more there are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace lips {

struct FileErrors {
  std::string file;
  std::vector<std::string> messages = {};  // the first ones
  std::size_t more = 0;                    // number of further messages
  void add(std::string message);
  // All messages, one per line.
  tl::unexpected<Error> as_error() const;
};

}  // namespace lips
