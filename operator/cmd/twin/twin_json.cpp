#include <nlohmann/json.hpp>

#include "cmd/cli/simulation_runs.h"
#include "cmd/twin/twin_result.h"
#include "version.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

Json facts_json(const std::vector<simulation::Assumption>& facts) {
  Json list = Json::array();
  for (const simulation::Assumption& fact : facts)
    list.push_back({{"name", fact.name}, {"value", fact.value}, {"note", fact.note}});
  return list;
}

Json counted_json(const std::optional<InvoiceSoFar>& counted) {
  if (!counted) return nullptr;
  Json json = {{"total", counted->total().value()}};
  each_field(*counted, [&](std::string_view name, Usd dollars) { json[std::string(name)] = dollars.value(); });
  return json;
}

Json invoice_json(const Invoice& invoice) {
  return {{"total", invoice.total().value()},
          {"nodes", invoice.nodes.value()},
          {"transfer", invoice.transfer.value()},
          {"storage", invoice.storage.value()}};
}

Json regime_json(const TwinResult& result, const Regime& regime) {
  const simulation::RunResult& run = regime.run;
  return {{"regime", regime.name},
          {"policy", regime.policy},
          {"with", regime.with.empty() ? Json() : Json(regime.with)},
          {"ran", regime.ran},
          {"invoice", invoice_json(run.invoice)},
          {"againstWhatRan", result.against_what_ran(regime)},
          {"byUse", run.bill.total().value()},
          {"meanWaitSeconds", run.mean_wait},
          {"completionSeconds",
           {{"mean", run.completion.mean},
            {"p50", run.completion.p50},
            {"p95", run.completion.p95},
            {"max", run.completion.max}}},
          {"makespanSeconds", to_seconds(run.makespan)},
          {"launches", run.fleet.launches},
          {"jobs", run.jobs},
          {"jobsFinished", run.jobs_finished},
          {"finished", finished(run)}};
}

}  // namespace

std::string twin_json(const TwinResult& result) {
  const twin::RecordedDay& day = result.day;
  Json json;
  json["name"] = day.scenario.name;
  json["version"] = version;
  json["records"] = day.records;
  json["spanSeconds"] = to_seconds(day.span);
  json["counted"] = counted_json(day.counted);
  json["twinOfCounted"] = result.until_last ? invoice_json(result.until_last->invoice) : Json();
  json["error"] = result.error() ? Json(*result.error()) : Json();
  json["regimes"] = Json::array();
  for (const Regime& regime : result.regimes) json["regimes"].push_back(regime_json(result, regime));
  json["floor"] = result.floor ? Json{{"dollars", result.floor->dollars.value()},
                                      {"horizonSeconds", to_seconds(result.floor->horizon)}}
                               : Json();
  json["notKnown"] = facts_json(day.not_known);
  json["assumptions"] = facts_json(day.scenario.assumptions);
  if (!result.not_run.empty()) json["notRun"] = result.not_run;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lips::cmd
