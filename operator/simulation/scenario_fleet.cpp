#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "simulation/scenario_draft.h"
#include "simulation/spot_trace.h"

namespace lips::simulation {

namespace {

// Zones of the trace have other names, or other letters for the same place: they stand for the scenario's in turn.
void read_spot_trace(YamlMap& given, ScenarioDraft& draft) {
  if (!given.has("spotTrace")) return;
  const std::optional<std::string> text =
      read_data_file(given, "spotTrace", "spot", "traces of spot availability are in skypilot-org/spot-traces", draft);
  if (!text) return;
  const Result<SpotTrace> trace = parse_spot_trace(given.text("spotTrace"), *text);
  if (!trace) return draft.errors.messages.push_back(trace.error().message);
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < std::min(trace->zones.size(), draft.cluster().zones.size()); ++i)
    pairs.push_back(
        fmt::format("{} as {}", draft.cluster().zones[ZoneId(static_cast<std::uint32_t>(i))].name, trace->zones[i]));
  for (const SpotTrace::Outage& outage : trace->outages)
    if (outage.zone < draft.cluster().zones.size())
      draft.scenario.fleet.outages.push_back(
          {ZoneId(static_cast<std::uint32_t>(outage.zone)), outage.from, outage.until});
  draft.assume("spot availability", given.text("spotTrace"), fmt::format("{}", fmt::join(pairs, ", ")));
}

}  // namespace

void read_autoscaler(YamlMap& root, ScenarioDraft& draft) {
  std::optional<YamlMap> given = root.map("autoscaler");
  AutoscalerSettings& settings = draft.scenario.fleet.autoscaler;
  Cores cores(0);  // of all elastic nodes together; 0: any number
  static constexpr std::array<std::string_view, 3> consolidations{"Never", "WhenEmpty", "WhenEmptyOrUnderutilized"};
  if (given) {
    settings.batch_idle = given->duration("batchIdle", settings.batch_idle);
    settings.batch_most = given->duration("batchMost", settings.batch_most);
    cores = Cores(given->number("limitCores", 0, {0, 1e9}));
    settings.consolidation = static_cast<Consolidation>(
        given->choice("consolidation", consolidations, static_cast<std::size_t>(settings.consolidation)));
    settings.consolidate_after = given->duration("consolidateAfter", settings.consolidate_after);
    settings.termination = given->duration("terminationTime", settings.termination);
    settings.bills_nodes_left = given->flag("billNodesLeft", settings.bills_nodes_left);
    settings.budget = given->number("budget", settings.budget, share_range);
    settings.notice = given->duration("interruptionNotice", settings.notice);
    read_spot_trace(*given, draft);
    given->finish();
  }
  if (draft.scenario.fleet.offers.empty()) return;
  if (cores.value() > 0) {
    LaunchLimit limit;
    limit.cores = cores;
    const LimitId within = draft.scenario.fleet.limits.push_back(limit);
    for (NodeOffer& offer : draft.scenario.fleet.offers) offer.within = within;
  }
  std::uint64_t places = 0;
  bool interrupted = false;
  for (const NodeOffer& offer : draft.scenario.fleet.offers) {
    places += offer.limit;
    interrupted = interrupted || offer.interruptions > 0;
  }
  draft.assume(
      "autoscaler",
      fmt::format("up to {} nodes of {} offers{}", places, draft.scenario.fleet.offers.size(),
                  cores.value() > 0 ? fmt::format(", {} cores", cores.value()) : ""),
      fmt::format("as Karpenter: batches of {} s to {} s, {} after {} s, {} s until a machine is off, budget {}",
                  to_seconds(settings.batch_idle), to_seconds(settings.batch_most),
                  consolidations[static_cast<std::size_t>(settings.consolidation)],
                  to_seconds(settings.consolidate_after), to_seconds(settings.termination), settings.budget));
  if (interrupted)
    draft.assume("spot interruptions", fmt::format("{} s of notice", to_seconds(settings.notice)), "drawn by the seed");
}

}  // namespace lips::simulation
