// MapReduce traces in the format of SWIM (Chen, Ganapathi, Griffith, Katz, MASCOTS 2011) and a synthetic day with the
// distributions of FB-2010. Knows neither clusters nor YAML.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lips::simulation {

struct TraceJob {
  std::string name;
  double arrival = 0;                         // seconds from the start
  double input = 0, shuffle = 0, output = 0;  // bytes
  std::string path;                           // of the input; empty when the trace has none
};

// Lines of job, submit time, gap, input, shuffle, output and optionally the input's path, separated by tabs. Sorted by
// arrival.
Result<std::vector<TraceJob>> parse_swim(const std::string& file, const std::string& text);

// Draws `jobs` jobs without replacement and keeps their order; returns all when there are no more.
std::vector<TraceJob> sample_jobs(std::vector<TraceJob> trace, std::size_t jobs, std::uint64_t seed);

// Input bytes, shuffle ratio, shares of map-only and input-less jobs and hourly arrival rates as in
// FB-2010_samples_24_times_1hr_0.tsv; input and ratio are drawn independently.
std::vector<TraceJob> synthetic_day(std::size_t jobs, std::uint64_t seed);

}  // namespace lips::simulation
