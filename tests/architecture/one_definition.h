// Types that two places define under one name. The linker keeps one of them and says nothing, so a text has to.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lips::architecture {

// Qualified names of the types that a source defines at namespace scope, without those in unnamed namespaces and
// without specialisations.
std::vector<std::string> defined_types(std::string_view text);

// The names in files by path: each name that more than one of them defines, with the paths.
std::map<std::string, std::vector<std::string>> defined_twice(const std::map<std::string, std::string>& text_by_path);

}  // namespace lips::architecture
