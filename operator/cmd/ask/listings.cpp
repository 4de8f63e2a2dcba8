#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "advice/data_places.h"
#include "advice/expected.h"
#include "advice/holds.h"
#include "cmd/ask/expected_json.h"
#include "cmd/ask/source.h"
#include "cmd/ask/table.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_named = 3;  // jobs, in one cell

// The content of one of these commands, in both forms.
struct Listing {
  std::vector<std::vector<std::string>> rows;  // the first has the titles
  Json json = Json::array();
  std::string none;  // instead of a table without rows
};
using List = Result<Listing> (*)(const EpochRecord& record);

struct Shown {
  std::string_view name, summary, example;
  List list;
};

Result<Listing> list_plans(const EpochRecord& record) {
  const Result<const LiveFacts*> live = live_facts(record);
  if (!live) return tl::unexpected(live.error());
  Listing listing{{{"ago", "policy", "pending", "assigned", "moves", "by use", "cost", "bound", "gap", "ms"}}, {}, ""};
  listing.none = "the operator has made no plan yet\n", listing.json = Json::array();
  for (const PastPlan& plan : (*live)->plans) {
    const double ago = to_seconds(record.snapshot.cluster.now - plan.at);
    const std::optional<double> gap = plan.gap();
    listing.rows.push_back({page::duration(ago), plan.policy, page::count(plan.pending), page::count(plan.assigned),
                            page::count(plan.moves), page::usd(plan.dollars.value()),
                            plan.cost ? page::usd(plan.cost->value()) : "-",
                            plan.bound ? page::usd(plan.bound->value()) : "-", gap ? page::percent(*gap) : "-",
                            fmt::format("{:.1f}", 1e3 * plan.seconds)});
    listing.json.push_back({{"secondsAgo", ago},
                            {"policy", plan.policy},
                            {"pending", plan.pending},
                            {"assigned", plan.assigned},
                            {"moves", plan.moves},
                            {"dollars", plan.dollars.value()},
                            {"cost", plan.cost ? Json(plan.cost->value()) : Json()},
                            {"lowerBound", plan.bound ? Json(plan.bound->value()) : Json()},
                            {"gap", gap ? Json(*gap) : Json()},
                            {"milliseconds", 1e3 * plan.seconds}});
  }
  return listing;
}

struct Cell {
  std::string text;
  Json json;
  Cell(std::string shown, Json value) : text(std::move(shown)), json(std::move(value)) {}
  Cell() : text("-") {}
};

void add_target(const std::array<Cell, 9>& cells, Listing& listing) {
  constexpr std::array keys{"pool", "job", "target", "wanted", "reached", "forecast", "waitingFactor", "state", "why"};
  std::vector<std::string> row;
  Json json = Json::object();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    row.push_back(cells[i].text);
    json[keys[i]] = cells[i].json;
  }
  listing.rows.push_back(std::move(row));
  listing.json.push_back(std::move(json));
}

Cell named(std::string_view name) { return {std::string(name), name}; }

void add_target(const TargetReport& report, Listing& listing) {
  const auto amount = [&](double value) -> Cell {
    return {report.kind == TargetKind::budget_per_day ? page::usd(value) : page::duration(value), value};
  };
  add_target({report.pool.empty() ? Cell("all together", Json()) : named(report.pool), Cell(),
              named(to_string(report.kind)), amount(report.target), amount(report.reached), amount(report.forecast),
              Cell(page::multiple(report.factor), report.factor), named(to_string(report.state)),
              report.why.empty() ? Cell() : named(report.why)},
             listing);
}

void add_target(const OwnTargetReport& report, Listing& listing) {
  const double target = to_seconds(report.target), forecast = to_seconds(report.forecast);
  const Cell wanted(target < 0 ? page::duration(-target) + " ago" : page::duration(target), target),
      foreseen(page::foreseen(report.forecast), report.forecast < longest_span ? Json(forecast) : Json());
  add_target({named(report.pool), named(report.job), named(to_string(report.kind)), wanted, Cell(), foreseen, Cell(),
              named(to_string(report.state)), Cell()},
             listing);
}

Result<Listing> list_targets(const EpochRecord& record) {
  const Result<const LiveFacts*> live = live_facts(record);
  if (!live) return tl::unexpected(live.error());
  Listing listing{
      {{"pool", "job", "target", "wanted", "so far", "foreseen", "waiting price", "state", "why"}}, Json::array(), ""};
  listing.none = "nobody has a target (docs/targets.md)\n";
  for (const TargetReport& report : (*live)->targets) add_target(report, listing);
  for (const OwnTargetReport& report : (*live)->own_targets) add_target(report, listing);
  return listing;
}

std::string size_text(Mebibytes size) { return page::gigabytes(size.value() / mebibytes_per_gigabyte); }

Result<Listing> list_applications(const EpochRecord& record) {
  const Result<const LiveFacts*> live = live_facts(record);
  if (!live) return tl::unexpected(live.error());
  Listing listing{{{"application", "whole runs", "workers", "exchanges", "reads"}}, Json::array(), ""};
  listing.none = "nothing is learned of any application (docs/spark.md)\n";
  for (const LearnedApplication& one : (*live)->applications) {
    const std::string_view least = one.runs > 0 ? "" : "at least ";
    listing.rows.push_back({one.name, page::count(one.runs), one.workers > 0 ? page::count(one.workers) : "?",
                            fmt::format("{}{}", least, size_text(one.shuffle)),
                            fmt::format("{}{}", least, size_text(one.input))});
    listing.json.push_back({{"application", one.name},
                            {"wholeRuns", one.runs},
                            {"workers", one.workers},
                            {"shuffleMebibytes", one.shuffle.value()},
                            {"inputMebibytes", one.input.value()}});
  }
  return listing;
}

Result<Listing> list_data(const EpochRecord& record) {
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  const advice::DataPlaces places = advice::data_places(cluster);
  Listing listing{{{"data set", "size"}}, Json::array(), "the cluster has no data sets\n"};
  for (const Zone& zone : cluster.zones) listing.rows[0].push_back(zone.name);
  listing.rows[0].emplace_back("blocks lost");
  for (const DataSetId id : cluster.data_sets.ids()) {
    const DataSet& data_set = cluster.data_sets[id];
    std::vector<std::string> row{data_set.name, size_text(data_set.size)};
    Json zones = Json::object();
    for (const ZoneId zone : cluster.zones.ids()) {
      row.push_back(size_text(places.held[id][zone]));
      zones[cluster.zones[zone].name] = places.held[id][zone].value();
    }
    row.push_back(page::count(places.lost[id]));
    listing.rows.push_back(std::move(row));
    listing.json.push_back({{"dataSet", data_set.name},
                            {"mebibytes", data_set.size.value()},
                            {"blocks", data_set.blocks},
                            {"blocksLost", places.lost[id]},
                            {"mebibytesByZone", std::move(zones)}});
  }
  return listing;
}

Result<Listing> list_moves(const EpochRecord& record) {
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  Listing listing{{{"data set", "from", "to", "blocks", "size", "dollars"}}, Json::array(), "no move is in flight\n"};
  for (const advice::MovesUnderWay& group : advice::moves_under_way(cluster, record.snapshot.costs)) {
    const std::string name = group.data_set.valid() ? cluster.data_sets[group.data_set].name : "-";
    const std::string &from = cluster.stores[group.from].name, &to = cluster.stores[group.to].name;
    listing.rows.push_back(
        {name, from, to, page::count(group.blocks), size_text(group.size), page::usd(group.dollars.value())});
    listing.json.push_back({{"dataSet", name},
                            {"from", from},
                            {"to", to},
                            {"blocks", group.blocks},
                            {"mebibytes", group.size.value()},
                            {"dollars", group.dollars.value()}});
  }
  return listing;
}

// The present plan, and the question that it answers.
struct Planned {
  advice::Question question;
  advice::Outcome outcome;
};
Result<Planned> plan_of(const EpochRecord& record) {
  Result<advice::Question> question = question_of(record, {});
  if (!question) return tl::unexpected(question.error());
  Result<advice::Outcome> outcome = advice::ask(*question);
  if (!outcome) return tl::unexpected(outcome.error());
  return Planned{*std::move(question), *std::move(outcome)};
}

Result<Listing> list_expected(const EpochRecord& record) {
  const Result<Planned> planned = plan_of(record);
  if (!planned) return tl::unexpected(planned.error());
  const ClusterSnapshot& cluster = planned->question.cluster;
  Listing listing{{{"job", "expected", "chance", "CPU hours", "reads", "room left in"}}, Json::array(), ""};
  listing.none = "nobody has announced work that is to come (docs/kubernetes.md#work-to-come)\n";
  for (const advice::ExpectedJob& job : advice::expected_jobs(cluster, planned->outcome.plan)) {
    const std::string reads = names_of_inputs(cluster, job);
    std::string room;
    for (const auto& [zone, work] : job.room)
      room += fmt::format("{}{} ({})", room.empty() ? "" : ", ", cluster.zones[zone].name, page::hours(work.value()));
    listing.rows.push_back({job.name, page::when(to_seconds(job.in)), page::percent(job.chance),
                            page::hours(job.work.value()), reads.empty() ? "-" : reads, room.empty() ? "-" : room});
    listing.json.push_back(expected_json(cluster, job));
  }
  return listing;
}

// Jobs of a Kubernetes cluster are named NAMESPACE/NAME. Empty: another job.
std::string namespace_of(const std::string& job) {
  const std::size_t end = job.find('/');
  return end == std::string::npos ? "" : job.substr(0, end);
}

std::string shown_if(bool known, std::string text) { return known && !text.empty() ? std::move(text) : "-"; }

void add_hold(const ClusterSnapshot& cluster, const advice::Hold& hold, Listing& listing) {
  const std::string space = namespace_of(hold.job);
  std::string waits;
  Json waiting = Json::array();
  for (const JobId job : hold.waiting) {
    waiting.push_back(cluster.jobs[job].name);
    if (waiting.size() <= most_named) waits += fmt::format("{}{}", waits.empty() ? "" : ", ", cluster.jobs[job].name);
  }
  if (waiting.size() > most_named) waits += fmt::format(" and {} more", waiting.size() - most_named);
  const double cores = hold.room.cpu.value();
  const auto time_text = [](std::optional<Duration> time) { return time ? page::duration(to_seconds(*time)) : "-"; };
  const auto time_json = [](std::optional<Duration> time) { return time ? Json(to_seconds(*time)) : Json(); };
  listing.rows.push_back({hold.reason, shown_if(true, space), hold.job, shown_if(true, hold.pool),
                          hold.store.empty() ? hold.zone : hold.zone + "/" + hold.store,
                          shown_if(hold.tasks > 0, page::count(hold.tasks)),
                          shown_if(cores > 0, fmt::format("{:g}", cores)),
                          shown_if(hold.room.memory.value() > 0, size_text(hold.room.memory)),
                          shown_if(hold.work.value() > 0, page::hours(hold.work.value())), time_text(hold.age),
                          time_text(hold.ends_in), shown_if(hold.spare, "yes"), shown_if(true, waits)});
  listing.json.push_back({{"reason", hold.reason},
                          {"namespace", space},
                          {"job", hold.job},
                          {"pool", hold.pool},
                          {"zone", hold.zone},
                          {"store", hold.store.empty() ? Json() : Json(hold.store)},
                          {"tasks", hold.tasks},
                          {"cores", cores},
                          {"mebibytes", hold.room.memory.value()},
                          {"cpuSeconds", hold.work.value()},
                          {"secondsSince", time_json(hold.age)},
                          {"secondsUntil", time_json(hold.ends_in)},
                          {"spare", hold.spare},
                          {"waiting", std::move(waiting)}});
}

Result<Listing> list_holds(const EpochRecord& record) {
  const Result<Planned> planned = plan_of(record);
  if (!planned) return tl::unexpected(planned.error());
  const ClusterSnapshot& cluster = planned->question.cluster;
  const Result<std::vector<advice::Hold>> holds = advice::holds(planned->question, planned->outcome);
  if (!holds) return tl::unexpected(holds.error());
  Listing listing{{{"held for", "namespace", "job or data", "pool", "zone", "tasks", "cores", "size", "CPU hours",
                    "since", "at most until", "spare", "who waits"}},
                  Json::array(),
                  ""};
  listing.none = "nothing is held for anybody (what is expected: lips expected)\n";
  for (const advice::Hold& hold : *holds) add_hold(cluster, hold, listing);
  return listing;
}

int run_listing(const Shown& shown, Words words) {
  Source source;
  OutputFormat format = OutputFormat::text;
  const std::string command = fmt::format("lips {}", shown.name);
  Arguments arguments(command, std::string(shown.summary));
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)", format);
  describe(source, arguments);
  arguments.example(fmt::format("kubectl {}", command), std::string(shown.example));
  arguments.example(fmt::format("{} --format json --url http://127.0.0.1:8080", command), "the same for a program");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<FetchedState> state = fetch(source);
  if (!state) return print_error(state.error());
  const Result<Listing> listing = shown.list(state->record);
  if (!listing) return print_error(listing.error());
  if (format == OutputFormat::json)
    return print(listing->json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return print(listing->rows.size() > 1 ? render_table(listing->rows) : listing->none);
}

}  // namespace

int run_plans(Words words) {
  return run_listing(
      {"plans", "Lists the last plans of a running operator: tasks, dollars by use, certified bound and time.",
       "the last hundred plans, the oldest first", list_plans},
      words);
}

int run_targets(Words words) {
  return run_listing({"targets",
                      "Lists what each pool wants of a day, and how far it is held: budget, mean wait, "
                      "complete-by.",
                      "which targets are held, and which are about to be missed", list_targets},
                     words);
}

int run_applications(Words words) {
  return run_listing(
      {"applications",
       "Lists what is learned of Spark applications: executors, and the bytes that a run exchanges and reads.",
       "what is assumed of the next run of each application", list_applications},
      words);
}

int run_expected(Words words) {
  return run_listing({"expected",
                      "Lists jobs that are announced and have not come, and the zones in which the present plan leaves "
                      "room for them.",
                      "what comes next, and where there is room for it", list_expected},
                     words);
}

int run_holds(Words words) {
  return run_listing(
      {"holds",
       "Lists what is held: room that the present plan leaves empty or leaves to expected runs, room beside tasks that "
       "are marked against eviction, copies of data; for whom, where, how much, until when, and who waits.",
       "what is held, for whom, and who waits because of it", list_holds},
      words);
}

int run_data(Words words) {
  return run_listing({"data", "Lists data sets and how much of each lies in which zone.", "where data is", list_data},
                     words);
}

int run_moves(Words words) {
  return run_listing({"moves", "Lists moves of data in flight, with their bytes and dollars.",
                      "what is being copied from where to where", list_moves},
                     words);
}

}  // namespace lips::cmd
