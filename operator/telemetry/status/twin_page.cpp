#include "telemetry/status/twin_page.h"

#include <fmt/format.h>

#include "telemetry/page/html.h"
#include "telemetry/page/numbers.h"

namespace lips {

namespace {

using page::escape;

std::string dollars_of(Usd dollars) { return page::usd(dollars.value()); }
std::string signed_percent(double fraction) { return (fraction >= 0 ? "+" : "") + page::percent(fraction); }
std::string wait_of(const TwinRegime& regime) { return page::duration(to_seconds(regime.mean_wait)); }

std::string saved_words(const TwinReport& report, const TwinRegime& regime) {
  const std::optional<double> saved = report.saved(regime);
  if (!saved) return regime.finished ? "-" : "it does not finish the work";
  if (!report.can_tell(regime)) return page::percent(*saved) + ", within the twin's error";
  return page::percent(*saved);
}

std::string caption_of(const TwinReport& report) {
  std::string caption = fmt::format(
      "The invoice beside the twin: the work {}of the last {} ({} jobs), simulated from the journal under other "
      "schedulers with the same autoscaler, until its last job ends. ",
      report.watched ? "that LiPS watched " : "", page::duration(to_seconds(report.span)), page::count(report.jobs));
  if (!report.counted || !report.until_last) return caption + "The journal does not have the counted invoice.";
  caption += fmt::format("Counted: {}{}; the twin of what ran, in the same time: {}", dollars_of(*report.counted),
                         report.watched ? " for nodes" : "", dollars_of(*report.until_last));
  if (const std::optional<double> error = report.error())
    caption += fmt::format(" (its own error: {}; trust the others no further)", signed_percent(*error));
  return caption;
}

page::Table regimes(const TwinReport& report) {
  page::Table table;
  table.caption = caption_of(report);
  table.columns = {"scheduler", "invoice", report.watched ? "would have saved" : "saved", "mean wait"};
  table.rows.push_back(
      {{ran_words(report)}, {dollars_of(report.ran.invoice)}, {"-", false, true}, {wait_of(report.ran)}});
  for (const TwinRegime& other : report.others)
    table.rows.push_back({{regime_words(other.policy)},
                          {dollars_of(other.invoice)},
                          {saved_words(report, other), report.can_tell(other), true},
                          {wait_of(other)}});
  return table;
}

std::string unknown(const TwinReport& report) {
  if (report.not_known.empty()) return "";
  std::string out = "<details><summary>Not known, and not made up";
  if (report.unknown.count() > 0)
    out += fmt::format(": {} of the time, and more", escape(page::duration(to_seconds(report.unknown))));
  out += "</summary><ul>";
  for (const std::string& fact : report.not_known) out += "<li>" + escape(fact) + "</li>";
  return out + "</ul></details>";
}

}  // namespace

std::string twin_line(const TwinState& twin) {
  if (!twin.report || twin.report->others.empty()) return "";
  const TwinReport& report = *twin.report;
  const TwinRegime& other = report.others.front();
  const std::optional<double> saved = report.saved(other), error = report.error();
  if (!saved || !error) return "";
  const TwinRegime &ours = report.watched ? other : report.ran, &theirs = report.watched ? report.ran : other;
  const std::string than =
      regime_words(theirs.policy) + (report.watched ? " did" : " would have paid for the same work");
  const std::string waits = fmt::format("mean wait {} instead of {}", wait_of(ours), wait_of(theirs));
  const std::string about =
      fmt::format("simulated over {}, own error {}", page::duration(to_seconds(report.span)), signed_percent(*error));
  const std::string who = report.watched ? regime_words(ours.policy) + " would have paid " : "";
  if (!report.can_tell(other)) return fmt::format("{}about as much as {}, {} ({})", who, than, waits, about);
  return fmt::format("{}{} {} than {}, {} ({})", who, page::percent(std::abs(*saved)), *saved > 0 ? "less" : "more",
                     than, waits, about);
}

std::string render_twin(const TwinState& twin) {
  std::string out;
  if (twin.report) {
    out += page::render_table(regimes(*twin.report)) + unknown(*twin.report);
    out += fmt::format("<p class=\"lead\">Compared {} ago.</p>", escape(page::duration(to_seconds(twin.age))));
  }
  if (!twin.missing.empty())
    out += fmt::format("<p class=\"lead\">No {}comparison with other schedulers: {}.</p>", twin.report ? "later " : "",
                       escape(twin.missing));
  return out;
}

}  // namespace lips
