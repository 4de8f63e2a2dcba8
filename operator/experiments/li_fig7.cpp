#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "experiments/li.h"
#include "experiments/li_setup.h"
#include "experiments/seeds.h"

namespace lips::experiments {

namespace {

constexpr std::uint32_t configurations = 30;  // in the paper

// Alternative readings of the text, one change at a time.
struct Reading {
  const char* name;
  std::function<void(LiShape&)> set = [](LiShape&) {};
  SourceChoice sources = SourceChoice::random;
};

const Reading main_reading{"", [](LiShape&) {}};
const Reading rack_reads_count{"reads inside a rack use its link too",
                               [](LiShape& shape) { shape.rack_link = simulation::RackLink::all; }};
const Reading node_links{"node links as fast as the racks'",
                         [](LiShape& shape) { shape.node_gigabits = shape.rack_gigabits; }};
const Reading racks_in_turn{"nodes of the racks report in turn",
                            [](LiShape& shape) { shape.reports = LiReports::racks_in_turn; }};
const Reading both_of_these{"reads inside a rack take its link too, and the racks report in turn", [](LiShape& shape) {
                              shape.rack_link = simulation::RackLink::all;
                              shape.reports = LiReports::racks_in_turn;
                            }};
const Reading nearest_sources{"nearest sources first", [](LiShape&) {}, SourceChoice::nearest};

enum Figure : std::size_t { lf, edf, bdf, saved, saved_basic, normal, figure_count };

Result<LiRun> one(const LiShape& shape, std::uint32_t seed, std::string_view policy, SourceChoice sources) {
  PolicySettings settings;
  settings.degraded.sources = sources;
  return li_run(li_scenario(shape, seed), policy, settings);
}

// Run times over that without a failure, and the savings of the enhanced and the basic version against locality-first.
std::vector<double> figures(LiShape shape, std::uint32_t seed, const Reading& reading) {
  reading.set(shape);
  LiShape whole = shape;
  whole.failure = LiFailure::none;
  std::vector<double> result(figure_count, 0);
  const auto seconds = [&](const LiShape& of, std::string_view policy) {
    const Result<LiRun> run = one(of, seed, policy, reading.sources);
    return run ? run->seconds : 0;
  };
  result[normal] = seconds(whole, "locality-first");
  const double first = seconds(shape, "locality-first"), enhanced = seconds(shape, "degraded-first"),
               basic = seconds(shape, "degraded-first-basic");
  if (std::min({result[normal], first, enhanced, basic}) <= 0) return result;  // shows as 0 in the claims
  result[lf] = first / result[normal];
  result[edf] = enhanced / result[normal];
  result[bdf] = basic / result[normal];
  result[saved] = 100 * (1 - enhanced / first);
  result[saved_basic] = 100 * (1 - basic / first);
  return result;
}

using SetX = std::function<void(LiShape&, double)>;

Result<Sweep> sweep(const ExperimentRun& run, const std::vector<double>& xs, const SetX& set, const Reading& reading) {
  ExperimentRun thirty = run;
  thirty.seeds = run.quick ? run.seeds : std::max(run.seeds, configurations);
  return sweep_seeds(thirty, xs, [&](double x, std::uint32_t seed) {
    LiShape shape;
    set(shape, x);
    return figures(shape, seed, reading);
  });
}

Setting setting(std::string varied) {
  return {
      {"40 nodes in 4 racks of 10, 4 map slots a node, 1440 native blocks of 128 MB, (20,15), rack links 1 Gbit/s",
       "map tasks N(20, 1) s, 30 reduce tasks N(30, 2) s, map output 1 % of the input, heartbeats every 3 s",
       "nodes are lost before the job begins; 30 random configurations; run time over that without a failure"},
      {std::move(varied),
       "stripes on n random nodes, at most n - k blocks in a rack; k random sources of those that survive",
       "only traffic that leaves or enters a rack uses its link, in that direction; 128 MB take 1.000 s at 1 Gbit/s",
       "links are shared max-min fairly, where the paper's simulator holds them one transfer at a time",
       "nodes report evenly spread over 3 s, rack after rack; node links are not limited",
       "map output leaves as maps end; reduces run in map slots after the last map; decoding takes no time"}};
}

Chart chart(std::string title, std::string x_title, const std::vector<double>& xs, const Sweep& of) {
  Chart made;
  made.title = std::move(title);
  made.x_title = std::move(x_title);
  made.unit = "x";
  made.note = "run time over that without a failure, mean of the configurations";
  made.curves = {curve_of("locality-first", xs, of[lf]), curve_of("degraded-first", xs, of[edf]),
                 curve_of("degraded-first-basic", xs, of[bdf])};
  return made;
}

Claim claim(const char* test, std::string what, double printed, const Spread& ours, std::string reason = "") {
  Claim made;
  made.test = test;
  made.what = std::move(what);
  made.printed = fmt::format("{:.1f} %", printed);
  made.low = printed - 3;
  made.high = printed + 3;
  made.ours = {ours};
  made.reason = std::move(reason);
  return made;
}

Claim other(Claim made, const Reading& reading) {
  made.what += fmt::format("; {}", reading.name);
  made.other_reading = true;
  return made;
}

void set_code(LiShape& shape, double k) {
  shape.k = static_cast<std::int32_t>(k);
  shape.n = shape.k * 4 / 3;
}
void set_blocks(LiShape& shape, double blocks) { shape.native_blocks = static_cast<std::uint32_t>(blocks); }
void set_bandwidth(LiShape& shape, double megabits) { shape.rack_gigabits = megabits / 1000; }
void set_failure(LiShape& shape, double failure) { shape.failure = static_cast<LiFailure>(static_cast<int>(failure)); }
void set_shuffle(LiShape& shape, double percent) { shape.shuffle = percent / 100; }

}  // namespace

Result<ExperimentResult> li_fig7a(const ExperimentRun& run) {
  const std::vector<double> ks = run.quick ? std::vector<double>{6} : std::vector<double>{6, 9, 12, 15};
  ExperimentResult result;
  result.setting = setting("(n, k) = (8,6), (12,9), (16,12), (20,15)");
  const std::array readings = {&main_reading, &rack_reads_count, &node_links, &racks_in_turn, &nearest_sources};
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const double part = 1.0 / readings.size();
    const Result<Sweep> of = sweep(part_of(run, i * part, (i + 1) * part), ks, set_code, *readings[i]);
    if (!of) return tl::unexpected(of.error());
    std::vector<Claim> claims = {claim("7a", "degraded-first saves, (8,6)", 17.4, (*of)[saved].front())};
    if (!run.quick) claims.push_back(claim("7a", "degraded-first saves, (20,15)", 32.9, (*of)[saved].back()));
    for (Claim& made : claims) result.claims.push_back(i == 0 ? made : other(made, *readings[i]));
    if (i == 0) result.charts.push_back(chart("Fig. 7(a): codes", "k of (4k/3, k)", ks, *of));
  }
  return result;
}

Result<ExperimentResult> li_fig7b(const ExperimentRun& run) {
  const std::vector<double> sizes = run.quick ? std::vector<double>{720} : std::vector<double>{720, 1440, 2160, 2880};
  ExperimentResult result;
  result.setting = setting("720, 1440, 2160 and 2880 native blocks, as in Fig. 5(b)");
  for (const Reading* reading : {&main_reading, &rack_reads_count}) {
    const bool first = reading == &main_reading;
    const Result<Sweep> of = sweep(part_of(run, first ? 0 : 0.5, first ? 0.5 : 1), sizes, set_blocks, *reading);
    if (!of) return tl::unexpected(of.error());
    const std::vector<Spread> both = extremes((*of)[saved]);
    std::vector<Claim> claims = {claim("7b", "degraded-first saves, least of the sweep", 34.8, both[0]),
                                 claim("7b", "degraded-first saves, most of the sweep", 39.6, both[1])};
    Claim drops;
    drops.test = "7b";
    drops.what = fmt::format("it saves more at {} blocks than at {}, by", sizes.front(), sizes.back());
    drops.printed = "drops as blocks grow";
    drops.low = 0;
    drops.high = 100;
    drops.ours = {exactly((*of)[saved].front().mean - (*of)[saved].back().mean)};
    drops.unit = "points";
    claims.push_back(drops);
    for (Claim& made : claims) result.claims.push_back(first ? made : other(made, *reading));
    if (first) result.charts.push_back(chart("Fig. 7(b): native blocks", "native blocks", sizes, *of));
  }
  return result;
}

Result<ExperimentResult> li_fig7c(const ExperimentRun& run) {
  const std::vector<double> megabits = run.quick ? std::vector<double>{500} : std::vector<double>{100, 200, 500, 1000};
  ExperimentResult result;
  result.setting = setting("rack links of 100, 200, 500 and 1000 Mbit/s, as in Fig. 5(c)");
  for (const Reading* reading : {&main_reading, &both_of_these}) {
    const bool first = reading == &main_reading;
    const Result<Sweep> of = sweep(part_of(run, first ? 0 : 0.5, first ? 0.5 : 1), megabits, set_bandwidth, *reading);
    if (!of) return tl::unexpected(of.error());
    const auto at = static_cast<std::size_t>(std::find(megabits.begin(), megabits.end(), 500) - megabits.begin());
    Claim most = claim("7c", "degraded-first saves, 500 Mbit/s", 35.1, (*of)[saved][at]);
    most.printed = "up to 35.1 %";
    if (first)
      most.reason =
          "the text does not say whether reads inside a rack use its link, nor when nodes report; see the other "
          "reading";
    result.claims.push_back(first ? most : other(most, *reading));
    if (!first) continue;
    const auto greatest = std::max_element((*of)[saved].begin(), (*of)[saved].end(),
                                           [](const Spread& a, const Spread& b) { return a.mean < b.mean; });
    Claim where;
    where.test = "7c";
    where.what = "bandwidth at which it saves most";
    where.printed = "500 Mbit/s";
    where.low = where.high = 500;
    where.ours = {exactly(megabits[static_cast<std::size_t>(greatest - (*of)[saved].begin())])};
    where.unit = "Mbit/s";
    result.claims.push_back(where);
    result.charts.push_back(chart("Fig. 7(c): rack bandwidth", "Mbit/s", megabits, *of));
  }
  return result;
}

Result<ExperimentResult> li_fig7d(const ExperimentRun& run) {
  const std::vector<double> failures = run.quick ? std::vector<double>{1} : std::vector<double>{1, 2, 3};
  constexpr std::array names = {"one node", "two nodes", "a rack"};
  constexpr std::array printed = {33.2, 22.3, 5.9};
  ExperimentResult result;
  result.setting = setting("one node, two nodes, or all nodes of a rack, drawn at random");
  const std::array readings = {&main_reading, &rack_reads_count, &both_of_these};
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const double part = 1.0 / readings.size();
    const Result<Sweep> of = sweep(part_of(run, i * part, (i + 1) * part), failures, set_failure, *readings[i]);
    if (!of) return tl::unexpected(of.error());
    for (std::size_t f = 0; f < failures.size(); ++f) {
      Claim made = claim("7d", fmt::format("degraded-first saves, {} lost", names[f]), printed[f], (*of)[saved][f]);
      if (f == 1)
        made.reason =
            "two nodes at 1 Gbit/s ask as much of the links as one at 500 Mbit/s, for which Fig. 7(c) prints "
            "35.1 %";
      if (f == 2 && i == 0)
        made.reason =
            "all 15 blocks that are left are read, 5 of them in the reader's rack: see the reading in which those take "
            "time";
      result.claims.push_back(i == 0 ? made : other(made, *readings[i]));
    }
    if (i > 0) continue;
    Chart bars;
    bars.title = "Fig. 7(d): failures";
    bars.unit = "x";
    bars.note = "run time over that without a failure, mean of the configurations";
    bars.categories.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(failures.size()));
    std::vector<double> places;
    for (std::size_t f = 0; f < failures.size(); ++f) places.push_back(static_cast<double>(f));
    bars.curves = {curve_of("locality-first", places, (*of)[lf]), curve_of("degraded-first", places, (*of)[edf]),
                   curve_of("degraded-first-basic", places, (*of)[bdf])};
    result.charts.push_back(bars);
  }
  return result;
}

Result<ExperimentResult> li_fig7e(const ExperimentRun& run) {
  const std::vector<double> percents = run.quick ? std::vector<double>{1} : std::vector<double>{1, 10, 20, 30};
  ExperimentResult result;
  result.setting = setting("map output of 1, 10, 20 and 30 % of the input");
  const Result<Sweep> of = sweep(run, percents, set_shuffle, main_reading);
  if (!of) return tl::unexpected(of.error());
  Claim steady;
  steady.test = "7e";
  steady.what = fmt::format("locality-first's run time over that without a failure, {} % against {} %", percents.back(),
                            percents.front());
  steady.printed = "unaffected in general";
  steady.low = 0.95;
  steady.high = 1.05;
  steady.ours = {exactly((*of)[lf].back().mean / (*of)[lf].front().mean)};
  steady.unit = "x";
  result.claims.push_back(steady);
  for (std::size_t i = 0; i < percents.size(); ++i) {
    Claim made;
    made.test = "7e";
    made.what = fmt::format("degraded-first saves, {} % shuffled", percents[i]);
    made.printed = "no figure";
    made.ours = {(*of)[saved][i]};
    made.comparable = false;
    made.reason = "our copy of the text ends before it";
    result.claims.push_back(made);
  }
  result.charts.push_back(chart("Fig. 7(e): map output", "% of the input", percents, *of));
  return result;
}

}  // namespace lips::experiments
