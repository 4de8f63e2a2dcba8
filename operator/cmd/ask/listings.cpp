#include <fmt/format.h>

#include <cmath>
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

// What one of these commands shows, in both forms.
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
  Listing listing{{{"ago", "policy", "pending", "assigned", "moves", "dollars", "cost", "bound", "gap", "ms"}}, {}, ""};
  listing.none = "the operator has made no plan yet\n", listing.json = Json::array();
  for (const PastPlan& plan : (*live)->plans) {
    const double ago = to_seconds(record.snapshot.cluster.now - plan.at);
    const bool certified = plan.cost && plan.bound && plan.bound->value() > 0;
    const double gap = certified ? (*plan.cost - *plan.bound) / *plan.bound : 0;
    listing.rows.push_back({page::duration(ago), plan.policy, page::count(plan.pending), page::count(plan.assigned),
                            page::count(plan.moves), page::usd(plan.dollars.value()),
                            plan.cost ? page::usd(plan.cost->value()) : "-",
                            plan.bound ? page::usd(plan.bound->value()) : "-", certified ? page::percent(gap) : "-",
                            fmt::format("{:.1f}", 1e3 * plan.seconds)});
    listing.json.push_back({{"secondsAgo", ago},
                            {"policy", plan.policy},
                            {"pending", plan.pending},
                            {"assigned", plan.assigned},
                            {"moves", plan.moves},
                            {"dollars", plan.dollars.value()},
                            {"cost", plan.cost ? Json(plan.cost->value()) : Json()},
                            {"lowerBound", plan.bound ? Json(plan.bound->value()) : Json()},
                            {"gap", certified ? Json(gap) : Json()},
                            {"milliseconds", 1e3 * plan.seconds}});
  }
  return listing;
}

std::string size_text(Mebibytes size) { return page::gigabytes(size.value() / mebibytes_per_gigabyte); }

Result<Listing> list_data(const EpochRecord& record) {
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  IdVector<DataSetId, IdVector<ZoneId, Mebibytes>> held(cluster.data_sets.size(),
                                                        IdVector<ZoneId, Mebibytes>(cluster.zones.size()));
  IdVector<DataSetId, std::uint32_t> lost(cluster.data_sets.size(), 0);
  for (const Block& block : cluster.blocks) {
    if (!block.data_set.valid()) continue;
    for (const ZoneId zone : cluster.zones.ids())
      if (block.zones.contains(zone)) held[block.data_set][zone] += block.size;
    lost[block.data_set] += block.replicas.empty();
  }
  Listing listing{{{"data set", "size"}}, Json::array(), "the cluster has no data sets\n"};
  for (const Zone& zone : cluster.zones) listing.rows[0].push_back(zone.name);
  listing.rows[0].push_back("blocks lost");
  for (const DataSetId id : cluster.data_sets.ids()) {
    const DataSet& data_set = cluster.data_sets[id];
    std::vector<std::string> row{data_set.name, size_text(data_set.size)};
    Json zones = Json::object();
    for (const ZoneId zone : cluster.zones.ids()) {
      row.push_back(size_text(held[id][zone]));
      zones[cluster.zones[zone].name] = held[id][zone].value();
    }
    row.push_back(page::count(lost[id]));
    listing.rows.push_back(std::move(row));
    listing.json.push_back({{"dataSet", data_set.name},
                            {"mebibytes", data_set.size.value()},
                            {"blocks", data_set.blocks},
                            {"blocksLost", lost[id]},
                            {"mebibytesByZone", std::move(zones)}});
  }
  return listing;
}

Result<Listing> list_moves(const EpochRecord& record) {
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  struct Moving {
    std::uint64_t blocks = 0;
    Mebibytes size;
    Usd dollars;
  };
  std::map<std::tuple<DataSetId, StoreId, StoreId>, Moving> groups;
  for (const MoveInFlight& move : cluster.moves) {
    const Block& block = cluster.blocks[move.block];
    Moving& group = groups[{block.data_set, move.from, move.to}];
    ++group.blocks;
    group.size += block.size;
    group.dollars +=
        block.size * record.snapshot.costs.transfer(cluster.stores[move.from].zone, cluster.stores[move.to].zone);
  }
  Listing listing{{{"data set", "from", "to", "blocks", "size", "dollars"}}, Json::array(), "no move is in flight\n"};
  for (const auto& [key, group] : groups) {
    const auto& [data_set, from, to] = key;
    const std::string name = data_set.valid() ? cluster.data_sets[data_set].name : "-";
    listing.rows.push_back({name, cluster.stores[from].name, cluster.stores[to].name, page::count(group.blocks),
                            size_text(group.size), page::usd(group.dollars.value())});
    listing.json.push_back({{"dataSet", name},
                            {"from", cluster.stores[from].name},
                            {"to", cluster.stores[to].name},
                            {"blocks", group.blocks},
                            {"mebibytes", group.size.value()},
                            {"dollars", group.dollars.value()}});
  }
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
  return run_listing({"plans", "Lists the last plans of a running operator: tasks, dollars, certified bound and time.",
                      "the last hundred plans, the oldest first", list_plans},
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
