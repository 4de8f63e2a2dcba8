#include "advice/what_if.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cmd/ask/job_file.h"
#include "cmd/ask/source.h"
#include "cmd/ask/table.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "config/quantities.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

struct WhatIfOptions {
  std::uint32_t nodes = 1;
  std::string type, like, without_zone, waiting_price, job;
  std::vector<std::pair<std::string, std::string>> price_factors;
  Source source;
  Overrides set;
  OutputFormat format = OutputFormat::text;
};

Arguments describe(WhatIfOptions& options) {
  Arguments arguments("lips what-if",
                      "Compares the plan of now with the one that the operator would make after a change. Nothing is "
                      "changed.");
  arguments.count("--nodes", "how many nodes to add; needs --type or --like", options.nodes, {1, 10'000});
  arguments.text("--type", "TYPE", "instance type of added nodes, in the zone of its first node", options.type);
  arguments.text("--like", "NODE", "a node that added ones resemble", options.like);
  arguments.text("--without-zone", "ZONE", "no task starts in the zone; its data can still be read",
                 options.without_zone);
  arguments.text("--waiting-price", "X", "the setting waitingPrice", options.waiting_price);
  arguments.pairs("--price-factor", "prices of a node or an instance type, times a factor: m7g.xlarge=0.5",
                  options.price_factors);
  arguments.text("--job", "FILE", "a job that arrives now (docs/cli.md)", options.job);
  arguments.pairs("--set", "settings of the policy that differ from the operator's, before and after", options.set);
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  describe(options.source, arguments);
  arguments.example("kubectl lips what-if --nodes 3 --type m7g.2xlarge", "three more nodes of a type");
  arguments.example("kubectl lips what-if --without-zone us-east-1b --waiting-price 4", "two changes at once");
  arguments.example("lips what-if --job nightly.yaml --from state.json.gz", "one more job, on a file");
  return arguments;
}

tl::unexpected<Error> wrong(std::string_view option, std::string_view allowed, std::string_view found) {
  return fail(ErrorCode::invalid_input, fmt::format("{}: expected {}, found '{}'", option, allowed, found));
}

// Nodes of that name or instance type; offered ones too.
std::vector<NodeId> nodes_called(const ClusterSnapshot& cluster, const std::string& name) {
  std::vector<NodeId> found;
  for (const NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].name == name || cluster.nodes[node].instance_type == name) found.push_back(node);
  return found;
}

Result<void> add_nodes(const WhatIfOptions& options, const ClusterSnapshot& cluster,
                       std::vector<advice::Change>& changes) {
  if (options.type.empty() && options.like.empty()) {
    if (options.nodes != 1) return fail(ErrorCode::invalid_input, "--nodes: expected --type or --like beside it");
    return {};
  }
  const bool by_type = options.like.empty();
  const std::string& name = by_type ? options.type : options.like;
  for (const NodeId node : cluster.nodes.ids())
    if ((by_type ? cluster.nodes[node].instance_type : cluster.nodes[node].name) == name) {
      changes.emplace_back(advice::NodesAdded{node, options.nodes});
      return {};
    }
  return wrong(by_type ? "--type" : "--like", by_type ? "an instance type of the cluster" : "a node of the cluster",
               name);
}

Result<std::vector<advice::Change>> changes_of(const WhatIfOptions& options, const ClusterSnapshot& cluster) {
  std::vector<advice::Change> changes;
  if (Result<void> added = add_nodes(options, cluster, changes); !added) return tl::unexpected(added.error());
  if (!options.without_zone.empty()) {
    ZoneId closed;
    for (const ZoneId zone : cluster.zones.ids())
      if (cluster.zones[zone].name == options.without_zone) closed = zone;
    if (!closed.valid()) return wrong("--without-zone", "a zone of the cluster", options.without_zone);
    changes.emplace_back(advice::ZoneClosed{closed});
  }
  if (!options.waiting_price.empty()) {
    const std::optional<double> price = parse_number(options.waiting_price);
    if (!price || *price < 0) return wrong("--waiting-price", "a number of at least 0", options.waiting_price);
    changes.emplace_back(advice::WaitingPriced{*price});
  }
  for (const auto& [name, text] : options.price_factors) {
    const std::vector<NodeId> nodes = nodes_called(cluster, name);
    const std::optional<double> factor = parse_number(text);
    if (nodes.empty()) return wrong("--price-factor", "a node or an instance type of the cluster", name);
    if (!factor || *factor < 0) return wrong("--price-factor", name + "=X with a number of at least 0", text);
    changes.emplace_back(advice::PricesScaled{nodes, *factor});
  }
  if (!options.job.empty()) {
    Result<advice::JobAdded> job = read_job(options.job, cluster);
    if (!job) return tl::unexpected(job.error());
    changes.emplace_back(*std::move(job));
  }
  if (changes.empty())
    return fail(ErrorCode::invalid_input,
                "expected a change: --type, --like, --without-zone, --waiting-price, --price-factor or --job");
  return changes;
}

std::string what_if_text(const advice::Comparison& comparison) {
  const advice::Figures &a = comparison.before, &b = comparison.after;
  const auto usd = [](double dollars) { return page::usd(dollars); };
  const auto bytes = [](Mebibytes size) { return page::gigabytes(size.value() / mebibytes_per_gigabyte); };
  std::vector<std::vector<std::string>> rows{{"", "now", "then"}};
  const auto add = [&](std::string name, std::string before, std::string after) {
    rows.push_back({std::move(name), std::move(before), std::move(after)});
  };
  add("tasks that start at once", page::count(a.starting), page::count(b.starting));
  add("tasks that wait", page::count(a.pending - a.starting), page::count(b.pending - b.starting));
  add("dollars by use of those that start", usd(a.bill.total().value()), usd(b.bill.total().value()));
  add("  of it for transfer and shuffle", usd((a.bill.transfer + a.bill.shuffle + a.bill.moves).value()),
      usd((b.bill.transfer + b.bill.shuffle + b.bill.moves).value()));
  if (a.cost && b.cost) add("all pending work, waiting priced", usd(*a.cost), usd(*b.cost));
  add("reads from another zone", page::count(a.remote_reads), page::count(b.remote_reads));
  add("bytes across zones", bytes(a.across_zones), bytes(b.across_zones));
  add("mean wait from now, as forecast", page::duration(a.mean_wait), page::duration(b.mean_wait));
  if (a.beyond + b.beyond > 0) add("tasks beyond the forecast", page::count(a.beyond), page::count(b.beyond));
  return render_table(rows);
}

Json figures_json(const advice::Figures& figures) {
  return {{"pending", figures.pending},
          {"starting", figures.starting},
          {"waiting", figures.pending - figures.starting},
          {"dollars",
           {{"total", figures.bill.total().value()},
            {"cpu", figures.bill.cpu.value()},
            {"transfer", figures.bill.transfer.value()},
            {"shuffle", figures.bill.shuffle.value()},
            {"moves", figures.bill.moves.value()}}},
          {"cost", figures.cost ? Json(*figures.cost) : Json()},
          {"remoteReads", figures.remote_reads},
          {"mebibytesAcrossZones", figures.across_zones.value()},
          {"meanWaitSeconds", figures.mean_wait},
          {"beyondForecast", figures.beyond}};
}

Result<int> what_if(const WhatIfOptions& options) {
  Result<FetchedState> state = fetch(options.source);
  if (!state) return tl::unexpected(state.error());
  const Result<advice::Question> question = question_of(std::move(state->record), options.set);
  if (!question) return tl::unexpected(question.error());
  const Result<std::vector<advice::Change>> changes = changes_of(options, question->cluster);
  if (!changes) return tl::unexpected(changes.error());
  const Result<advice::Comparison> comparison = advice::compare(*question, *changes);
  if (!comparison) return tl::unexpected(comparison.error());
  if (options.format == OutputFormat::text) return print(what_if_text(*comparison));
  const Json json = {{"before", figures_json(comparison->before)}, {"after", figures_json(comparison->after)}};
  return print(json.dump(2) + "\n");
}

}  // namespace

int run_what_if(Words words) {
  WhatIfOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = what_if(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
