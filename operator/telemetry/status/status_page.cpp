#include "telemetry/status/status_page.h"

#include <fmt/format.h>

#include <numeric>

#include "telemetry/page/html.h"
#include "telemetry/page/numbers.h"
#include "telemetry/page/style.h"
#include "telemetry/status/live.h"
#include "telemetry/status/money_charts.h"
#include "telemetry/status/overview_page.h"
#include "telemetry/status/twin_page.h"

namespace lips {

namespace {

using page::escape;

std::string invoice_line(const OperatorFigures& figures) {
  const InvoiceFigures& invoice = figures.invoice;
  std::string line = page::usd(invoice.so_far.total().value()) + " paid";
  if (invoice.idle.value() > 0) line += fmt::format(", {} of it for idle nodes", page::usd(invoice.idle.value()));
  if (const std::string twin = twin_line(figures.twin); !twin.empty()) return line + "; " + twin;
  if (invoice.task_core_hours > 0)
    line += fmt::format("; {} for a core-hour of work",
                        page::usd(invoice.so_far.total().value() / invoice.task_core_hours));
  return line;
}

std::string headline(const OperatorFigures& figures) {
  if (!figures.state.decides()) return figures.state.words();
  if (figures.epochs == 0) return "Ready; no plan made yet";
  if (figures.pays_for_nodes) return invoice_line(figures);
  return fmt::format("{} spent by use", page::usd(figures.spent.total().value()));
}

std::string key_figures(const OperatorFigures& figures) {
  const std::uint64_t pending =
      std::accumulate(figures.pending.begin(), figures.pending.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
  std::uint64_t running = 0;
  for (const PoolFigures& pool : figures.pools) running += pool.running;
  std::string out = "<ul class=\"figures\">";
  if (figures.pays_for_nodes) {
    const InvoiceFigures& invoice = figures.invoice;
    const double paid = invoice.so_far.total().value(), nodes = invoice.so_far.nodes.value();
    out += figure("invoice", page::usd(paid),
                  fmt::format("nodes {}, bytes and copies {}", page::usd(nodes), page::usd(paid - nodes)));
    out += figure("of it idle nodes", page::usd(invoice.idle.value()), "on which nothing ran; boots are of it");
    out += figure("a core-hour of work", invoice.task_core_hours > 0 ? page::usd(paid / invoice.task_core_hours) : "-",
                  fmt::format("{:.1f} core-hours that tasks held", invoice.task_core_hours));
  }
  out += figure("by use", page::usd(figures.spent.total().value()), "tasks for the cores they hold, copies, storage");
  out += figure("finished tasks", page::count(figures.finished), fmt::format("{} lost and tried again", figures.lost));
  out += figure("running", page::count(running),
                fmt::format("{} of {} nodes schedulable", figures.nodes_schedulable, figures.nodes));
  out += figure("pending", page::count(pending), "after the last plan");
  out += figure("last plan", page::duration(figures.epoch_seconds),
                figures.bound_known ? fmt::format("gap {} to its certified bound", page::percent(figures.gap))
                                    : "no linear program");
  out += figure("plans", page::count(figures.epochs),
                fmt::format("the last one {} ago", page::duration(figures.since_last_epoch)));
  return out + "</ul>";
}

std::string unpriced(const InvoiceFigures& invoice) {
  if (invoice.unpriced.empty()) return "";
  std::uint64_t nodes = 0;
  std::string types;
  for (const auto& [type, count] : invoice.unpriced) {
    nodes += count;
    types += fmt::format("{}{} of {}", types.empty() ? "" : ", ", page::count(count), type.empty() ? "no type" : type);
  }
  return fmt::format(
      "<p class=\"caution\"><strong>No price sheet has {}:</strong> {}. The invoice counts them at "
      "prices.unknownCoreHour.</p>",
      nodes == 1 ? "a node" : page::count(nodes) + " nodes", escape(types));
}

page::Table pools(const OperatorFigures& figures) {
  page::Table table;
  table.caption = "Pools";
  table.columns = {"pool", "cores", "share", "running", "pending", "finished", "CPU", "transfer", "shuffle"};
  for (const PoolFigures& pool : figures.pools)
    table.rows.push_back({{pool.name},
                          {fmt::format("{:.1f}", pool.cores)},
                          {page::percent(pool.share)},
                          {page::count(pool.running)},
                          {page::count(pool.pending)},
                          {page::count(pool.finished)},
                          {page::usd(pool.spent.cpu.value())},
                          {page::usd(pool.spent.transfer.value())},
                          {page::usd(pool.spent.shuffle.value())}});
  return table;
}

// Empty where the policy has no shares, and where a pool is alone.
std::string shares(const OperatorFigures& figures) {
  page::Table table;
  table.caption =
      "Shares, in parts of the resource of which a pool takes most: what it may use, what it uses with the last plan, "
      "what stays empty for its tasks, what of its share others use, and what it uses above it. Cost: what one more "
      "core-hour of its share would save";
  table.columns = {"pool", "entitled", "uses", "wants", "holds", "lends", "borrows", "cost", "below its share for"};
  for (const PoolFigures& pool : figures.pools) {
    if (!pool.standing) continue;
    const PoolSharing& sharing = pool.standing->sharing;
    const std::optional<TimePoint>& below = pool.standing->below_since;
    table.rows.push_back({{pool.name},
                          {page::percent(sharing.entitlement)},
                          {page::percent(sharing.use)},
                          {page::percent(sharing.wanted)},
                          {page::percent(sharing.held)},
                          {page::percent(sharing.lent)},
                          {page::percent(sharing.borrowed)},
                          {page::usd(sharing.price_of_sharing)},
                          {below ? page::duration(to_seconds(figures.now - *below)) : "-", below.has_value()}});
  }
  return table.rows.size() > 1 ? page::render_table(table) : "";
}

page::Table waiting(const OperatorFigures& figures) {
  page::Table table;
  table.caption = "Why tasks wait";
  table.columns = {"reason", "tasks"};
  for (const auto& [reason, count] : figures.pending) table.rows.push_back({{reason}, {page::count(count)}});
  if (table.rows.empty()) table.rows.push_back({{"nothing waits"}, {"0"}});
  return table;
}

page::Table reading(const OperatorFigures& figures) {
  constexpr EnumArray<Locality, std::string_view> names{"on the node itself", "in its rack", "in its zone",
                                                        "across zones", "read no block"};
  const double all = static_cast<double>(std::accumulate(figures.bound.begin(), figures.bound.end(), std::uint64_t{0}));
  page::Table table;
  table.caption = "Where bound tasks read";
  table.columns = {"place", "tasks", "share"};
  for (const Locality level : enumerators<Locality>)
    table.rows.push_back({{std::string(names[level])},
                          {page::count(figures.bound[level])},
                          {all > 0 ? page::percent(static_cast<double>(figures.bound[level]) / all) : "-"}});
  return table;
}

page::Table data(const OperatorFigures& figures) {
  page::Table table;
  table.caption = "Data and bindings";
  table.columns = {"what", "count"};
  table.rows = {{{"moves in flight"}, {page::count(figures.moves_in_flight)}},
                {{"moves committed"}, {page::count(figures.moves_committed)}},
                {{"moves failed"}, {page::count(figures.moves_failed)}},
                {{"extra copies"}, {page::count(figures.extra_copies)}},
                {{"bindings refused or failed"}, {page::count(figures.conflicts)}}};
  return table;
}

page::Table stages(const OperatorFigures& figures) {
  page::Table table;
  table.caption = fmt::format("The last plan: form {}, {} rows, {} columns", figures.form.empty() ? "-" : figures.form,
                              figures.rows, figures.columns);
  table.columns = {"stage", "time"};
  for (const auto& [stage, seconds] : figures.stages) table.rows.push_back({{stage}, {page::duration(seconds)}});
  return table;
}

page::Table targets(const OperatorFigures& figures) {
  page::Table table;
  table.caption =
      "Targets: today in UTC, and what a day comes to at the present price of waiting. For complete-by: the time left, "
      "and the time that the work due takes";
  table.columns = {"pool", "target", "wanted", "so far", "foreseen", "price of waiting", "state"};
  for (const TargetReport& report : figures.targets) {
    const auto amount = [&](double value) {
      return report.kind == TargetKind::budget_per_day ? page::usd(value) : page::duration(value);
    };
    table.rows.push_back({{report.pool.empty() ? "all together" : report.pool},
                          {std::string(to_string(report.kind)), false, true},
                          {amount(report.target)},
                          {amount(report.reached)},
                          {amount(report.forecast)},
                          {page::multiple(report.factor) + " times"},
                          {std::string(to_string(report.state)) + (report.why.empty() ? "" : ": " + report.why),
                           report.state == TargetState::cannot, true}});
  }
  return table;
}

page::Table own_targets(const OwnTargetFigures& figures) {
  page::Table table;
  table.caption = fmt::format(
      "Jobs with targets of their own, {} of {} at risk{}. complete-by: when it is due, and the time that it takes at "
      "the least; max-wait: the longest wait, and how long its tasks will have waited at the least",
      page::count(figures.at_risk), page::count(figures.all),
      figures.at_risk > figures.worst.size() ? fmt::format(" (the worst {})", figures.worst.size()) : "");
  table.columns = {"job", "pool", "target", "wanted", "foreseen", "state"};
  for (const OwnTargetReport& report : figures.worst) {
    const double wanted = to_seconds(report.target);
    table.rows.push_back({job_cell(report.job),
                          {report.pool, false, true},
                          {std::string(to_string(report.kind)), false, true},
                          {report.kind == OwnTargetKind::complete_by ? page::when(wanted) : page::duration(wanted)},
                          {page::foreseen(report.forecast)},
                          {std::string(to_string(report.state)), report.state >= OwnTargetState::cannot, true}});
  }
  return table;
}

constexpr int fresh_seconds = 5, fresh_seconds_of_job = 15;

std::string head(const std::string& title, const PageMode& mode, int seconds) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
  if (mode.live) {
    const std::string refresh = fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", seconds);
    out += mode.nonce.empty() ? refresh : "<noscript>" + refresh + "</noscript>";
  }
  out += "<title>" + escape(title) + "</title><style>";
  out += page::style;
  return out +
         "main "
         "a{color:var(--accent)}.status-tables{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,"
         "100%),1fr));gap:0 2.5rem}.status-tables table{width:100%}.why{white-space:pre-wrap;overflow-wrap:anywhere;"
         "font-size:.9rem;margin:1rem 0}#live{color:var(--mark)}#live:empty{display:none}</style></head><body><main>";
}

std::string top(const OperatorFigures& figures, const std::string& headline) {
  return live_part("top", fmt::format("<header><p class=\"kicker\">LiPS {} &middot; {} &middot; policy {} &middot; up "
                                      "{}</p><h1>{}</h1></header>",
                                      escape(figures.version), escape(figures.cluster),
                                      escape(figures.policy.empty() ? "-" : figures.policy),
                                      escape(page::duration(figures.since_start)), escape(headline)));
}

std::string foot(const PageMode& mode, int seconds) {
  std::string out = "</main>";
  if (mode.live && !mode.nonce.empty()) {
    out += fmt::format("<script nonce=\"{}\" data-every=\"{}\">", escape(mode.nonce), seconds);
    out += page::live;
    out += "</script>";
  }
  return out + "</body></html>\n";
}

// A line that says whether the page is current; a script reports there that the operator does not answer.
constexpr const char* live_note = "<p id=\"live\" class=\"support\" role=\"status\"></p>";

}  // namespace

std::string render_status_page(const OperatorFigures& figures, const Overview* overview, const PageMode& mode) {
  std::string out = head("LiPS operator", mode, fresh_seconds) + top(figures, headline(figures));
  out += mode.live ? "<p class=\"support\">This page keeps itself current (<a href=\"?still\">stop</a>). "
                   : "<p class=\"support\">This page stands still (<a href=\"./\">keep it current</a>). ";
  out +=
      "<a href=\"metrics\">/metrics</a> has all counters for Prometheus; <code>kubectl lips why POD</code> says why a "
      "pod "
      "waits.</p>";
  out += live_note;
  out += "<nav aria-label=\"Parts of this page\">";
  if (overview)
    for (const auto& [id, name] :
         {std::pair{"decided", "Decided last"}, {"queue", "Queue"}, {"nodes", "Nodes"}, {"data", "Data"}})
      out += fmt::format("<a href=\"#{}\">{}</a>", id, name);
  out += "<a href=\"#money\">Money</a><a href=\"#pools\">Pools</a><a href=\"#inside\">Counters</a></nav>";
  std::string summary =
      figures.alive ? "" : "<p class=\"caution\"><strong>The main loop is stuck.</strong> The log says why.</p>";
  summary += key_figures(figures) + unpriced(figures.invoice);
  if (!figures.targets.empty()) summary += page::render_table(targets(figures));
  if (!figures.own_targets.worst.empty()) summary += page::render_table(own_targets(figures.own_targets));
  out += live_part("figures", summary);
  if (overview) out += render_overview(*overview);
  out += live_part("money", "<h2>Money</h2>" + render_twin(figures.twin) + render_money(figures.money));
  out += live_part("pools",
                   "<h2>Pools</h2>" + (figures.pools.empty() ? std::string("<p class=\"lead\">There are none.</p>")
                                                             : page::render_table(pools(figures)) + shares(figures)));
  std::string inside = "<h2>Counters</h2><div class=\"status-tables\">";
  for (const page::Table& table : {waiting(figures), reading(figures), data(figures), stages(figures)})
    inside += "<div>" + page::render_table(table) + "</div>";
  out += live_part("inside", inside + "</div>");
  return out + foot(mode, fresh_seconds);
}

namespace {

std::string subpage(const OperatorFigures& figures, const std::string& title, const std::string& content,
                    const PageMode& mode) {
  return head(title + " - LiPS", mode, fresh_seconds_of_job) + top(figures, title) +
         "<p class=\"support\"><a href=\"./\">The whole cluster</a></p>" + live_note + content +
         foot(mode, fresh_seconds_of_job);
}

}  // namespace

std::string render_job_page(const OperatorFigures& figures, const JobView& job, const PageMode& mode) {
  return subpage(figures, job.name, render_job(job), mode);
}

std::string render_no_job(const OperatorFigures& figures, const std::string& why, const PageMode& mode) {
  return subpage(figures, "No such page", live_part("job", "<p class=\"lead\">" + escape(why) + "</p>"), mode);
}

}  // namespace lips
