#include "cmd/simulate/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cmd/cli/simulation_runs.h"
#include "config/quantities.h"
#include "telemetry/page/numbers.h"
#include "telemetry/report/text_table.h"
#include "version.h"

namespace lips::cmd {

namespace {

using simulation::RunResult;

std::string invoice_table(const Comparison& comparison) {
  std::string out = fmt::format("{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}\n", "invoice", "nodes",
                                "transfer", "storage", "requests", "total", "predicted", "node-hours", "covered");
  for (const RunResult& run : comparison.runs) {
    const Invoice& invoice = run.invoice;
    double hours = 0;
    for (const NodeLine& line : invoice.node_lines) hours += line.hours;
    out += fmt::format("{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12.1f}{:>12}\n", run.policy,
                       page::usd(invoice.nodes.value()), page::usd(invoice.transfer.value()),
                       page::usd(invoice.storage.value()), page::usd(invoice.requests.value()),
                       page::usd(invoice.total().value()), run.predicted ? page::usd(run.predicted->value()) : "-",
                       hours, page::usd(invoice.covered.value()));
  }
  return out +
         "nodes: by the second from launch to termination; predicted: the bill as foreseen at each binding and move; "
         "covered: paid by commitments\n";
}

std::string fleet_table(const Comparison& comparison) {
  if (comparison.scenario->fleet.offers.empty()) return "";
  std::string out = fmt::format("{:<24}{:>10}{:>12}{:>10}{:>14}{:>16}{:>16}\n", "elastic nodes", "launches",
                                "interrupted", "empty", "underutilized", "core-hours paid", "of them used");
  for (const RunResult& run : comparison.runs)
    out += fmt::format("{:<24}{:>10}{:>12}{:>10}{:>14}{:>16.0f}{:>16}\n", run.policy, run.fleet.launches,
                       run.fleet.interrupted, run.fleet.empty, run.fleet.underutilized, run.core_hours_paid,
                       run.core_hours_paid > 0 ? page::percent(run.core_hours_used / run.core_hours_paid) : "-");
  return out + "interrupted, empty, underutilized: why nodes went\n\n";
}

std::size_t fixed_nodes(const simulation::Scenario& scenario) {
  std::size_t count = scenario.cluster.nodes.size();
  for (const simulation::NodeOffer& offer : scenario.fleet.offers) count -= offer.limit;
  return count;
}

std::string use_table(const Comparison& comparison) {
  std::string out = fmt::format("{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "dollars by use", "cpu", "transfer",
                                "shuffle", "moves", "storage", "total");
  for (const RunResult& run : comparison.runs) {
    const Bill& bill = run.bill;
    out += fmt::format("{:<24}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", run.policy, page::usd(bill.cpu.value()),
                       page::usd(bill.transfer.value()), page::usd(bill.shuffle.value()), page::usd(bill.moves.value()),
                       page::usd(bill.storage.value()), page::usd(bill.total().value()));
  }
  return out + "by use: CPU-seconds as the LiPS paper bills them, idle ones are free\n";
}

std::string amount_text(TargetKind kind, double amount) {
  return kind == TargetKind::budget_per_day ? page::usd(amount) : page::duration(amount);
}

// Each target with what was reached on each day, at the true prices.
std::string targets_table(const Comparison& comparison) {
  std::string out;
  for (const RunResult& run : comparison.runs)
    for (const simulation::TargetOutcome& target : run.targets) {
      const bool deadline = target.kind == TargetKind::complete_by;
      std::string days;
      for (const double reached : target.by_day)
        days += fmt::format("{}{}", days.empty() ? "" : ", ",
                            !deadline      ? amount_text(target.kind, reached)
                            : reached <= 0 ? "in time"
                                           : page::duration(reached) + " late");
      out +=
          fmt::format("{:<24}{:<16}{:>16}{:>12}  {}\n", run.policy, target.pool.empty() ? "all" : target.pool,
                      to_string(target.kind),
                      deadline ? time_of_day(seconds(target.target)) : amount_text(target.kind, target.target), days);
      if (target.refused)
        out += fmt::format("  cannot be held, said after {}: {}\n", page::duration(to_seconds(*target.refused)),
                           target.why);
    }
  return out.empty()
             ? ""
             : fmt::format("{:<24}{:<16}{:>16}{:>12}  {}\n", "targets", "pool", "kind", "target", "reached by day") +
                   out + "\n";
}

// A table of jobs that say themselves when they have to be done, or how long their tasks may wait.
std::string own_targets_table(const Comparison& comparison) {
  std::string out;
  const auto line = [&](const RunResult& run, OwnTargetKind kind, const simulation::OwnTarget& target) {
    if (target.jobs == 0) return;
    out += fmt::format(
        "{:<24}{:>16}{:>12}{:>12}  {}\n", run.policy, to_string(kind), target.jobs, target.missed,
        target.missed == 0 ? "-" : fmt::format("{} ({})", page::duration(to_seconds(target.worst)), target.worst_job));
  };
  for (const RunResult& run : comparison.runs) {
    line(run, OwnTargetKind::complete_by, run.own_targets.complete_by);
    line(run, OwnTargetKind::max_wait, run.own_targets.max_wait);
  }
  if (out.empty()) return out;
  return fmt::format("{:<24}{:>16}{:>12}{:>12}  {}\n", "jobs' own targets", "kind", "jobs", "missed", "by at most") +
         out + "\n";
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string locality_table(const Comparison& comparison) {
  std::string out = fmt::format("{:<24}{:>10}{:>10}{:>10}{:>10}{:>14}{:>10}{:>14}\n", "where tasks read", "node",
                                "rack", "zone", "remote", "cross-zone", "fairness", "worst short");
  for (const RunResult& run : comparison.runs) {
    const double mebibytes = (run.cross_zone.map_reads + run.cross_zone.shuffle + run.cross_zone.moves).value();
    out += fmt::format("{:<24}", run.policy);
    for (const Locality level : {Locality::node, Locality::rack, Locality::zone, Locality::remote})
      out += fmt::format("{:>10}", share_text(run.locality.tasks[level], run.locality.reading()));
    out += fmt::format("{:>14}{:>10.3f}{:>12.1f} %\n", page::gigabytes(mebibytes / mebibytes_per_gigabyte),
                       run.fairness.jain, 100 * run.fairness.worst_shortfall);
  }
  return out;
}

std::string epoch_table(const Comparison& comparison) {
  std::string out = fmt::format("{:<24}{:>12}{:>14}{:>14}\n", "lips-paper's epoch", "by use", "makespan", "mean job");
  for (const EpochRun& point : comparison.epochs)
    out += fmt::format("{:<24}{:>12}{:>14}{:>14}{}\n", page::epoch(to_seconds(point.epoch)),
                       page::usd(point.result.bill.total().value()), page::duration(to_seconds(point.result.makespan)),
                       page::duration(point.result.completion.mean), finished(point.result) ? "" : "  (partial)");
  return out;
}

std::string plans_table(const Comparison& comparison) {
  std::string out = fmt::format("{:<24}{:>10}{:>12}{:>14}{:>12}{:>12}\n", "plans", "made", "fell back", "mean gap",
                                "worst gap", "deciding");
  for (const RunResult& run : comparison.runs) {
    const bool bound = run.plans.with_bound > 0;
    out += fmt::format("{:<24}{:>10}{:>12}{:>14}{:>12}{:>12}\n", run.policy, run.plans.made, run.plans.fell_back,
                       bound ? fmt::format("{:.3f} %", 100 * run.plans.mean_gap) : "-",
                       bound ? fmt::format("{:.3f} %", 100 * run.plans.worst_gap) : "-",
                       page::duration(run.measured.deciding));
  }
  return out;
}

std::string waiting_table(const Comparison& comparison) {
  std::string out = fmt::format("{:<24}{:>12}{:>12}{:>12}{:>10}\n", "at the same mean wait", "mean wait", "by use",
                                "bound", "over it");
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const RunResult& run = comparison.runs[i];
    const std::optional<double> bound = comparison.waiting_bounds[i];
    const double dollars = run.bill.total().value();
    out += fmt::format("{:<24}{:>12}{:>12}{:>12}{:>10}\n", run.policy, page::duration(run.mean_wait),
                       page::usd(dollars), bound ? page::usd(*bound) : "-",
                       bound && *bound > 0 ? fmt::format("{:.1f} %", 100 * (dollars / *bound - 1)) : "-");
  }
  return out + "bound: no schedule with that mean wait costs less by use, whatever it knows of the future\n";
}

std::string assumption_lines(const simulation::Scenario& scenario) {
  std::string out = "assumptions (--format json has their notes)\n";
  for (const simulation::Assumption& assumption : scenario.assumptions)
    out += fmt::format("  {}: {}\n", assumption.name, assumption.value);
  return scenario.assumptions.empty() ? "" : out;
}

}  // namespace

std::string caution(const RunResult& run) {
  if (finished(run)) return "";
  std::string out = fmt::format("{}: {} of {} jobs finished",
                                run.stopped   ? "interrupted, a partial result"
                                : run.stuck   ? "stuck: nothing can run any more"
                                : run.endless ? "cut off: plan after plan was made, and nothing started or ended"
                                              : "not everything ran",
                                run.jobs_finished, run.jobs);
  if (run.jobs_failed > 0) out += fmt::format(", {} failed", run.jobs_failed);
  if (!run.unfinished.empty()) {
    const std::size_t shown = std::min<std::size_t>(3, run.unfinished.size());
    out += fmt::format(
        " (unfinished: {}{})",
        fmt::join(run.unfinished.begin(), run.unfinished.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        run.unfinished.size() > shown ? ", ..." : "");
  }
  return out;
}

std::string comparison_text(const Comparison& comparison, std::size_t width) {
  const simulation::Scenario& scenario = *comparison.scenario;
  std::string out = fmt::format("{}{}{}\n{} nodes{}, {} jobs, seed {}\n", scenario.name,
                                scenario.description.empty() ? "" : ": ", scenario.description, fixed_nodes(scenario),
                                scenario.fleet.offers.empty() ? "" : " and those that an autoscaler buys",
                                scenario.jobs.size(), scenario.seed);
  std::string table = render_text_table(report_data(comparison), width);
  if (!table.empty()) out += "\n" + table;
  for (const RunResult& run : comparison.runs)
    if (!finished(run)) out += fmt::format("! {}: {}\n", run.policy, caution(run));
  if (!comparison.runs.empty())
    out += "\n" + targets_table(comparison) + own_targets_table(comparison) + invoice_table(comparison) + "\n" +
           fleet_table(comparison) + use_table(comparison) + "\n" + locality_table(comparison) + "\n" +
           plans_table(comparison);
  if (!comparison.waiting_bounds.empty()) out += "\n" + waiting_table(comparison);
  if (!comparison.epochs.empty()) out += "\n" + epoch_table(comparison);
  return out + "\n" + assumption_lines(scenario);
}

}  // namespace lips::cmd
