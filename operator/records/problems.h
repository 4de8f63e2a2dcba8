// The faults of a file: the first ones in full, and how many more there are.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lips {

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  void add(const std::string& path, const std::string& found, const std::string& allowed);
  bool empty() const { return count_ == 0; }
  const std::string& file() const { return file_; }
  tl::unexpected<Error> error() const;

 private:
  std::string file_;
  std::vector<std::string> messages_;
  std::size_t count_ = 0;
};

}  // namespace lips
