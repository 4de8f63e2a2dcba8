#include <fmt/format.h>

#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

constexpr std::int64_t most_pods = 100'000;  // of all services

}  // namespace

void read_services(YamlMap& root, ScenarioDraft& draft) {
  std::int64_t pods = 0;
  for (YamlMap& fields : root.maps("services")) {
    Service service;
    if (fields.require("name")) service.name = fields.text("name");
    service.pods = static_cast<std::uint32_t>(fields.integer("pods", 1, 1, most_pods));
    service.request = read_request(fields, draft);
    service.constraint = read_constraint(fields, draft);
    service.from = TimePoint(fields.duration("arrival", Duration(0)));
    if (fields.require("lifetime")) service.until = service.from + fields.duration("lifetime", Duration(0));
    fields.finish();
    pods += service.pods;
    draft.scenario.services.push_back(std::move(service));
  }
  if (pods > most_pods) root.error("services", fmt::format("{} pods", pods), fmt::format("at most {}", most_pods));
  if (pods > 0)
    draft.assume("services", fmt::format("{} services, {} pods", draft.scenario.services.size(), pods),
                 "placed as kube-scheduler does, whichever policy places the tasks");
}

}  // namespace lips::simulation
