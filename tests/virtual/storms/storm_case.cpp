#include "tests/virtual/storms/storm_case.h"

#include <fmt/format.h>

#include <algorithm>

namespace lips::virtual_cluster::storms {
namespace {

constexpr EnumArray<Trouble, std::string_view> trouble_names{
    "lost-requests", "lost-answers",  "busy",     "slow",    "cut-watches", "late-events", "compactions",
    "restarts",      "kills",         "clocks",   "outage",  "restore",     "rights",      "fields",
    "kinds",         "administrator", "careless", "hostile", "quotas",      "budgets"};

// Shares of all storms.
double share_of(Trouble trouble) {
  using enum Trouble;
  switch (trouble) {
    case kills:
    case clocks:
    case outage:
    case restore:
    case rights:
    case fields:
    case kinds:
      return 0.15;
    case administrator:
    case careless:
    case hostile:
    case quotas:
    case budgets:
      return 0.35;
    default:
      return 0.5;
  }
}

}  // namespace

std::string_view to_string(Trouble trouble) { return trouble_names[trouble]; }

std::optional<Trouble> trouble_of(std::string_view name) {
  const auto found =
      std::find_if(troubles.begin(), troubles.end(), [&](Trouble one) { return trouble_names[one] == name; });
  return found == troubles.end() ? std::nullopt : std::optional(*found);
}

Scene scene_of(std::uint64_t seed) {
  constexpr double shares[] = {0.4, 0.2, 0.3, 0.1};
  return static_cast<Scene>(Random(derive_seed(seed, 8)).weighted(shares));
}

StormCase storm_of(std::uint64_t seed) {
  StormCase storm;
  storm.seed = seed;
  Random random(derive_seed(seed, 9));
  for (const Trouble trouble : troubles) storm.has[trouble] = random.uniform() < share_of(trouble);
  return storm;
}

StormCase shrunk(StormCase storm, std::size_t jobs, const std::function<bool(const StormCase&)>& fails) {
  for (const Trouble trouble : troubles) {
    if (!storm.has[trouble]) continue;
    StormCase without = storm;
    without.has[trouble] = false;
    if (fails(without)) storm = without;
  }
  for (std::size_t fewer = jobs / 2; fewer > 0; fewer /= 2) {
    StormCase smaller = storm;
    smaller.most_jobs = fewer;
    if (!fails(smaller)) break;
    storm = smaller;
  }
  return storm;
}

std::string command_of(const StormCase& storm) {
  std::string only;
  for (const Trouble trouble : troubles)
    if (storm.has[trouble]) only += fmt::format("{}{}", only.empty() ? "" : ",", to_string(trouble));
  std::string command =
      fmt::format("scripts/storm --first {} --seeds 1 --only {}", storm.seed, only.empty() ? "nothing" : only);
  if (storm.most_jobs != StormCase().most_jobs) command += fmt::format(" --jobs {}", storm.most_jobs);
  return command;
}

}  // namespace lips::virtual_cluster::storms
