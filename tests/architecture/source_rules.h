// The rules of ARCHITECTURE.md that a text shows by itself: who may include whom, and how long a file may be. Knows no
// folder's content.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lips::architecture {

// For each folder of the project, the folders that it may include besides itself.
using Arrows = std::map<std::string, std::set<std::string>, std::less<>>;
const Arrows& arrows();

// The folder (a key of arrows()) of a path from the root; "" for tests, benchmarks and all else.
std::string folder_of(std::string_view path);

// What is wrong with a file, one sentence each with path and line; empty when nothing is.
// `path` is from the root, with slashes.
std::vector<std::string> violations(std::string_view path, std::string_view text);

// Folders that a CMakeLists.txt of `folder` links against an arrow.
std::vector<std::string> link_violations(std::string_view folder, std::string_view cmake);

// All .h and .cpp under solver/, operator/, tests/ and bench/, sorted, from the root.
std::vector<std::string> source_files(const std::filesystem::path& root);

std::string read_text(const std::filesystem::path& file);

}  // namespace lips::architecture
