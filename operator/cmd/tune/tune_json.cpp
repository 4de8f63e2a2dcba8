#include <nlohmann/json.hpp>

#include "cmd/tune/tune_result.h"
#include "version.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

Json pools_of(const CurvePoint& point) {
  Json pools = Json::array();
  for (const PoolPart& part : point.pools)
    pools.push_back({{"pool", part.pool},
                     {"weight", part.weight},
                     {"usedCoreSeconds", part.used},
                     {"entitledCoreSeconds", part.entitled},
                     {"longestBelowShareSeconds", part.longest_below}});
  return pools;
}

Json point_of(const CurvePoint& point) {
  return {{"waitingPrice", point.waiting_price},
          {"with", point.variant.empty() ? Json() : Json(point.variant)},
          {"dollars", point.dollars},
          {"dollarsPerDay", point.dollars_per_day},
          {"invoice", point.invoice},
          {"byUse", point.by_use},
          {"completionSeconds",
           {{"mean", point.completion_mean},
            {"p50", point.completion_p50},
            {"p95", point.completion_p95},
            {"max", point.completion_max}}},
          {"meanWaitSeconds", point.mean_wait},
          {"makespanSeconds", point.makespan},
          {"pools", pools_of(point)},
          {"present", point.present},
          {"dominated", point.dominated},
          {"finished", point.unfinished.empty()}};
}

Json recommendation_of(const TuneResult& result) {
  const CurvePoint* chosen = result.chosen();
  if (!chosen) return {};
  return {{"waitingPrice", chosen->waiting_price},
          {"with", chosen->variant.empty() ? Json() : Json(chosen->variant)},
          {"rule", to_string(result.wish.rule)},
          {"held", result.choice->held},
          {"why", reason_text(result)},
          {"settings", setting_lines(*chosen)}};
}

}  // namespace

std::string tune_json(const TuneResult& result) {
  Json json;
  json["name"] = result.name;
  json["description"] = result.description;
  json["kind"] = to_string(result.kind);
  json["version"] = version;
  json["seed"] = result.seed;
  json["nodes"] = result.nodes;
  json["jobs"] = result.jobs;
  json["billing"] = to_string(result.billing);
  json["present"] = result.present;
  json["points"] = Json::array();
  for (const CurvePoint& point : result.points) json["points"].push_back(point_of(point));
  json["recommended"] = recommendation_of(result);
  json["assumptions"] = Json::array();
  for (const simulation::Assumption& assumption : result.assumptions)
    json["assumptions"].push_back({{"name", assumption.name}, {"value", assumption.value}, {"note", assumption.note}});
  if (!result.not_run.empty()) json["notRun"] = result.not_run;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lips::cmd
