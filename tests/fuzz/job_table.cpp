// Tables of jobs, and the jobs that a scenario makes of their rows.
#include "simulation/job_table.h"

#include "tests/fuzz/fuzz_target.h"

namespace lips::simulation {

FUZZ_TARGET(job_table, bytes) {
  const Result<std::vector<YamlValue>> rows = parse_job_table("jobs.csv", std::string(input));
  if (!rows) return false;
  FUZZ_CHECK(!rows->empty());
  for (const YamlValue& row : *rows) {
    FUZZ_CHECK(row.line > 1);
    FUZZ_CHECK(row.find("name") && !row.find("name")->scalar.empty());
    FUZZ_CHECK(row.find("arrival") && row.find("arrival")->scalar.ends_with("s"));
  }
  return true;
}

}  // namespace lips::simulation
