// Paths in HDFS as names from the root on, for checks. Strict: a path that a reader of URLs might take for another one
// is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lips {

// Slashes at both ends do not count. None: a name is empty, "." or "..", or has a control character; or it would be
// or have one of these, or a slash, were its %XX read as characters, once or several times, and its parameters (behind
// ";") left out.
std::optional<std::vector<std::string>> hdfs_names(std::string_view path);

// Says whether it is that folder or below it.
bool is_below(const std::vector<std::string>& path, const std::vector<std::string>& folder);

}  // namespace lips
