#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cmd/ask/source.h"
#include "cmd/ask/table.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view meaning = R"(
actual and planned are invoice dollars up to now: elastic nodes, reads and shuffle across zones. Fixed nodes are paid for whatever runs on
them; `fixed` is what the pods took of them.
  measured  where each pod runs or ran, for how long, the cores that it requests, the price of its node
  planned   where the policy of this operator would have put it, on the room that other pods left, without copying data
  assumed   a pod would have run as long on a node of the same speed, costs its share of the node by requested cores, and reads the
            nearest replica of the data set that it declares. Peers exchange each with each, reduces read from all maps: the bytes that
            lips.dev/shuffle declares or earlier runs of a Spark application exchanged, else so many for each CPU-second
            (applications.shufflePerCpuSecond). A pod that still runs has read and exchanged the part that its time is of what was
            expected
A pod without a comparison saves nothing here: it would have waited for longer than it ran (would wait), asks for what LiPS does not
support, ran before it was watched, or nothing was planned (other).
)";

enum class Grouping : std::uint8_t { job, name_space, day };
constexpr std::string_view to_string(Grouping by) {
  constexpr EnumArray<Grouping, std::string_view> names{"job", "namespace", "day"};
  return names[by];
}

std::vector<WatchedRow> grouped(const std::vector<WatchedRow>& rows, Grouping by) {
  std::map<std::tuple<std::string, std::string, std::string>, WatchedSum> sums;
  for (const WatchedRow& row : rows)
    sums[{by == Grouping::name_space ? "" : row.day, by == Grouping::day ? "" : row.name_space,
          by == Grouping::job ? row.job : ""}] += row.sum;
  std::vector<WatchedRow> result;
  for (const auto& [key, sum] : sums) result.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), sum});
  return result;
}

std::uint64_t pods_of(const WatchedSum& sum) {
  std::uint64_t all = 0;
  for (const std::uint64_t pods : sum.pods) all += pods;
  return all;
}

double mean_seconds(Duration sum, std::uint64_t count) {
  return count == 0 ? 0 : to_seconds(sum) / static_cast<double>(count);
}

std::vector<std::string> cells(const WatchedRow& row, Grouping by) {
  const WatchedSum& sum = row.sum;
  const std::uint64_t pods = pods_of(sum), compared = sum.pods[WatchOutcome::compared],
                      waiting = sum.pods[WatchOutcome::would_wait];
  std::vector<std::string> cells;
  if (by != Grouping::name_space) cells.push_back(row.day);
  if (by != Grouping::day) cells.push_back(row.name_space);
  if (by == Grouping::job) cells.push_back(row.job);
  const double actual = sum.actual.invoice().value(), planned = sum.planned.invoice().value();
  cells.insert(cells.end(),
               {page::count(sum.running), page::count(pods), page::count(compared), page::count(waiting),
                page::count(pods - compared - waiting), page::usd(actual), page::usd(planned),
                page::usd(actual - planned), actual > 0 ? page::percent(1 - planned / actual) : "-",
                page::usd(sum.actual.all_shuffle().value()), page::usd(sum.planned.all_shuffle().value()),
                page::usd(sum.actual.fixed.value()), page::duration(mean_seconds(sum.actual_wait, compared)),
                page::duration(mean_seconds(sum.planned_wait, compared))});
  return cells;
}

std::vector<std::string> titles(Grouping by) {
  std::vector<std::string> titles;
  if (by != Grouping::name_space) titles.emplace_back("day");
  if (by != Grouping::day) titles.emplace_back("namespace");
  if (by == Grouping::job) titles.emplace_back("job");
  titles.insert(titles.end(), {"running", "ended", "compared", "would wait", "other", "actual", "planned", "saved",
                               "share", "shuffle", "planned shuffle", "fixed", "waited", "planned wait"});
  return titles;
}

Json dollars_json(const WatchedDollars& dollars) {
  return {{"invoice", dollars.invoice().value()},
          {"elasticNodes", dollars.elastic.value()},
          {"transfer", dollars.transfer.value()},
          {"shuffle", dollars.shuffle.value()},
          {"shuffleAssumed", dollars.shuffle_assumed.value()},
          {"fixedNodes", dollars.fixed.value()}};
}

Json row_json(const WatchedRow& row, Grouping by) {
  Json json = Json::object();
  if (by != Grouping::name_space) json["day"] = row.day;
  if (by != Grouping::day) json["namespace"] = row.name_space;
  if (by == Grouping::job) json["job"] = row.job;
  json["running"] = row.sum.running;
  json["pods"] = pods_of(row.sum);
  for (const WatchOutcome outcome : enumerators<WatchOutcome>)
    json["podsBy"][std::string(to_string(outcome))] = row.sum.pods[outcome];
  json["actual"] = dollars_json(row.sum.actual);
  json["planned"] = dollars_json(row.sum.planned);
  json["saved"] = (row.sum.actual.invoice() - row.sum.planned.invoice()).value();
  json["waitedSeconds"] = to_seconds(row.sum.actual_wait);
  json["plannedWaitSeconds"] = to_seconds(row.sum.planned_wait);
  return json;
}

std::string signed_percent(double fraction) { return (fraction < 0 ? "" : "+") + page::percent(fraction); }

std::string twin_table(const TwinReport& report) {
  std::string out = fmt::format("invoice of the last {}, {} jobs\n", page::duration(to_seconds(report.span)),
                                page::count(report.jobs));
  if (report.counted) out += fmt::format("  counted: {}\n", page::usd(report.counted->value()));
  if (const std::optional<double> error = report.error())
    out += fmt::format("  the twin of what ran: {}, its own error {}\n", page::usd(report.until_last->value()),
                       signed_percent(*error));
  out += "\n";
  std::vector<std::vector<std::string>> lines{{"the same work, simulated under", "invoice", "saved", "mean wait"}};
  const auto add = [&](const std::string& name, const TwinRegime& regime, const std::string& saved) {
    lines.push_back({name, page::usd(regime.invoice.value()), saved, page::duration(to_seconds(regime.mean_wait))});
  };
  add(report.ran.policy + ", as it ran", report.ran, "");
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
    out += fmt::format("no {}comparison with other schedulers: {}\n\n", twin.report ? "later " : "", twin.missing);
  return out;
}

Json regime_json(const TwinReport& report, const TwinRegime& regime) {
  const std::optional<double> saved = &regime == &report.ran ? std::nullopt : report.saved(regime);
  return {{"policy", regime.policy},
          {"dollars", regime.invoice.value()},
          {"savedShare", saved ? Json(*saved) : Json(nullptr)},
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
  json["jobs"] = report.jobs, json["records"] = report.records;
  json["countedDollars"] = report.counted ? Json(report.counted->value()) : Json(nullptr);
  json["ownError"] = error ? Json(*error) : Json(nullptr);
  json["ran"] = regime_json(report, report.ran);
  json["others"] = Json::array();
  for (const TwinRegime& other : report.others) json["others"].push_back(regime_json(report, other));
  json["notKnown"] = report.not_known;
  return json;
}

std::string as_text(const std::vector<WatchedRow>& rows, Grouping by) {
  if (rows.empty()) return "no batch pod of another scheduler has run since the operator began to lead\n";
  std::vector<std::vector<std::string>> lines{titles(by)};
  WatchedRow all{"total", by == Grouping::name_space ? "total" : "", "", {}};
  for (const WatchedRow& row : rows) {
    lines.push_back(cells(row, by));
    all.sum += row.sum;
  }
  lines.push_back(cells(all, by));
  const WatchedSum& sum = all.sum;
  return render_table(lines) +
         fmt::format("\nof the shuffle, {} actual and {} planned are for bytes that nobody declared\n",
                     page::usd(sum.actual.shuffle_assumed.value()), page::usd(sum.planned.shuffle_assumed.value())) +
         std::string(meaning);
}

}  // namespace

int run_report(Words words) {
  Source source;
  Grouping by = Grouping::job;
  OutputFormat format = OutputFormat::text;
  Arguments arguments(
      "lips report",
      "Says what was paid and what the same work would have cost under other schedulers, as simulated from the "
      "operator's journal; and lists what batch pods of other schedulers have cost up to now where they ran, and would "
      "have cost where LiPS would have put them. Nothing is changed.");
  arguments.choice("--by", {Grouping::job, Grouping::name_space, Grouping::day},
                   "rows of watched pods: of a day's job, a namespace, or a day", by);
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)", format);
  describe(source, arguments);
  arguments.example("kubectl lips report --by namespace", "what LiPS would have saved in each namespace");
  arguments.example("lips report --format json --url http://127.0.0.1:8080", "the same by day and job, for a program");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<LiveFacts> live = fetch_live(source);
  if (!live) return print_error(live.error());
  const std::vector<WatchedRow> rows = grouped(live->watched, by);
  if (format == OutputFormat::text) return print(twin_text(live->twin) + as_text(rows, by));
  Json json = {{"twin", twin_json(live->twin)}, {"watched", Json::array()}};
  for (const WatchedRow& row : rows) json["watched"].push_back(row_json(row, by));
  return print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace lips::cmd
