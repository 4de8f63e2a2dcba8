// Files of the journal: every record that is whole is unpacked, and none is larger than it may be.
#include "records/journal_log.h"

#include "tests/fuzz/fuzz_target.h"

namespace lips {

FUZZ_TARGET(journal_log, bytes) {
  Result<JournalLog> log = JournalLog::open("journal", std::string(input));
  if (!log) return false;
  FUZZ_CHECK(log->good_bytes() <= input.size());
  FUZZ_CHECK((log->end() == JournalLog::End::whole) == (log->good_bytes() == input.size() && log->good_bytes() > 0));
  std::size_t read = 0;
  for (Result<std::optional<std::string>> text = log->next(); text && *text; text = log->next()) ++read;
  FUZZ_CHECK(read <= log->records());
  return read > 0;
}

}  // namespace lips
