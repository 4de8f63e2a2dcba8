#include "simulation/swim_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/random.h"
#include "config/ranges.h"

namespace lips::simulation {

namespace {

constexpr std::size_t most_messages = 20;
constexpr double most_bytes = largest_size.value() * bytes_per_mebibyte;

struct RowReader {
  const std::string& file;
  std::vector<std::string>& problems;
  std::size_t line = 0;

  double number(std::string_view cell, const char* field, double most) {
    double value = 0;
    const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (code == std::errc() && end == cell.data() + cell.size() && value >= 0 && value <= most) return value;
    problem(field, fmt::format("'{}'", cell), fmt::format("a number from 0 to {:.4g}", most));
    return 0;
  }
  void problem(std::string_view field, const std::string& found, const std::string& allowed) {
    if (problems.size() < most_messages)
      problems.push_back(fmt::format("{}:{}: {}: found {}; allowed: {}", file, line, field, found, allowed));
  }
};

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

// A quantile function by some of its points, log-linear between them.
struct Quantile {
  double share, value;
};

template <std::size_t Points>
double draw(const std::array<Quantile, Points>& table, Random& random) {
  const double share = random.uniform();
  std::size_t i = 1;
  while (i + 1 < Points && table[i].share < share) ++i;
  const Quantile &low = table[i - 1], &high = table[i];
  const double part = (share - low.share) / (high.share - low.share);
  return std::exp(std::log(low.value) + part * (std::log(high.value) - std::log(low.value)));
}

// Measured on the 24,442 jobs of FB-2010_samples_24_times_1hr_0.tsv; 418 have no input, 8,324 no shuffle.
constexpr std::array<Quantile, 15> input_bytes{{{0, 1},
                                                {0.05, 302},
                                                {0.1, 602},
                                                {0.2, 1.041e4},
                                                {0.3, 9.8955e4},
                                                {0.4, 1.15785e6},
                                                {0.5, 1.222575e7},
                                                {0.6, 7.423373e7},
                                                {0.7, 6.511081e8},
                                                {0.8, 3.282421e9},
                                                {0.9, 3.232094e10},
                                                {0.95, 1.349501e11},
                                                {0.99, 1.122517e12},
                                                {0.999, 3.911744e12},
                                                {1, 1.171802e13}}};
constexpr std::array<Quantile, 10> shuffle_ratio{{{0, 5.2e-8},
                                                  {0.05, 4.1e-6},
                                                  {0.1, 4.0e-5},
                                                  {0.25, 0.0272},
                                                  {0.5, 0.431},
                                                  {0.75, 1.355},
                                                  {0.9, 2.441},
                                                  {0.95, 7.67},
                                                  {0.99, 49},
                                                  {1, 915}}};
constexpr double share_without_input = 0.0171, share_map_only = 0.3406;
constexpr std::array<double, 24> jobs_by_hour{977,  1600, 1037, 1589, 1039, 635, 856, 1677, 1111, 1202, 370, 1132,
                                              1582, 852,  2,    1303, 672,  930, 811, 1253, 760,  1541, 813, 693};

}  // namespace

Result<std::vector<TraceJob>> parse_swim(const std::string& file, const std::string& text) {
  std::vector<std::string> problems;
  std::vector<TraceJob> jobs;
  std::unordered_map<std::string, std::size_t> first;  // the line of each job
  RowReader reader{file, problems};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++reader.line;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() < 6) {
      reader.problem("columns", fmt::format("{}", cells.size()),
                     "6 or more separated by tabs: job, submit time, gap, input, shuffle, output[, input path]");
      continue;
    }
    TraceJob job;
    job.name = cells[0];
    if (const auto [known, added] = first.try_emplace(job.name, reader.line); !added)
      reader.problem("job", fmt::format("'{}' twice (first at line {})", job.name, known->second), "every job once");
    job.arrival = reader.number(cells[1], "submit time", to_seconds(longest_duration));
    job.input = reader.number(cells[3], "input", most_bytes);
    job.shuffle = reader.number(cells[4], "shuffle", most_bytes);
    job.output = reader.number(cells[5], "output", most_bytes);
    if (cells.size() > 6) job.path = cells[6];
    jobs.push_back(std::move(job));
  }
  if (problems.empty() && jobs.empty())
    problems.push_back(fmt::format("{}:1: found no jobs; allowed: at least one line", file));
  if (!problems.empty()) return fail(ErrorCode::invalid_input, fmt::format("{}", fmt::join(problems, "\n")));
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.arrival < b.arrival; });
  return jobs;
}

std::vector<TraceJob> sample_jobs(std::vector<TraceJob> trace, std::size_t jobs, std::uint64_t seed) {
  if (jobs == 0 || jobs >= trace.size()) return trace;
  Random random(seed);
  std::vector<std::uint32_t> order(trace.size());
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(std::span(order));
  order.resize(jobs);
  std::sort(order.begin(), order.end());
  std::vector<TraceJob> result;
  for (std::uint32_t index : order) result.push_back(std::move(trace[index]));
  return result;
}

std::vector<TraceJob> synthetic_day(std::size_t jobs, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> arrivals(jobs);
  for (double& arrival : arrivals)
    arrival = std::floor((static_cast<double>(random.weighted(jobs_by_hour)) + random.uniform()) * 3600);
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<TraceJob> result(jobs);
  for (std::size_t i = 0; i < jobs; ++i) {
    TraceJob& job = result[i];
    job.name = fmt::format("job{}", i);
    job.arrival = arrivals[i];
    const bool reads = random.uniform() >= share_without_input, shuffles = random.uniform() >= share_map_only;
    const double input = std::floor(draw(input_bytes, random)), ratio = draw(shuffle_ratio, random);
    if (reads) job.input = input;
    // Only small inputs have the largest ratios.
    if (reads && shuffles) job.shuffle = std::floor(input * (input > 1e8 ? std::min(ratio, 3.0) : ratio));
  }
  return result;
}

}  // namespace lips::simulation
