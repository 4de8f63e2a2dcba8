// Home zones against simpler rules: gap to the certified bound and seconds, over seeded instances. A table on standard
// output. Usage: bench_shuffle [jobs] [instances] [SWIM trace]
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "base/random.h"
#include "policies/home_zones/home_zone.h"

namespace {

using namespace lips;

struct SwimJob {
  double input, shuffle;  // MiB
};

struct Setting {
  std::uint32_t zones;
  int replicas;  // zones that hold a block
  bool skewed;   // zone k holds blocks in proportion to 1 / (k + 1)
};

double cpu_seconds_now() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::vector<SwimJob> read_swim(const std::string& path) {
  std::vector<SwimJob> jobs;
  std::ifstream file(path);
  std::string line, id;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    double submit = 0, gap = 0, input = 0, shuffle = 0;
    if (fields >> id >> submit >> gap >> input >> shuffle) jobs.push_back({input / 1048576, shuffle / 1048576});
  }
  return jobs;
}

// Without the trace: log-normal sizes that are as heavy-tailed, a third of the jobs map-only.
SwimJob like_swim(Random& random) {
  const double input = std::exp(random.normal(3, 4));
  return {std::min(input, 1e6),
          random.uniform() < 0.34 ? 0 : std::min(input, 1e6) * std::exp(random.normal(-1.5, 1.5))};
}

ZoneSet place_block(Random& random, const Setting& setting, std::span<const double> weight) {
  ZoneSet zones;
  while (zones.size() < setting.replicas) zones.insert(ZoneId(static_cast<std::uint32_t>(random.weighted(weight))));
  return zones;
}

// Blocks of 128 MiB; giants are cut to 4,000 maps so that a job is no larger than a cluster's epoch.
HomeJob make_job(Random& random, const SwimJob& swim, const Setting& setting, std::span<const double> weight) {
  constexpr double block = 128, most = 4000;
  const double maps = std::clamp(std::ceil(swim.input / block), 1.0, most);
  const double cut = std::min(1.0, maps * block / std::max(swim.input, 1.0));
  const CpuSeconds work(std::clamp(swim.input / maps, 1.0, block) *
                        std::exp(random.uniform(std::log(0.1), std::log(2.0))));
  HomeJob job;
  job.shuffle = Mebibytes(swim.shuffle * cut);
  job.reduce_work = CpuSeconds(job.shuffle.value() * random.uniform(0.1, 0.6));
  std::vector<MapGroup> groups;
  for (int map = 0; map < static_cast<int>(maps); ++map) {
    const ZoneSet zones = place_block(random, setting, weight);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const MapGroup& g) { return g.zones == zones; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {zones, 0, work, Mebibytes(std::min(swim.input / maps, block))});
    group->tasks += 1;
  }
  job.maps = std::move(groups);
  return job;
}

HomeInput make_input(std::uint64_t seed, std::size_t jobs, const Setting& setting, std::span<const SwimJob> trace) {
  Random random(seed);
  std::vector<double> weight;
  for (std::uint32_t zone = 0; zone < setting.zones; ++zone) weight.push_back(setting.skewed ? 1.0 / (zone + 1) : 1.0);
  HomeInput input;
  input.costs = uniform_costs(setting.zones, usd_per_gigabyte(0.02));
  double work = 0;
  for (std::size_t j = 0; j < jobs; ++j) {
    const SwimJob swim = trace.empty() ? like_swim(random) : trace[random.below(trace.size())];
    input.jobs.push_back(make_job(random, swim, setting, weight));
    work += input.jobs.back().reduce_work.value();
    for (const MapGroup& group : input.jobs.back().maps) work += group.tasks * group.work.value();
  }
  // Six instance types a zone, on demand and spot, each in ten time slots of waiting: 120 steps.
  const double load = random.uniform(0.5, 0.95), capacity = work / load / setting.zones;
  for (std::uint32_t zone = 0; zone < setting.zones; ++zone) {
    ZoneSupply steps;
    const double size = random.uniform(0.6, 1.4);
    for (int type = 0; type < 12; ++type) {
      const double price = random.uniform(0.03, 0.06) / 3600 * (type < 6 ? 1 : random.uniform(0.3, 0.6));
      for (int slot = 0; slot < 10; ++slot)
        steps.push_back({CpuSeconds(capacity * size / 120), UsdPerCpuSecond(price * (1 + 0.1 * slot))});
    }
    input.zones.push_back(std::move(steps));
  }
  return input;
}

double cpu_cost(const HomeInput& input, std::span<const double> load) {
  double dearest = 0, usd = 0;
  for (const ZoneSupply& steps : input.zones)
    for (const SupplyStep& step : steps) dearest = std::max(dearest, step.price.value());
  for (std::size_t zone = 0; zone < load.size(); ++zone) {
    ZoneSupply steps = input.zones[zone];
    std::sort(steps.begin(), steps.end(), [](const SupplyStep& a, const SupplyStep& b) { return a.price < b.price; });
    double left = load[zone];
    for (const SupplyStep& step : steps) {
      const double taken = std::min(left, step.capacity.value());
      usd += taken * step.price.value();
      left -= taken;
    }
    usd += left * 10 * dearest;
  }
  return usd;
}

HomeInput without_shuffle(HomeInput input) {
  for (HomeJob& job : input.jobs) job.shuffle = Mebibytes(0);
  return input;
}

// Share of a job's maps by zone.
std::vector<double> map_share(const HomePlacement& placement, std::size_t zones) {
  std::vector<double> share(zones);
  for (std::size_t i = 0; i < placement.maps.size(); ++i) share[i % zones] += placement.maps[i];
  const double all = std::accumulate(share.begin(), share.end(), 0.0);
  for (double& part : share) part /= std::max(all, 1e-300);
  return share;
}

// A plan made without a look at shuffle, billed with it. `spread`: reducers in all zones alike, else where that plan
// put them.
double billed(const HomeInput& input, const HomePlan& plan, bool spread) {
  const std::size_t zones = input.zones.size();
  std::vector<double> load(zones);
  double usd = plan.cost.transfer.value();
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const HomeJob& job = input.jobs[j];
    const std::vector<double> share = map_share(plan.jobs[j], zones);
    for (std::uint32_t to = 0; to < zones; ++to) {
      const double reducers = spread ? 1.0 / static_cast<double>(zones) : plan.jobs[j].reducers[to];
      load[to] += reducers * job.reduce_work.value();
      for (std::uint32_t from = 0; from < zones; ++from)
        usd += share[from] * reducers * (job.shuffle * input.costs.transfer(ZoneId(from), ZoneId(to))).value();
    }
    for (std::size_t g = 0; g < job.maps.size(); ++g)
      for (std::size_t zone = 0; zone < zones; ++zone)
        load[zone] += plan.jobs[j].maps[g * zones + zone] * job.maps[g].work.value();
  }
  return usd + cpu_cost(input, load);
}

constexpr const char* strategies[] = {"reducers spread",
                                      "shuffle ignored",
                                      "home = largest LP share",
                                      "home by prices + re-solve",
                                      "hull LP rounded",

                                      "ours"};
constexpr std::size_t strategy_count = std::size(strategies);

struct Outcome {
  double usd = 0, seconds = 0;
};

struct Figures {
  std::vector<Outcome> outcome = std::vector<Outcome>(strategy_count);
  double bound = 0;
  int evaluations = 0, nodes = 0;
};

Figures run(const HomeInput& input) {
  Figures figures;
  const auto timed = [&](std::size_t strategy, double already, auto&& work) {
    const double start = cpu_seconds_now();
    const double usd = work();
    figures.outcome[strategy] = {usd, already + cpu_seconds_now() - start};
  };
  HomePlan blind;
  const HomeInput no_shuffle = without_shuffle(input);
  timed(1, 0, [&] {
    blind = plan_homes(no_shuffle, {.max_nodes = 0});
    return billed(input, blind, false);
  });
  const double blind_seconds = figures.outcome[1].seconds;
  timed(0, blind_seconds, [&] { return billed(input, blind, true); });
  timed(2, blind_seconds, [&] {
    std::vector<ZoneId> homes;
    for (const HomePlacement& placement : blind.jobs) {
      const std::vector<double> share = map_share(placement, input.zones.size());
      homes.emplace_back(static_cast<std::uint32_t>(std::max_element(share.begin(), share.end()) - share.begin()));
    }
    return plan_with_homes(input, homes).cost.total().value();
  });
  timed(3, blind_seconds,
        [&] { return plan_with_homes(input, homes_by_prices(input, blind.zone_prices)).cost.total().value(); });
  timed(4, 0, [&] {
    const HullBound hull = hull_bound(input);
    std::vector<ZoneId> homes;
    for (const std::vector<double>& share : hull.home_share)
      homes.emplace_back(static_cast<std::uint32_t>(std::max_element(share.begin(), share.end()) - share.begin()));
    return plan_with_homes(input, homes).cost.total().value();
  });
  timed(5, 0, [&] {
    const HomePlan plan = plan_homes(input);
    figures.bound = plan.lower_bound.value();
    figures.evaluations = plan.evaluations;
    figures.nodes = plan.nodes;
    return plan.cost.total().value();
  });
  return figures;
}

void print_setting(const Setting& setting, std::size_t jobs, int instances, std::span<const SwimJob> trace) {
  std::vector<std::vector<double>> gap(strategy_count), seconds(strategy_count);
  int evaluations = 0, nodes = 0;
  for (int i = 0; i < instances; ++i) {
    const Figures figures = run(make_input(derive_seed(2013, static_cast<std::uint64_t>(i)), jobs, setting, trace));
    evaluations += figures.evaluations;
    nodes += figures.nodes;
    for (std::size_t s = 0; s < strategy_count; ++s) {
      gap[s].push_back(100 * (figures.outcome[s].usd / figures.bound - 1));
      seconds[s].push_back(figures.outcome[s].seconds);
    }
  }
  std::printf("\n%u zones, %d replica zone(s), %s: ours took %.0f evaluations and %.1f branchings on average\n",
              setting.zones, setting.replicas, setting.skewed ? "skewed" : "even", 1.0 * evaluations / instances,
              1.0 * nodes / instances);
  std::printf("| strategy | gap %%, mean [worst] | CPU seconds, mean [worst] |\n|---|---|---|\n");
  for (std::size_t s = 0; s < strategy_count; ++s) {
    const auto mean = [](const std::vector<double>& v) {
      return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    };
    std::printf("| %s | %.3f [%.3f] | %.3f [%.3f] |\n", strategies[s], mean(gap[s]),
                *std::max_element(gap[s].begin(), gap[s].end()), mean(seconds[s]),
                *std::max_element(seconds[s].begin(), seconds[s].end()));
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t jobs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  const int instances = argc > 2 ? std::atoi(argv[2]) : 20;
  const char* data = std::getenv("LIPS_DATA");
  const std::string path =
      argc > 3 ? argv[3]
               : std::string(data ? data : "../shared/data") + "/traces/swim/FB-2010_samples_24_times_1hr_0.tsv";
  const std::vector<SwimJob> trace = read_swim(path);
  std::printf("%zu jobs, %d instances a table, seed 2013; sizes: %s\n", jobs, instances,
              trace.empty() ? "log-normal (no SWIM trace found)" : "sampled from the SWIM trace FB-2010");
  for (const std::uint32_t zones : {2u, 3u, 6u})
    for (const int replicas : {1, 2})
      for (const bool skewed : {false, true}) print_setting({zones, replicas, skewed}, jobs, instances, trace);
  return 0;
}
