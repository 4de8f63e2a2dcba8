#include <fmt/format.h>

#include <array>

#include "simulation/scenario_draft.h"

namespace lips::simulation {

void read_autoscaler(YamlMap& root, ScenarioDraft& draft) {
  std::optional<YamlMap> given = root.map("autoscaler");
  AutoscalerSettings& settings = draft.scenario.fleet.autoscaler;
  static constexpr std::array<std::string_view, 3> consolidations{"Never", "WhenEmpty", "WhenEmptyOrUnderutilized"};
  if (given) {
    settings.batch_idle = given->duration("batchIdle", settings.batch_idle);
    settings.batch_most = given->duration("batchMost", settings.batch_most);
    settings.limit = Cores(given->number("limitCores", 0, {0, 1e9}));
    settings.consolidation = static_cast<Consolidation>(
        given->choice("consolidation", consolidations, static_cast<std::size_t>(settings.consolidation)));
    settings.consolidate_after = given->duration("consolidateAfter", settings.consolidate_after);
    settings.budget = given->number("budget", settings.budget, share_range);
    settings.notice = given->duration("interruptionNotice", settings.notice);
    given->finish();
  }
  if (draft.scenario.fleet.offers.empty()) return;
  std::uint64_t places = 0;
  bool interrupted = false;
  for (const NodeOffer& offer : draft.scenario.fleet.offers) {
    places += offer.limit;
    interrupted = interrupted || offer.interruptions > 0;
  }
  draft.assume(
      "autoscaler",
      fmt::format("up to {} nodes of {} offers{}", places, draft.scenario.fleet.offers.size(),
                  settings.limit.value() > 0 ? fmt::format(", {} cores", settings.limit.value()) : ""),
      fmt::format("as Karpenter: batches of {} s to {} s, {} after {} s, budget {}", to_seconds(settings.batch_idle),
                  to_seconds(settings.batch_most), consolidations[static_cast<std::size_t>(settings.consolidation)],
                  to_seconds(settings.consolidate_after), settings.budget));
  if (interrupted)
    draft.assume("spot interruptions", fmt::format("{} s of notice", to_seconds(settings.notice)), "drawn by the seed");
}

}  // namespace lips::simulation
