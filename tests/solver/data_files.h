// Where the tests find the Netlib and OR-Library instances: LIPS_DATA, else shared/data beside the source.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace lips::solver {

inline std::string data_folder() {
  if (const char* folder = std::getenv("LIPS_DATA")) return folder;
  return LIPS_SOURCE_DIR "/../shared/data";
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace lips::solver
