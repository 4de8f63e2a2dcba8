#include "cmd/service/overview_of.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "advice/data_places.h"
#include "advice/expected.h"
#include "advice/forecast.h"
#include "advice/place.h"
#include "advice/standing.h"
#include "cmd/ask/expected_json.h"
#include "model/offered_nodes.h"

namespace lips::cmd {

namespace {

using advice::Standing;

constexpr std::size_t most_jobs = 1000;  // in a table

std::string words_of(Standing standing) {
  constexpr EnumArray<Standing, std::string_view> words{"it runs",
                                                        "it has ended",
                                                        "it starts now",
                                                        "it is next on a node that is about to be free",
                                                        "its maps have not ended",
                                                        "its input does not exist yet",
                                                        "a node was requested for it",
                                                        "its data is on the way",
                                                        "a node with its data is about to be free",
                                                        "there is no room yet for all its pods together",
                                                        "its pool is at its maximum",
                                                        "its pool has what it is entitled to",
                                                        "no node may take it",
                                                        "waiting costs less than what is free",
                                                        "the room that fits is kept for tasks to come",
                                                        "tasks before it take what is free",
                                                        "nothing that fits is free",
                                                        "the last plan was refused"};
  return std::string(words[standing]);
}

std::optional<LastPlan> last_plan(const EpochRecord& record) {
  if (!record.live || record.live->plans.empty()) return std::nullopt;
  const PastPlan& plan = record.live->plans.back();
  return LastPlan{record.snapshot.cluster.now - plan.at,
                  plan.policy,
                  plan.pending,
                  plan.assigned,
                  plan.moves,
                  plan.dollars,
                  plan.gap()};
}

std::vector<NodesOfKind> nodes_of(const ClusterSnapshot& cluster, const std::vector<NodeId>& absent_too) {
  IdVector<NodeId, bool> absent = offered_only(cluster);
  for (const NodeId id : absent_too) absent[id] = true;
  IdVector<NodeId, std::optional<TimePoint>> ends(cluster.nodes.size());
  for (const RunningTask& run : cluster.running)
    ends[run.node] = std::max(ends[run.node], std::optional(run.expected_end));
  std::map<std::tuple<std::string, std::string, CapacityType, FleetKind>, NodesOfKind> kinds;
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (absent[id]) continue;
    const std::string& zone = cluster.zones[node.zone].name;
    NodesOfKind& kind = kinds[{zone, node.instance_type, node.capacity_type, node.fleet}];
    kind.zone = zone, kind.instance_type = node.instance_type;
    kind.capacity_type = to_string(node.capacity_type);
    kind.elastic = node.fleet == FleetKind::elastic;
    const Cores used = node.capacity.cpu - cluster.free[id].cpu;
    ++kind.nodes;
    kind.idle += !ends[id] && used.value() <= 0;
    kind.price += node.price;
    kind.used += used, kind.cores += node.capacity.cpu;
    const Duration left = ends[id] ? std::max(Duration(0), *ends[id] - cluster.now) : Duration(0);
    kind.first_free = std::min(kind.first_free.value_or(left), left);
    kind.last_free = std::max(kind.last_free.value_or(left), left);
  }
  std::vector<NodesOfKind> nodes;
  for (auto& [key, kind] : kinds) nodes.push_back(std::move(kind));
  return nodes;
}

// Several offers may differ in nothing that is shown, such as those of two NodePools.
std::vector<OfferedNodes> offers_of(const ClusterSnapshot& cluster) {
  std::map<std::tuple<std::string, std::string, CapacityType, UsdPerHour, Cores, Duration>, OfferedNodes> kinds;
  for (const Offer& offer : cluster.offers) {
    const Node& like = cluster.nodes[offer.like];
    const std::string& zone = cluster.zones[like.zone].name;
    OfferedNodes& kind =
        kinds[{zone, like.instance_type, like.capacity_type, like.price, like.capacity.cpu, offer.boot}];
    kind.zone = zone, kind.instance_type = like.instance_type, kind.capacity_type = to_string(like.capacity_type);
    kind.left = std::max(kind.left, offer.left);
    kind.price = like.price, kind.cores = like.capacity.cpu, kind.boot = offer.boot;
  }
  std::vector<OfferedNodes> offers;
  for (auto& [key, kind] : kinds) offers.push_back(std::move(kind));
  return offers;
}

void add_data(const ClusterSnapshot& cluster, const CostModel& costs, Overview& overview) {
  for (const Zone& zone : cluster.zones) overview.zones.push_back(zone.name);
  const advice::DataPlaces places = advice::data_places(cluster);
  for (const DataSetId id : cluster.data_sets.ids()) {
    const DataSet& data_set = cluster.data_sets[id];
    overview.data.push_back(
        {data_set.name, data_set.size, {places.held[id].begin(), places.held[id].end()}, places.lost[id]});
  }
  for (const advice::MovesUnderWay& group : advice::moves_under_way(cluster, costs)) {
    const DataStore& to = cluster.stores[group.to];
    overview.moves.push_back({group.data_set.valid() ? cluster.data_sets[group.data_set].name : "-",
                              cluster.stores[group.from].name, to.name, group.blocks, group.size, group.dollars,
                              cluster.zones[to.zone].name});
  }
}

// The least price of a CPU-second on a node that may take the job, anywhere and in each zone.
class CheapestNodes {
 public:
  explicit CheapestNodes(const ClusterSnapshot& cluster) : cluster_(cluster) {}
  const IdVector<ZoneId, double>& of(const Job& job) {
    const auto [known, added] = prices_.try_emplace({job.constraint, job.request});
    if (!added) return known->second;
    known->second.assign(cluster_.zones.size(), std::numeric_limits<double>::infinity());
    for (const NodeId id : cluster_.nodes.ids()) {
      const Node& node = cluster_.nodes[id];
      if (!node.schedulable || !fits(job.request, node.capacity - node.others)) continue;
      double& least = known->second[node.zone];
      if (node.cpu_price.value() < least && cluster_.eligible(job.constraint, id)) least = node.cpu_price.value();
    }
    return known->second;
  }

 private:
  const ClusterSnapshot& cluster_;
  std::map<std::pair<ConstraintId, Resources>, IdVector<ZoneId, double>> prices_;
};

// How many of a job's running tasks are on a node of the least price, and read afar on a cheaper one than their data
// has beside it.
struct Grounds {
  std::uint64_t cheapest = 0, cheaper_than_there = 0;
};

std::string words_of(const Grounds& grounds, const PlacedJob& job) {
  const bool at_least_price = grounds.cheapest == job.running;
  if (job.reading == 0) return at_least_price ? "the cheapest nodes that may take it" : "the cheapest that were free";
  if (job.beside_data == job.reading)
    return at_least_price ? "beside its data, on the cheapest nodes" : "beside its data";
  if (grounds.cheaper_than_there == job.reading - job.beside_data)
    return job.beside_data == 0 ? "cheaper cores pay for reading across zones"
                                : "beside its data, and where cheaper cores pay for reading across zones";
  return "what was free: not all of it found room beside its data";
}

std::vector<PlacedJob> running_jobs(const advice::Question& question) {
  const ClusterSnapshot& cluster = question.cluster;
  CheapestNodes cheapest(cluster);
  std::map<std::string, std::pair<PlacedJob, Grounds>> jobs;
  std::map<std::pair<std::string, ZoneId>, std::uint64_t> zones;
  for (const RunningTask& run : cluster.running) {
    const Task& task = cluster.tasks[run.task];
    const Job& job = cluster.jobs[task.job];
    const Node& node = cluster.nodes[run.node];
    auto& [placed, grounds] = jobs[job.name];
    placed.name = job.name, placed.pool = cluster.pools[job.pool].name;
    ++placed.running;
    ++zones[{job.name, node.zone}];
    const advice::Place place = advice::place_on(question, run.task, run.node);
    placed.dollars += place.bill.total();
    const IdVector<ZoneId, double>& prices = cheapest.of(job);
    const double price = node.cpu_price.value();
    grounds.cheapest += price <= *std::min_element(prices.begin(), prices.end());
    if (!task.block.valid()) continue;
    ++placed.reading;
    const bool beside = place.locality != Locality::remote;
    placed.beside_data += beside;
    if (!beside && place.read_from.valid())
      grounds.cheaper_than_there += price < prices[cluster.stores[place.read_from].zone];
  }
  std::vector<PlacedJob> result;
  for (auto& [name, entry] : jobs) {
    auto& [placed, grounds] = entry;
    placed.reason = words_of(grounds, placed);
    for (auto at = zones.lower_bound({name, ZoneId(0)}); at != zones.end() && at->first.first == name; ++at)
      placed.zones.emplace_back(cluster.zones[at->first.second].name, at->second);
    result.push_back(std::move(placed));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const PlacedJob& a, const PlacedJob& b) { return a.dollars > b.dollars; });
  if (result.size() > most_jobs) result.resize(most_jobs);
  return result;
}

// The reason of the first task that does not start with this plan; of the first one if all do.
std::optional<Standing> standing_of(const ClusterSnapshot& cluster, const advice::Standings& standings, JobId job) {
  std::optional<Standing> first;
  for (const TaskGroup& group : cluster.groups[job])
    for (const TaskId task : cluster.tasks_of(group)) {
      const Standing standing = standings.of(task);
      if (!first || advice::waits(standing)) first = standing;
      if (advice::waits(standing)) return first;
    }
  return first;
}

std::vector<WaitingJob> waiting_jobs(const advice::Question& question, const advice::Outcome& outcome) {
  const ClusterSnapshot& cluster = question.cluster;
  const advice::Standings standings(cluster, outcome);
  std::vector<WaitingJob> queue;
  std::map<std::string, std::size_t> rows;  // parts of one job have its name
  const auto add = [&](JobId id, std::uint64_t waiting, Standing standing) {
    const Job& job = cluster.jobs[id];
    const auto [known, added] = rows.try_emplace(job.name, queue.size());
    if (added) queue.push_back({job.name, cluster.pools[job.pool].name, words_of(standing), 0, 0, {}, {}});
    queue[known->second].waiting += waiting;
    queue[known->second].running += job.running;
  };
  for (const JobId id : cluster.pending) {
    if (rows.size() >= most_jobs) break;
    if (const std::optional<Standing> standing = standing_of(cluster, standings, id))
      add(id, cluster.jobs[id].pending, *standing);
  }
  for (const JobId id : cluster.held)
    if (rows.size() < most_jobs) add(id, cluster.jobs[id].tasks(), Standing::inputs_missing);
  return queue;
}

std::vector<AwaitedJob> expected_of(const ClusterSnapshot& cluster, const Plan& plan) {
  std::vector<AwaitedJob> expected;
  for (const advice::ExpectedJob& job : advice::expected_jobs(cluster, plan)) {
    if (expected.size() == most_jobs) break;
    AwaitedJob& shown = expected.emplace_back();
    shown.name = job.name, shown.in = job.in, shown.chance = job.chance, shown.work = job.work;
    shown.reads = names_of_inputs(cluster, job), shown.room = zones_with_room(cluster, job);
  }
  return expected;
}

}  // namespace

Result<Overview> overview_of(const EpochRecord& record, const advice::Question& question) {
  const Result<advice::Outcome> outcome = advice::ask(question);
  if (!outcome) return tl::unexpected(outcome.error());
  Overview overview;
  overview.plan = last_plan(record);
  overview.nodes = nodes_of(question.cluster, record.live ? record.live->absent : std::vector<NodeId>());
  overview.offers = offers_of(question.cluster);
  add_data(question.cluster, question.costs, overview);
  overview.queue = waiting_jobs(question, *outcome);
  overview.expected = expected_of(question.cluster, outcome->plan);
  overview.running = running_jobs(question);
  return overview;
}

Result<void> add_forecast(const advice::Question& question, Overview& overview, const std::function<bool()>& goes_on) {
  const Result<advice::Forecast> ahead = advice::forecast(question, TaskId::none(), goes_on);
  if (!ahead) return tl::unexpected(ahead.error());
  struct Starts {
    std::optional<Duration> first, last;
    std::uint64_t count = 0;
  };
  std::map<std::string, Starts> starts;
  for (const auto& [task, after] : ahead->starts) {
    Starts& job = starts[question.cluster.jobs[question.cluster.tasks[task].job].name];
    if (!job.first) job.first = after;
    job.last = after, ++job.count;
  }
  for (WaitingJob& job : overview.queue) {
    const Starts& known = starts[job.name];
    job.first_start = known.first;
    if (known.count >= job.waiting) job.last_start = known.last;
  }
  const auto rank = [](const WaitingJob& job) { return job.first_start.value_or(Duration::max()); };
  std::stable_sort(overview.queue.begin(), overview.queue.end(),
                   [&](const WaitingJob& a, const WaitingJob& b) { return rank(a) < rank(b); });
  overview.forecast = true;
  return {};
}

}  // namespace lips::cmd
