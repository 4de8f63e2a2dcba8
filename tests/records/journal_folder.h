// A folder for a journal, which goes with its test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace lips::testing {

class JournalFolder : public ::testing::Test {
 protected:
  JournalFolder() { std::filesystem::remove_all(folder_); }
  ~JournalFolder() override { std::filesystem::remove_all(folder_); }
  std::string folder_ =
      (std::filesystem::temp_directory_path() / ("lips-journal-" + std::to_string(getpid()))).string();
};

}  // namespace lips::testing
