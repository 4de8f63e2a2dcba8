#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cmd/ask/source.h"
#include "cmd/ask/table.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

std::string signed_percent(double fraction) { return (fraction < 0 ? "" : "+") + page::percent(fraction); }

std::string twin_table(const TwinReport& report) {
  std::string out = fmt::format("invoice of the last {}, {} jobs\n", page::duration(to_seconds(report.span)),
                                page::count(report.jobs));
  if (report.counted) out += fmt::format("  counted: {}\n", page::usd(report.counted->value()));
  if (const std::optional<double> error = report.error())
    out += fmt::format("  the twin of what ran: {}, its own error {}\n", page::usd(report.until_last->value()),
                       signed_percent(*error));
  out += "\n";
  std::vector<std::vector<std::string>> lines{
      {"the same work, simulated under", "invoice", report.watched ? "would have saved" : "saved", "mean wait"}};
  const auto add = [&](const std::string& name, const TwinRegime& regime, const std::string& saved) {
    lines.push_back({name, page::usd(regime.invoice.value()), saved, page::duration(to_seconds(regime.mean_wait))});
  };
  add(ran_words(report), report.ran, "");
  for (const TwinRegime& other : report.others) {
    const std::optional<double> saved = report.saved(other);
    add(regime_words(other.policy), other, saved ? page::percent(*saved) : "unfinished");
  }
  out += render_table(lines) + "\n";
  for (const std::string& fact : report.not_known) out += "not known: " + fact + "\n";
  return report.not_known.empty() ? out : out + "\n";
}

std::string twin_text(const TwinState& twin) {
  std::string out = twin.report ? twin_table(*twin.report) : "";
  if (!twin.missing.empty())
    out += fmt::format("no {}comparison with other schedulers: {}\n", twin.report ? "later " : "", twin.missing);
  return out;
}

Json regime_json(const TwinReport& report, const TwinRegime& regime) {
  const std::optional<double> saved = &regime == &report.ran ? std::nullopt : report.saved(regime);
  return {{"policy", regime.policy},
          {"dollars", regime.invoice.value()},
          {report.watched ? "wouldSaveShare" : "savedShare", saved ? Json(*saved) : Json(nullptr)},
          {"meanWaitSeconds", to_seconds(regime.mean_wait)},
          {"finished", regime.finished}};
}

Json twin_json(const TwinState& twin) {
  Json json = {{"missing", twin.missing}};
  if (!twin.report) return json;
  const TwinReport& report = *twin.report;
  const std::optional<double> error = report.error();
  json["ageSeconds"] = to_seconds(twin.age);
  json["spanSeconds"] = to_seconds(report.span), json["unknownSeconds"] = to_seconds(report.unknown);
  json["jobs"] = report.jobs, json["records"] = report.records, json["watched"] = report.watched;
  json["countedDollars"] = report.counted ? Json(report.counted->value()) : Json(nullptr);
  json["ownError"] = error ? Json(*error) : Json(nullptr);
  json["ran"] = regime_json(report, report.ran);
  json["others"] = Json::array();
  for (const TwinRegime& other : report.others) json["others"].push_back(regime_json(report, other));
  json["notKnown"] = report.not_known;
  return json;
}

}  // namespace

int run_report(Words words) {
  Source source;
  OutputFormat format = OutputFormat::text;
  Arguments arguments(
      "lips report",
      "Says what was paid and what the same work would have cost under other schedulers, as simulated from the "
      "operator's journal; in mode watch what the work of other schedulers cost and would have cost with LiPS. Nothing "
      "is changed.");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)", format);
  describe(source, arguments);
  arguments.example("kubectl lips report", "what LiPS saves, or in mode watch would have saved");
  arguments.example("lips report --format json --url http://127.0.0.1:8080", "the same for a program");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<LiveFacts> live = fetch_live(source);
  if (!live) return print_error(live.error());
  if (format == OutputFormat::text) return print(twin_text(live->twin));
  const Json json = {{"twin", twin_json(live->twin)}};
  return print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace lips::cmd
