// The files in the folder of a journal, by their names. Knows nothing of their content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lips {

struct JournalFile {
  enum class Kind : std::uint8_t { log, record };  // record: of one epoch, as earlier versions wrote them
  std::uint64_t first = 0;                         // epoch
  Kind kind = Kind::log;
  std::string path;
};
// Sorted by the first epoch.
Result<std::vector<JournalFile>> list_journal(const std::string& directory);

std::string log_file_name(std::uint64_t first);

}  // namespace lips
