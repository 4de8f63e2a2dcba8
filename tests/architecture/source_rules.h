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

// For each room (a folder with sources, as in "policies/lips" or "solver") the rooms that it may include besides
// itself. This is the table in ARCHITECTURE.md; an entry that ends in "/..." there is spelled out here, a room at a
// time.
using Arrows = std::map<std::string, std::set<std::string>, std::less<>>;
Arrows read_arrows(std::string_view architecture_page);
const Arrows& arrows();  // of this project's page

// The room (a key of arrows()) of a path from the root; "" for tests, benchmarks and all else.
std::string room_of(std::string_view path);

// Rooms that a file of this text includes, from whichever room.
std::set<std::string> rooms_included(std::string_view text);

// A way that leads from a room back to it, "a -> b -> a"; empty when there is none.
std::string cycle_in(const Arrows& arrows);

// Circles of units inside rooms, each as "operator/room: a b c" with its units by name. A unit is a header with its
// .cpp; a circle is a set of units of which each reaches each other by includes. `text_by_path`: paths from the root.
std::vector<std::string> circles_of_files(const std::map<std::string, std::string>& text_by_path);

// The faults of a file, one sentence each with path and line; empty when nothing is.
// `path` is from the root, with slashes.
std::vector<std::string> violations(std::string_view path, std::string_view text);

// Libraries that a CMakeLists.txt of `folder` (a top folder: all its rooms are one library) links against the arrows.
std::vector<std::string> link_violations(std::string_view folder, std::string_view cmake);

// All .h and .cpp under solver/, operator/, tests/ and bench/, sorted, from the root.
std::vector<std::string> source_files(const std::filesystem::path& root);

std::string read_text(const std::filesystem::path& file);

}  // namespace lips::architecture
