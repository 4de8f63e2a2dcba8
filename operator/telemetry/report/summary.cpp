#include "telemetry/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "telemetry/page/numbers.h"

namespace lips::page {
namespace {

const ReportRun* named(const ReportData& data, const std::string& policy) {
  const auto found =
      std::find_if(data.runs.begin(), data.runs.end(), [&](const auto& run) { return run.policy == policy; });
  return policy.empty() || found == data.runs.end() ? nullptr : &*found;
}

bool has_bound(const ReportData& data) { return data.lower_bound && data.lower_bound->dollars > 0; }

// Keeps a figure and its unit on one line in running text.
std::string kept(std::string text) {
  for (auto at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) text.replace(at, 1, "\u00A0");
  return text;
}

std::string figure(const std::string& name, const std::string& value, const std::string& note) {
  return "<li><span class=\"what\">" + escape(name) + "</span><strong>" + escape(value) +
         "</strong><span class=\"note\">" + escape(note) + "</span></li>";
}

// A column of the comparison. `order` says which value is best: -1 the least, 1 the greatest, 0 none.
struct Column {
  std::string name;
  std::function<std::optional<double>(const ReportRun&)> value;
  std::function<std::string(double)> text;
  int order = 0;
};

std::vector<Column> columns(const ReportData& data) {
  std::vector<Column> out;
  const auto* baseline = baseline_of(data);
  out.push_back({headed(data.bill_name, "Cost"), [](const auto& run) { return run.bill.dollars; }, usd, -1});
  if (baseline != nullptr) {
    const double base = baseline->bill.dollars;
    out.push_back(
        {"Against " + baseline->policy,
         [baseline](const auto& run) { return &run == baseline ? std::nullopt : std::optional(run.bill.dollars); },
         [base](double dollars) { return to_string(change(dollars, base)); }, 0});
  }
  if (has_bound(data)) {
    const double bound = data.lower_bound->dollars;
    out.push_back({data.lower_bound->of_other_bill ? "× bound " + data.other_bill_name : "× bound",
                   [&data, bound](const auto& run) { return bounded_dollars(data, run) / bound; }, multiple, 0});
  }
  out.push_back({headed(data.other_bill_name, "Other cost"),
                 [](const auto& run) { return run.other_bill ? std::optional(run.other_bill->dollars) : std::nullopt; },
                 usd, -1});
  out.push_back({"Makespan", [](const auto& run) { return run.makespan_seconds; }, duration, -1});
  out.push_back({"Job mean", [](const auto& run) { return run.completion.mean_seconds; }, duration, -1});
  out.push_back({"Job p95", [](const auto& run) { return run.completion.p95_seconds; }, duration, -1});
  out.push_back({"Small jobs p95", [](const auto& run) { return run.small_jobs_p95_seconds; }, duration, -1});
  out.push_back({"Node-local",
                 [](const auto& run) { return run.locality ? std::optional(run.locality->node) : std::nullopt; },
                 percent, 1});
  out.push_back({"Cross-zone", [](const auto& run) { return run.cross_zone_gigabytes; }, gigabytes, -1});
  out.push_back({"Fairness",
                 [](const auto& run) { return run.fairness ? std::optional(run.fairness->jain_index) : std::nullopt; },
                 multiple, 1});
  std::erase_if(out, [&](const auto& column) {
    return std::none_of(data.runs.begin(), data.runs.end(),
                        [&](const auto& run) { return column.value(run).has_value(); });
  });
  return out;
}

// The text of the best value; empty if all are the same. Compares as written, so a tie on the page is a tie.
std::string best_text(const Column& column, const std::vector<ReportRun>& runs) {
  std::optional<double> best, worst;
  for (const auto& run : runs) {
    const auto value = column.value(run);
    if (!value || !std::isfinite(*value)) continue;
    const double key = *value * column.order;
    if (!best || key > *best) best = key;
    if (!worst || key < *worst) worst = key;
  }
  if (column.order == 0 || !best) return "";
  const auto text = column.text(*best * column.order);
  return text == column.text(*worst * column.order) ? "" : text;
}

}  // namespace

const ReportRun* subject_of(const ReportData& data) {
  if (data.runs.empty()) return nullptr;
  const auto* run = named(data, data.subject);
  return run != nullptr ? run : &data.runs.front();
}

double bounded_dollars(const ReportData& data, const ReportRun& run) {
  if (!data.lower_bound || !data.lower_bound->of_other_bill) return run.bill.dollars;
  return run.other_bill ? run.other_bill->dollars : std::nan("");
}

std::string headed(const std::string& name, const char* fallback) {
  std::string out = name.empty() ? fallback : name;
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

const ReportRun* baseline_of(const ReportData& data) {
  const auto* subject = subject_of(data);
  if (const auto* run = named(data, data.baseline); run != nullptr && run != subject) return run;
  for (const auto& run : data.runs) {
    if (&run != subject) return &run;
  }
  return nullptr;
}

Headline headline(const ReportData& data) {
  const auto* subject = subject_of(data);
  if (subject == nullptr) return {"No run was recorded.", ""};
  const auto* baseline = baseline_of(data);
  Headline out;
  out.sentence = subject->policy + " ran " + (data.scenario.empty() ? "the workload" : data.scenario) + " for " +
                 kept(usd(subject->bill.dollars)) + (data.bill_name.empty() ? "" : " (" + data.bill_name + ")");
  if (baseline != nullptr && baseline->bill.dollars > 0) {
    const auto difference = change(subject->bill.dollars, baseline->bill.dollars);
    out.sentence += ", " +
                    (difference.kind == Change::Kind::same ? "the same as " : kept(to_string(difference)) + " than ") +
                    baseline->policy;
  }
  out.sentence += ".";
  if (has_bound(data)) {
    const double bound = data.lower_bound->dollars;
    const std::string of = data.lower_bound->of_other_bill ? " " + data.other_bill_name : "";
    out.support = "The lower bound" + of + (data.lower_bound->name.empty() ? "" : " (" + data.lower_bound->name + ")") +
                  " is " + kept(usd(bound));
    const double left = 1 - bound / bounded_dollars(data, *subject);
    out.support += left > 0
                       ? ": no schedule that ends as early as the longest run could have saved more than another " +
                             kept(percent(left)) + ". "
                       : ". ";
  }
  if (subject->jobs > 0) {
    out.support +=
        subject->jobs_finished == subject->jobs
            ? "All " + count(subject->jobs) + " jobs finished in " + kept(duration(subject->makespan_seconds))
            : count(subject->jobs_finished) + " of " + count(subject->jobs) + " jobs finished; the run took " +
                  kept(duration(subject->makespan_seconds));
    if (baseline != nullptr && baseline->makespan_seconds > 0) {
      out.support += ", against " + kept(duration(baseline->makespan_seconds)) + " under " + baseline->policy;
    }
    out.support += ".";
  }
  return out;
}

std::vector<std::string> cautions(const ReportData& data) {
  std::vector<std::string> out;
  for (const auto& run : data.runs) {
    if (run.jobs_finished < run.jobs) {
      out.push_back(run.policy + " finished " + count(run.jobs_finished) + " of " + count(run.jobs) +
                    " jobs, so its cost is for less work than the whole.");
    }
    if (has_bound(data) && bounded_dollars(data, run) < data.lower_bound->dollars * (1 - 1e-6) &&
        run.jobs_finished >= run.jobs) {
      out.push_back(run.policy +
                    " cost less than the lower bound: the bound counts work or prices that this run did not pay for.");
    }
  }
  return out;
}

std::string render_key_figures(const ReportData& data) {
  const auto* run = subject_of(data);
  if (run == nullptr) return "";
  const auto* base = baseline_of(data);
  const auto against = [&](double value, double other) {
    const auto difference = change(value, other);
    if (base == nullptr || difference.kind == Change::Kind::unknown) return std::string();
    return to_string(difference) + (difference.kind == Change::Kind::same ? " as " : " than ") + base->policy;
  };
  std::string out = "<ul class=\"figures\">";
  out += figure(headed(data.bill_name, "Cost"), usd(run->bill.dollars),
                base == nullptr ? "" : against(run->bill.dollars, base->bill.dollars));
  if (run->other_bill) out += figure(headed(data.other_bill_name, "Other cost"), usd(run->other_bill->dollars), "");
  if (has_bound(data)) {
    out += figure("Against the lower bound" + (data.lower_bound->of_other_bill ? " " + data.other_bill_name : ""),
                  multiple(bounded_dollars(data, *run) / data.lower_bound->dollars) + "×",
                  usd(data.lower_bound->dollars) + " at the least");
  }
  out += figure("Makespan", duration(run->makespan_seconds),
                base == nullptr ? "" : against(run->makespan_seconds, base->makespan_seconds));
  out += figure("Mean job completion", duration(run->completion.mean_seconds),
                base == nullptr ? "" : against(run->completion.mean_seconds, base->completion.mean_seconds));
  if (run->locality) {
    out += figure("Tasks reading on their node", percent(run->locality->node),
                  base != nullptr && base->locality ? percent(base->locality->node) + " under " + base->policy : "");
  }
  return out + "</ul>\n";
}

Table comparison(const ReportData& data) {
  Table table{"The policies side by side; the best of each column in bold", {"Policy"}, {}, false};
  const auto shown = columns(data);
  std::vector<std::string> best;
  for (const auto& column : shown) {
    table.columns.push_back(column.name);
    best.push_back(best_text(column, data.runs));
  }
  for (const auto& run : data.runs) {
    std::vector<Cell> row{{run.policy}};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto value = shown[i].value(run);
      const auto text = value ? shown[i].text(*value) : "–";
      row.push_back({text, value && !best[i].empty() && text == best[i]});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace lips::page
