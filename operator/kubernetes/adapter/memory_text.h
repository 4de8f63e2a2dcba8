// What policies remember, as text that is kept in the cluster and back, from the descriptions of the structs: every
// field, but for those that are as at the start. Ids are said by name, because a listing gives all ids anew. What is
// not understood counts as not remembered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/work.h"

namespace lips::kubernetes {

struct StoredMemory {
  JobMemory memory;  // without the home's id
  std::string home;  // zone name
};
std::string memory_text(const JobMemory& memory, const std::string& home);
StoredMemory read_memory(const std::string& text);

struct StoredShares {
  ShareMemory shares;
  std::vector<std::string> pools;  // of all slots but the last, which are the small jobs'
};
std::string shares_text(const StoredShares& stored);
std::optional<StoredShares> read_shares(const std::string& text);

}  // namespace lips::kubernetes
