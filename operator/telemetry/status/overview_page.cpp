#include "telemetry/status/overview_page.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "telemetry/page/numbers.h"

namespace lips {

namespace {

using page::Cell;
using page::escape;
using page::Table;

constexpr Duration stale = std::chrono::seconds(15);

Cell words(std::string text) { return {std::move(text), false, true}; }
std::string gigabytes(Mebibytes size) { return page::gigabytes(size.value() / mebibytes_per_gigabyte); }
std::string usd(Usd dollars) { return page::usd(dollars.value()); }
std::string span(Duration span) { return page::duration(to_seconds(span)); }

// "2 min to 5 min"; one time if both read alike.
std::string between(std::optional<Duration> first, std::optional<Duration> last) {
  if (!first) return "-";
  const std::string from = span(*first);
  if (!last) return from + " or later";
  return from == span(*last) ? from : from + " to " + span(*last);
}

std::string last_plan(const LastPlan& plan, Duration age) {
  std::string out = fmt::format("<p class=\"lead\">{} ago <strong>{}</strong> placed {} of {} pending tasks",
                                escape(span(plan.ago + age)), escape(plan.policy), page::count(plan.assigned),
                                page::count(plan.pending));
  if (plan.moves > 0) out += fmt::format(" and ordered {} copies", page::count(plan.moves));
  out += ", for " + escape(usd(plan.dollars)) + " by use.";
  if (plan.gap)
    out += fmt::format(" Counting what waiting costs, no plan is better by more than {}.",
                       escape(page::percent(*plan.gap)));
  if (age >= stale) out += fmt::format(" All below is as of {} ago.", escape(span(age)));
  return out + "</p>";
}

std::string zones_of(const PlacedJob& job) {
  std::string out;
  for (const auto& [zone, tasks] : job.zones)
    out += (out.empty() ? "" : ", ") + (job.zones.size() == 1 ? zone : fmt::format("{} {}", page::count(tasks), zone));
  return out;
}

Table running(const Overview& overview) {
  Table table;
  table.caption = "Where jobs run, and why there";
  table.columns = {"job", "pool", "running", "beside data", "dollars by use", "where", "why"};
  for (const PlacedJob& job : overview.running)
    table.rows.push_back({job_cell(job.name),
                          words(job.pool),
                          {page::count(job.running)},
                          {job.reading == 0 ? "-" : fmt::format("{} of {}", job.beside_data, job.reading)},
                          {usd(job.dollars)},
                          words(zones_of(job)),
                          words(job.reason)});
  return table;
}

Table queue(const Overview& overview) {
  Table table;
  table.caption =
      overview.forecast
          ? "What waits, by expected start: if nothing else arrives and running tasks end when they are expected to"
          : "What waits; expected starts come in a moment";
  table.columns = {"job", "pool", "waiting", "running", "starts in", "why it waits"};
  for (const WaitingJob& job : overview.queue)
    table.rows.push_back({job_cell(job.name),
                          words(job.pool),
                          {page::count(job.waiting)},
                          {page::count(job.running)},
                          {overview.forecast ? between(job.first_start, job.last_start) : "..."},
                          words(job.reason)});
  return table;
}

Table expected(const Overview& overview) {
  Table table;
  table.caption = "What is announced and has not come, and the zones in which the present plan leaves room for it";
  table.columns = {"job", "expected", "chance", "CPU hours", "reads", "room left in"};
  for (const AwaitedJob& job : overview.expected)
    table.rows.push_back({words(job.name),
                          words(page::when(to_seconds(job.in))),
                          {page::percent(job.chance)},
                          {page::hours(job.work.value())},
                          words(job.reads.empty() ? "-" : job.reads),
                          words(job.room.empty() ? "-" : job.room)});
  return table;
}

Table nodes(const Overview& overview) {
  Table table;
  table.caption =
      "Nodes that are there, by zone. Free: when one of them, and when all, run no task of LiPS any more; an elastic node is then "
      "released";
  table.columns = {"zone", "type", "capacity", "fleet", "nodes", "idle", "dollars an hour", "cores in use", "free in"};
  for (const NodesOfKind& kind : overview.nodes)
    table.rows.push_back({{kind.zone},
                          words(kind.instance_type.empty() ? "-" : kind.instance_type),
                          words(kind.capacity_type),
                          words(kind.elastic ? "elastic" : "fixed"),
                          {page::count(kind.nodes)},
                          {page::count(kind.idle)},
                          {page::usd(kind.price.value())},
                          {fmt::format("{:.0f} of {:.0f}", kind.used.value(), kind.cores.value())},
                          {between(kind.first_free, kind.last_free)}});
  return table;
}

std::string at_most(std::uint32_t nodes) {
  constexpr std::uint32_t any_number = 1'000'000;
  return nodes == 0 ? "sold out" : nodes < any_number ? page::count(nodes) : "any number";
}

Table offers(const Overview& overview) {
  Table table;
  table.caption = "Nodes that may be bought, and are not there: nothing is paid for them";
  table.columns = {"zone", "type", "capacity", "at most", "dollars an hour each", "cores each", "boots in"};
  for (const OfferedNodes& offer : overview.offers)
    table.rows.push_back({{offer.zone},
                          words(offer.instance_type.empty() ? "-" : offer.instance_type),
                          words(offer.capacity_type),
                          {at_most(offer.left)},
                          {page::usd(offer.price.value())},
                          {fmt::format("{:.0f}", offer.cores.value())},
                          {span(offer.boot)}});
  return table;
}

Table data(const Overview& overview) {
  Table table;
  table.caption = "Data sets, and how much of each lies in which zone";
  table.columns = {"data set", "size"};
  table.columns.insert(table.columns.end(), overview.zones.begin(), overview.zones.end());
  table.columns.emplace_back("blocks lost");
  for (const PlacedData& placed : overview.data) {
    std::vector<Cell> row{{placed.name}, {gigabytes(placed.size)}};
    for (const Mebibytes held : placed.held) row.push_back({held.value() > 0 ? gigabytes(held) : "-"});
    row.push_back({page::count(placed.lost)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table moves(const Overview& overview) {
  Table table;
  table.caption = "Data that is being copied, and what earns it";
  table.columns = {"data set", "from", "to", "blocks", "size", "dollars", "pays back"};
  for (const MovedData& move : overview.moves)
    table.rows.push_back({{move.name},
                          words(move.from),
                          words(move.to),
                          {page::count(move.blocks)},
                          {gigabytes(move.size)},
                          {usd(move.dollars)},
                          words(move.dollars.value() > 0 ? "read once in " + move.to_zone : "at once: it is free")});
  return table;
}

std::string section(const char* id, const char* title, const std::string& content) {
  return live_part(id, fmt::format("<h2>{}</h2>{}", title, content));
}

std::string table_or(const Table& table, const char* nothing) {
  return table.rows.empty() ? fmt::format("<p class=\"lead\">{}</p>", nothing) : page::render_table(table);
}

Table tasks(const JobView& job) {
  Table table;
  table.caption = job.more_tasks > 0 ? fmt::format("Tasks that wait or run, and {} more", page::count(job.more_tasks))
                                     : "Tasks that wait or run";
  table.columns = {"task", "state", "node", "zone", "reads", "ends in"};
  for (const ShownTask& task : job.tasks)
    table.rows.push_back({{task.name},
                          words(task.state),
                          words(task.node.empty() ? "-" : task.node),
                          words(task.zone.empty() ? "-" : task.zone),
                          words(task.reads.empty() ? "-" : task.reads),
                          {task.ends ? span(*task.ends) : "-"}});
  return table;
}

Table dollars(const JobView& job) {
  Table table;
  table.caption =
      "Dollars by use. Predicted and counted: of tasks that have ended, when they were bound and when they ended; "
      "spent: all that was counted up to now";
  table.columns = {"day", "tasks ended", "predicted", "counted", "spent"};
  for (const JobView::Dollars& day : job.dollars)
    table.rows.push_back(
        {{day.day}, {page::count(day.finished)}, {usd(day.predicted)}, {usd(day.counted)}, {usd(day.spent)}});
  return table;
}

std::string facts(const JobView& job) {
  std::string out = "<ul class=\"figures\">";
  out += figure("waiting", page::count(job.waiting), fmt::format("of {} tasks", page::count(job.maps + job.reduces)));
  out += figure("running", page::count(job.running), fmt::format("{} finished", page::count(job.finished)));
  out += figure("arrived", span(job.age) + " ago", "pool " + job.pool);
  if (job.due) out += figure("due", page::when(to_seconds(*job.due)), "");
  Mebibytes input;
  std::string names;
  for (const auto& [name, size] : job.inputs) input += size, names += (names.empty() ? "" : ", ") + name;
  if (!job.inputs.empty()) out += figure("reads", gigabytes(input), names);
  if (job.shuffle.value() > 0) out += figure("exchanges", gigabytes(job.shuffle), "between its tasks");
  return out + "</ul>";
}

}  // namespace

std::string live_part(const std::string& id, const std::string& content) {
  return fmt::format("<section id=\"{}\" data-live>{}</section>\n", id, content);
}

std::string figure(std::string_view what, const std::string& value, const std::string& note) {
  return fmt::format("<li><span class=\"what\">{}</span><strong>{}</strong><span class=\"note\">{}</span></li>",
                     escape(what), escape(value), escape(note));
}

Cell job_cell(const std::string& name) { return {name, false, true, "?job=" + page::query_value(name)}; }

std::string render_overview(const Overview& overview) {
  std::string decided =
      overview.plan ? last_plan(*overview.plan, overview.age) : "<p class=\"lead\">No plan was made yet.</p>";
  if (!overview.running.empty()) decided += page::render_table(running(overview));
  return section("decided", "Decided last", decided) +
         section("queue", "Queue",
                 table_or(queue(overview), "Nothing waits.") +
                     (overview.expected.empty() ? "" : page::render_table(expected(overview)))) +
         section("nodes", "Nodes",
                 table_or(nodes(overview), "The cluster has no nodes.") +
                     (overview.offers.empty() ? "" : page::render_table(offers(overview)))) +
         section("data", "Data",
                 table_or(data(overview), "The cluster has no data sets.") +
                     (overview.moves.empty() ? "" : page::render_table(moves(overview))));
}

std::string render_job(const JobView& job) {
  std::string why;
  if (!job.why.empty()) why = "<pre class=\"why\">" + escape(job.why) + "</pre>";
  return live_part("job", facts(job) + why) + live_part("tasks", table_or(tasks(job), "No task of it waits or runs.")) +
         live_part("dollars", table_or(dollars(job), "Nothing is spent on it yet."));
}

}  // namespace lips
