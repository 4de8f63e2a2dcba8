#include <nlohmann/json.hpp>

#include "cmd/experiment/experiment_result.h"
#include "version.h"

namespace lips::cmd {

namespace {

using namespace experiments;
using Json = nlohmann::ordered_json;

Json claim_json(const Claim& claim) {
  Json ours = Json::array();
  for (const Spread& spread : claim.ours)
    ours.push_back({{"mean", spread.mean}, {"least", spread.least}, {"most", spread.most}});
  Json json = {{"test", claim.test}, {"what", claim.what}, {"printed", claim.printed}, {"unit", claim.unit}};
  json["ours"] = std::move(ours);
  if (claim.comparable) json["agreesWithin"] = {claim.low, claim.high};
  json["verdict"] = to_string(claim.verdict());
  if (claim.other_reading) json["otherReading"] = true;
  if (!claim.reason.empty()) json["reason"] = claim.reason;
  return json;
}

Json chart_json(const Chart& chart) {
  Json curves = Json::array();
  for (const Curve& curve : chart.curves) {
    Json points = Json::array();
    for (const ChartPoint& point : curve.points) points.push_back({point.x, point.y});
    curves.push_back({{"name", curve.name}, {"points", std::move(points)}});
  }
  Json json = {{"title", chart.title}, {"x", chart.x_title}, {"unit", chart.unit}};
  if (!chart.categories.empty()) json["categories"] = chart.categories;
  json["curves"] = std::move(curves);
  return json;
}

}  // namespace

std::string experiments_json(const ExperimentOutcomes& all) {
  Json list = Json::array();
  for (const ExperimentOutcome& outcome : all.outcomes) {
    Json claims = Json::array(), charts = Json::array();
    for (const Claim& claim : outcome.result.claims) claims.push_back(claim_json(claim));
    for (const Chart& chart : outcome.result.charts) charts.push_back(chart_json(chart));
    list.push_back({{"name", outcome.experiment->name},
                    {"paper", outcome.experiment->paper},
                    {"figure", outcome.experiment->figure},
                    {"summary", outcome.experiment->summary},
                    {"seconds", outcome.seconds},
                    {"setting", {{"fixed", outcome.result.setting.fixed}, {"chosen", outcome.result.setting.chosen}}},
                    {"claims", std::move(claims)},
                    {"charts", std::move(charts)},
                    {"notes", outcome.result.notes}});
  }
  const Json json = {
      {"version", version}, {"seeds", all.seeds}, {"experiments", std::move(list)}, {"notRun", all.not_run}};
  return json.dump(2) + "\n";
}

}  // namespace lips::cmd
