// Traces of SWIM, and jobs drawn from them.
#include "simulation/swim_trace.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::simulation {

FUZZ_TARGET(trace, bytes) {
  const Result<std::vector<TraceJob>> jobs = parse_swim("trace.tsv", std::string(input));
  if (!jobs) return false;
  FUZZ_CHECK(!jobs->empty());
  for (const TraceJob& job : *jobs) FUZZ_CHECK(job.arrival >= 0 && job.input >= 0 && job.shuffle >= 0);
  FUZZ_CHECK(sample_jobs(*jobs, 3, 1).size() <= jobs->size());
  return true;
}

}  // namespace lips::simulation
