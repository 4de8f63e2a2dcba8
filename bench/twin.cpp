// Days that were run and recorded under each of four regimes, and simulated again from the records of each under each:
// does a twin have the invoice that a run has? The records go through no file. docs/journal.md quotes it.
// --days: of bench_modern_day, with loads 0.8 and 0.5; --load: another load; --fixed: nodes that are there all day;
// --only: one of the days, from 1. KEY=VALUE: fields of the scenario, as --set of lips simulate.
//   bench_twin [--days N] [--load L] [--fixed] [--only N] [KEY=VALUE...]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/modern_day.h"
#include "tests/twin/record_run.h"
#include "twin/recorded_scenario.h"

namespace {

using namespace lips;
using simulation::RunResult;
using simulation::Scenario;

constexpr std::array regimes{"spread", "most-allocated", "own-zone-cheapest", "lips"};

struct Options {
  std::size_t days = 24, only = 0;
  bool fixed = false;
  std::vector<double> loads{0.8, 0.5};
  bench::Fields fields;
};

struct Errors {
  std::size_t count = 0;
  double sum = 0, worst = 0;
  void add(double error) { ++count, sum += std::abs(error), worst = std::max(worst, std::abs(error)); }
  std::string text() const {
    return fmt::format("{} twins, {:.2f} % in the mean, {:.2f} % at worst", count,
                       count > 0 ? 100 * sum / static_cast<double>(count) : 0, 100 * worst);
  }
};

struct Table {
  Errors own, others, completion;
};

void print_row(const std::string& day, std::string_view ran, std::string_view regime, const RunResult& twin,
               const RunResult& truth) {
  fmt::print(
      "{:<24} ran {:<18} twin of {:<18} {:9.2f} for {:9.2f} USD {:+6.2f} %  {:6.0f} for {:6.0f} s  {} for {} nodes\n",
      day, ran, regime, twin.invoice.total().value(), truth.invoice.total().value(),
      100 * (twin.invoice.total() / truth.invoice.total() - 1), twin.completion.mean, truth.completion.mean,
      twin.fleet.launches, truth.fleet.launches);
  std::fflush(stdout);
}

Result<void> compare(const Scenario& day, const std::string& name, Table& table) {
  std::map<std::string_view, RunResult> truth;
  std::map<std::string_view, Scenario> journals;
  for (const char* ran : regimes) {
    twin::RecordsOfADay records;
    Result<RunResult> run = testing::record_run(day, ran, [&](EpochRecord record) -> Result<void> {
      records.add(std::move(record));
      return {};
    });
    if (!run) return tl::unexpected(run.error());
    truth.emplace(ran, *std::move(run));
    Result<twin::RecordedDay> recorded = records.day(name, "");
    if (!recorded) return tl::unexpected(recorded.error());
    journals.emplace(ran, std::move(recorded->scenario));
  }
  for (const char* ran : regimes)
    for (const char* regime : regimes) {
      const Scenario& recorded = journals.at(ran);
      const Result<RunResult> twin = bench::run_named(recorded, regime, recorded.settings, regime);
      if (!twin) return tl::unexpected(twin.error());
      print_row(name, ran, regime, *twin, truth.at(regime));
      const bool own = std::string_view(ran) == regime;
      (own ? table.own : table.others).add(twin->invoice.total() / truth.at(regime).invoice.total() - 1);
      table.completion.add(twin->completion.mean / truth.at(regime).completion.mean - 1);
    }
  return {};
}

std::optional<Options> options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (const std::size_t equals = name.find('='); equals != std::string::npos)
      options.fields.emplace_back(name.substr(0, equals), name.substr(equals + 1));
    else if (name == "--fixed")
      options.fixed = true;
    else if (i + 1 == argc)
      return std::nullopt;
    else if (name == "--days")
      options.days = std::stoul(argv[++i]);
    else if (name == "--only")
      options.only = std::stoul(argv[++i]);
    else if (name == "--load")
      options.loads = {std::stod(argv[++i])};
    else
      return std::nullopt;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = options_of(argc, argv);
  if (!options) return fmt::print(stderr, "bench_twin [--days N] [--load L] [--fixed] [--only N] [KEY=VALUE...]\n"), 2;
  Table table;
  int status = 0;
  std::size_t number = 0;
  for (const bench::Instance& instance :
       bench::modern_days(options->days, options->loads, {Billing::invoice, !options->fixed})) {
    if (++number != options->only && options->only > 0) continue;
    const Result<Scenario> day = bench::read(instance, options->fields);
    const Result<void> compared = day ? compare(*day, instance.name(), table) : tl::unexpected<Error>(day.error());
    if (!compared) fmt::print(stderr, "{}: {}\n", instance.name(), compared.error().message), status = 1;
  }
  fmt::print("of what ran: {}\nof another regime: {}\nmean completion: {}\n", table.own.text(), table.others.text(),
             table.completion.text());
  return status;
}
