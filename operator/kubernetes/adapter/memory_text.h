// Converts memories of policies to text that the cluster keeps, and back. The field lists of the structs give every
// field that differs from its default. Names stand for ids, because a resync renews ids. Ignores invalid text.
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
  std::vector<std::string> pools;  // of all slots but the last, which is for small jobs
};
std::string shares_text(const StoredShares& stored);
std::optional<StoredShares> read_shares(const std::string& text);

std::string debts_text(const std::vector<TargetDebt>& debts);
std::vector<TargetDebt> read_debts(const std::string& text);

}  // namespace lips::kubernetes
