#include "records/twin_state_json.h"

#include "records/optional_usd_json.h"

namespace lips {

namespace {

using namespace json_tables;
using Ordered = nlohmann::ordered_json;

Ordered regime_json(const TwinRegime& regime) {
  return {regime.policy, regime.invoice.value(), regime.mean_wait.count(), regime.finished};
}

TwinRegime read_regime(const View& row) {
  return {row.cell(0, Text{}), Usd(row.cell(1, any_real)), Duration(row.cell(2, Whole{-any_time, any_time})),
          row.cell(3, Flag{})};
}

TwinReport read_report(const View& json) {
  TwinReport report;
  const View facts = json.at("facts"), regimes = json.at("regimes"), not_known = json.at("notKnown");
  if (facts.rows(6) == 1) {
    const View row = facts.item(0);
    report.span = Duration(row.cell(0, Whole{0, any_time})), report.unknown = Duration(row.cell(1, Whole{0, any_time}));
    report.records = row.cell(2, Natural{}), report.jobs = row.cell(3, Natural{});
    report.counted = usd_or_none(row, 4), report.until_last = usd_or_none(row, 5);
  }
  report.watched = json.has("watched") && json.at("watched").value(Flag{});
  for (std::size_t i = 0, count = regimes.rows(4); i < count; ++i)
    (i == 0 ? report.ran : report.others.emplace_back()) = read_regime(regimes.item(i));
  for (std::size_t i = 0, count = not_known.list(); i < count; ++i)
    report.not_known.push_back(not_known.cell(i, Text{}));
  return report;
}

}  // namespace

Ordered twin_state_json(const TwinState& twin) {
  Ordered json = {{"age", twin.age.count()}, {"missing", twin.missing}};
  if (!twin.report) return json;
  const TwinReport& report = *twin.report;
  json["facts"] = Ordered::array();
  json["facts"].push_back({report.span.count(), report.unknown.count(), report.records, report.jobs,
                           or_null(report.counted), or_null(report.until_last)});
  if (report.watched) json["watched"] = true;
  json["regimes"] = Ordered::array();
  json["regimes"].push_back(regime_json(report.ran));
  for (const TwinRegime& other : report.others) json["regimes"].push_back(regime_json(other));
  json["notKnown"] = report.not_known;
  return json;
}

TwinState read_twin_state(const View& json) {
  TwinState twin;
  twin.age = Duration(json.at("age").value(Whole{-any_time, any_time}));
  twin.missing = json.at("missing").value(Text{});
  if (json.has("facts")) twin.report = read_report(json);
  return twin;
}

}  // namespace lips
