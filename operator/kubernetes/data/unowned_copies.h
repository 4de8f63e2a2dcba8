// Copies in a store that no DataSet and no DataMove owns, by a list of what lies below lips-copies. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct CopyFolder {
  std::string path;  // below lips-copies: NAMESPACE/NAME/UID, moving/UID/ATTEMPT, or a file that is elsewhere
  std::int64_t files = 0, bytes = 0;
};

// The output of look_script(): refused unless it is complete. Sorted by path.
Result<std::vector<CopyFolder>> read_copy_folders(std::string_view text);

using Owners = std::unordered_set<std::string>;  // uids of DataSets and DataMoves
bool is_owned(std::string_view path, const Owners& owners);

inline constexpr std::size_t most_unowned_examples = 20;

// `before`: what the last look found. Its examples stay while they are there, and keep the time when they were first
// seen; others follow by path.
UnownedCopies unowned_among(const std::vector<CopyFolder>& folders, const Owners& owners,
                            const std::optional<UnownedCopies>& before, TimePoint looked);

}  // namespace lips::kubernetes
