#include "records/snapshot_writer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/eligibility.h"
#include "records/snapshot_pools_writer.h"

namespace lips {

namespace {

void write_requirements(JsonText& out, std::string_view key, const std::vector<LabelRequirement>& requirements) {
  out.open(key, '[');
  for (const LabelRequirement& requirement : requirements) {
    out.open("", '[');
    out.field("", requirement.key);
    out.field("", std::string(to_string(requirement.op)));
    for (const std::string& value : requirement.values) out.field("", value);
    out.close(']');
  }
  out.close(']');
}

void write_eligibility(JsonText& out, const ClusterSnapshot& cluster) {
  out.open("profiles", '[');
  for (const NodeProfile& profile : cluster.profiles) {
    out.open("", '{');
    out.open("labels", '{');
    for (const auto& [key, value] : profile.labels) out.field(key, value);
    out.close('}');
    out.open("taints", '[');
    for (const Taint& taint : profile.taints) out.described_row(taint);
    out.close(']');
    out.close('}');
  }
  out.close(']');
  out.open("constraints", '[');
  for (const PlacementConstraint& constraint : cluster.constraints) {
    out.open("", '{');
    write_requirements(out, "required", constraint.required);
    out.open("anyOf", '[');
    for (const std::vector<LabelRequirement>& term : constraint.any_of) write_requirements(out, "", term);
    out.close(']');
    if (!constraint.volumes.empty()) {
      out.open("volumes", '[');
      for (const auto& terms : constraint.volumes) {
        out.open("", '[');
        for (const std::vector<LabelRequirement>& term : terms) write_requirements(out, "", term);
        out.close(']');
      }
      out.close(']');
    }
    out.open("tolerations", '[');
    for (const Toleration& toleration : constraint.tolerations)
      out.row(toleration.key, std::string(toleration.exists ? "Exists" : "Equal"), toleration.value, toleration.effect);
    out.close(']');
    out.close('}');
  }
  out.close(']');
}

using NodeKind =
    std::tuple<std::string, std::int64_t, double, double, std::int64_t, double, double, double, std::int64_t, double>;

NodeKind kind_of(const Node& node) {
  return {node.instance_type,
          std::int64_t{node.capacity_type == CapacityType::spot} + 2 * (node.fleet == FleetKind::elastic),
          node.capacity.cpu.value(),
          node.capacity.memory.value(),
          node.capacity.slots,
          node.speed,
          node.price.value(),
          node.cpu_price.value(),
          cell_of(node.profile),
          node.preference};
}

void write_node_kind(JsonText& out, const NodeKind& kind) {
  constexpr std::size_t last = std::tuple_size_v<NodeKind> - 1;
  out.open("", '[');
  [&]<std::size_t... cell>(std::index_sequence<cell...>) {
    (out.field("", std::get<cell>(kind)), ...);
  }(std::make_index_sequence<last>());
  if (const double preference = std::get<last>(kind); preference != 1) out.field("", preference);
  out.close(']');
}

void write_nodes(JsonText& out, const ClusterSnapshot& cluster) {
  std::map<NodeKind, std::int64_t> kinds;
  for (const Node& node : cluster.nodes) kinds.emplace(kind_of(node), 0);
  std::int64_t next = 0;
  out.open("nodeKinds", '[');
  for (auto& [kind, index] : kinds) {
    index = next++;
    write_node_kind(out, kind);
  }
  out.close(']');
  out.line();
  const std::vector<Node>& nodes = cluster.nodes.items();
  std::vector<std::int64_t> kind_index;
  for (const Node& node : nodes) kind_index.push_back(kinds.at(kind_of(node)));
  out.open("nodes", '{');
  out.names(nodes);
  out.column("kind", nodes.size(), [&](std::size_t i) { return kind_index[i]; });
  out.column("zone", nodes.size(), [&](std::size_t i) { return cell_of(nodes[i].zone); });
  out.column("rack", nodes.size(), [&](std::size_t i) { return cell_of(nodes[i].rack); });
  out.column("schedulable", nodes.size(), [&](std::size_t i) { return std::int64_t{nodes[i].schedulable}; });
  out.close('}');
}

bool any_extended(const Resources& resources) { return !resources.extended.empty(); }

// Facts of clusters with other users: resources beside CPU and memory, and the part of each node that others use.
void write_beyond(JsonText& out, const ClusterSnapshot& cluster) {
  const auto rows = [&](std::string_view key, const auto& table, const auto& resources_of, const auto& wanted) {
    out.open(key, '[');
    std::int64_t index = 0;
    for (const auto& row : table) {
      const Resources& r = resources_of(row);
      if (wanted(r)) {
        out.open("", '[');
        out.field("", index), out.field("", r.cpu.value()), out.field("", r.memory.value());
        out.field("", std::int64_t{r.slots});
        for (const ResourceId resource : cluster.extended_names.ids()) out.field("", r.extended[resource]);
        out.close(']');
      }
      ++index;
    }
    out.close(']');
  };
  const Resources none{Cores(0), Mebibytes(0), 0};
  out.open("beyond", '{');
  out.open("names", '[');
  for (const std::string& name : cluster.extended_names) out.field("", name);
  out.close(']');
  rows(
      "nodes", cluster.nodes, [](const Node& node) -> const Resources& { return node.capacity; }, any_extended);
  rows(
      "others", cluster.nodes, [](const Node& node) -> const Resources& { return node.others; },
      [&](const Resources& others) { return others != none; });
  rows(
      "jobs", cluster.jobs, [](const Job& job) -> const Resources& { return job.request; }, any_extended);
  const auto each_peer = [](const Job& job) -> const Resources& { return job.whole.each; };
  if (std::any_of(cluster.jobs.begin(), cluster.jobs.end(),
                  [&](const Job& job) { return any_extended(each_peer(job)); }))
    rows("peers", cluster.jobs, each_peer, any_extended);
  out.close('}');
}

void write_data(JsonText& out, const ClusterSnapshot& cluster) {
  out.table("stores", cluster.stores.items());
  out.line();
  out.table("dataSets", cluster.data_sets.items());
  out.line();
  const std::vector<Block>& blocks = cluster.blocks.items();
  out.open("blocks", '{');
  out.field("count", static_cast<std::int64_t>(blocks.size()));
  out.column("dataSet", blocks.size(), [&](std::size_t i) { return cell_of(blocks[i].data_set); });
  out.column("size", blocks.size(), [&](std::size_t i) { return blocks[i].size.value(); });
  out.column("copies", blocks.size(),
             [&](std::size_t i) { return static_cast<std::int64_t>(blocks[i].replicas.size()); });
  out.open("replicas", '[');
  for (const Block& block : blocks)
    for (const Replica& replica : block.replicas) out.field("", cell_of(replica.store));
  out.close(']');
  out.open("notes", '[');  // block, store, 1 for an extra copy, last read
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (const Replica& replica : blocks[i].replicas)
      if (replica.extra || replica.last_read != TimePoint{})
        out.row(static_cast<std::int64_t>(i), cell_of(replica.store), std::int64_t{replica.extra},
                cell_of(replica.last_read));
  out.close(']');
  out.close('}');
}

void write_job_columns(JsonText& out, const std::vector<Job>& jobs) {
  const std::size_t count = jobs.size();
  out.names(jobs);
  out.column("pool", count, [&](std::size_t i) { return cell_of(jobs[i].pool); });
  out.column("arrival", count, [&](std::size_t i) { return cell_of(jobs[i].arrival); });
  out.column("priority", count, [&](std::size_t i) { return std::int64_t{jobs[i].priority}; });
  if (!std::all_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.preempts; }))
    out.column("preempts", count, [&](std::size_t i) { return std::int64_t{jobs[i].preempts}; });
  out.column("constraint", count, [&](std::size_t i) { return cell_of(jobs[i].constraint); });
  out.column("cpu", count, [&](std::size_t i) { return jobs[i].request.cpu.value(); });
  out.column("memory", count, [&](std::size_t i) { return jobs[i].request.memory.value(); });
  out.column("slots", count, [&](std::size_t i) { return std::int64_t{jobs[i].request.slots}; });
  out.column("shuffle", count, [&](std::size_t i) { return jobs[i].shuffle.value(); });
  out.column("maps", count, [&](std::size_t i) { return std::int64_t{jobs[i].map_tasks}; });
  out.column("reduces", count, [&](std::size_t i) { return std::int64_t{jobs[i].reduce_tasks}; });
  out.column("completed", count, [&](std::size_t i) { return cell_of(jobs[i].completed); });
  out.column("home", count, [&](std::size_t i) { return cell_of(jobs[i].memory.home); });
  out.column("lastLocality", count,
             [&](std::size_t i) { return static_cast<std::int64_t>(jobs[i].memory.last_locality); });
}

// Memories of policies beyond home, last locality and passed over since. Jobs without any are left out.
void write_memories(JsonText& out, const std::vector<Job>& jobs) {
  out.open("memories", '[');
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobMemory& memory = jobs[i].memory;
    JobMemory columns;
    columns.home = memory.home;
    columns.passed_over_since = memory.passed_over_since;
    columns.last_locality = memory.last_locality;
    if (memory == columns) continue;
    out.open("", '[');
    out.field("", static_cast<std::int64_t>(i));
    each_field(memory, [&](std::string_view name, const auto& member) {
      if (!is_column_of_memory(name)) out.flat_cells(member);
    });
    out.close(']');
  }
  out.close(']');
}

// Jobs that are parts of a whole job.
void write_wholes(JsonText& out, const std::vector<Job>& jobs) {
  const auto alone = [](const Job& job) { return !job.whole.id.valid(); };
  if (std::all_of(jobs.begin(), jobs.end(), alone)) return;
  // job, whole job, its maps, its reduces, its finished maps, CPU-seconds of its reduces; 1 and when it began, and of
  // all that has arrived CPU-seconds, tasks and ended tasks
  out.open("wholes", '[');
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (const WholeJob& whole = jobs[i].whole; whole.id.valid())
      out.row(static_cast<std::int64_t>(i), cell_of(whole.id), std::int64_t{whole.maps}, std::int64_t{whole.reduces},
              std::int64_t{whole.finished_maps}, whole.reduce_work.value(), std::int64_t{whole.began.has_value()},
              cell_of(whole.began.value_or(TimePoint{})), whole.work.value(), std::int64_t{whole.arrivals},
              std::int64_t{whole.ended});
  out.close(']');
}

// Jobs of which so many peers start together or none does, or of which only earlier runs say how many come.
void write_gangs(JsonText& out, const std::vector<Job>& jobs) {
  const auto plain = [](const Job& job) { return job.whole.gang == 0 && !job.whole.guessed; };
  if (std::all_of(jobs.begin(), jobs.end(), plain)) return;
  out.open("gangs", '[');  // job, peers that start together, whether the number of peers is guessed
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (const WholeJob& whole = jobs[i].whole; !plain(jobs[i]))
      out.row(static_cast<std::int64_t>(i), std::int64_t{whole.gang}, std::int64_t{whole.guessed});
  out.close(']');
}

void write_expected(JsonText& out, const ClusterSnapshot& cluster) {
  if (cluster.expected.empty()) return;
  out.open("expected", '[');
  for (const ExpectedWork& work : cluster.expected) out.described_row(work);
  out.close(']');
  out.line();
}

// Jobs of peers. All other jobs are left out.
void write_peers(JsonText& out, const std::vector<Job>& jobs) {
  const auto plain = [](const Job& job) {
    WholeJob alone = job.whole;
    alone.peers = WholeJob{}.peers;
    alone.expected = WholeJob{}.expected;
    alone.each = WholeJob{}.each;
    alone.arrived = WholeJob{}.arrived;
    alone.lacks_driver = WholeJob{}.lacks_driver;
    return alone == job.whole && !job.coordinates;
  };
  if (std::all_of(jobs.begin(), jobs.end(), plain)) return;
  // job, 1 when its tasks are peers, peers expected, arrival of the last; cores, memory and slots of one to come; 1
  // when it coordinates; 1 when nobody does who has arrived, and somebody has to
  out.open("peers", '[');
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (const WholeJob& whole = jobs[i].whole; !plain(jobs[i]))
      out.row(static_cast<std::int64_t>(i), std::int64_t{whole.peers}, std::int64_t{whole.expected},
              cell_of(whole.arrived), whole.each.cpu.value(), whole.each.memory.value(), std::int64_t{whole.each.slots},
              std::int64_t{jobs[i].coordinates}, std::int64_t{whole.lacks_driver});
  out.close(']');
}

// Jobs that have to be done, or to start, by some time. All other jobs are left out.
void write_due(JsonText& out, const std::vector<Job>& jobs) {
  const auto plain = [](const Job& job) { return !job.due.complete_by && !job.due.start_by; };
  if (std::all_of(jobs.begin(), jobs.end(), plain)) return;
  out.open("due", '[');  // job, 1 and when it has to be done, 1 and when to have started
  const auto cells = [](const std::optional<TimePoint>& time) { return cell_of(time.value_or(TimePoint{})); };
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (const JobDue& due = jobs[i].due; !plain(jobs[i]))
      out.row(static_cast<std::int64_t>(i), std::int64_t{due.complete_by.has_value()}, cells(due.complete_by),
              std::int64_t{due.start_by.has_value()}, cells(due.start_by));
  out.close(']');
}

// Jobs that their controllers end by some time. All other jobs are left out.
void write_ends(JsonText& out, const std::vector<Job>& jobs) {
  const auto plain = [](const Job& job) { return !job.due.ends_by; };
  if (std::all_of(jobs.begin(), jobs.end(), plain)) return;
  out.open("endsBy", '[');  // job, when
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (const auto& ends = jobs[i].due.ends_by) out.row(static_cast<std::int64_t>(i), cell_of(*ends));
  out.close(']');
}

// Jobs that wait for their inputs, and jobs that keep their output. All other jobs are left out.
void write_levels(JsonText& out, const std::vector<Job>& jobs) {
  const auto plain = [](const Job& job) { return !job.held && !job.output.valid(); };
  if (std::all_of(jobs.begin(), jobs.end(), plain)) return;
  out.open("levels", '[');  // job, data set that it writes, 1 when its inputs do not exist yet
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (!plain(jobs[i])) out.row(static_cast<std::int64_t>(i), cell_of(jobs[i].output), std::int64_t{jobs[i].held});
  out.close(']');
}

void write_jobs(JsonText& out, const ClusterSnapshot& cluster) {
  const std::vector<Job>& jobs = cluster.jobs.items();
  out.open("jobs", '{');
  write_job_columns(out, jobs);
  out.open("passedOver", '[');  // job, since
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (jobs[i].memory.passed_over_since)
      out.row(static_cast<std::int64_t>(i), cell_of(*jobs[i].memory.passed_over_since));
  out.close(']');
  write_memories(out, jobs);
  write_levels(out, jobs);
  write_wholes(out, jobs);
  write_gangs(out, jobs);
  write_peers(out, jobs);
  write_due(out, jobs);
  write_ends(out, jobs);
  out.open("inputs", '[');  // job, data set, fraction
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const JobInput& input : jobs[i].inputs)
      out.row(static_cast<std::int64_t>(i), cell_of(input.data_set), input.fraction);
  out.close(']');
  out.open("mapOutput", '[');  // job, zone, MiB
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (std::size_t zone = 0; zone < jobs[i].map_output.size(); ++zone)
      if (jobs[i].map_output[zone].value() != 0)
        out.row(static_cast<std::int64_t>(i), static_cast<std::int64_t>(zone), jobs[i].map_output[zone].value());
  out.close(']');
  out.close('}');
}

// Runs of equal tasks that read consecutive blocks (or none): count, CPU-seconds, input, 1 for reduces, first block or
// -1.
void write_tasks(JsonText& out, const ClusterSnapshot& cluster) {
  out.open("tasks", '[');
  const std::vector<Task>& tasks = cluster.tasks.items();
  for (std::size_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    const Task& first = tasks[begin];
    const auto continues = [&](const Task& task, std::size_t offset) {
      return task.job == first.job && task.kind == first.kind && task.cpu == first.cpu && task.input == first.input &&
             (first.block.valid() ? task.block.valid() && task.block.index() == first.block.index() + offset
                                  : !task.block.valid());
    };
    for (end = begin + 1; end < tasks.size() && continues(tasks[end], end - begin);) ++end;
    out.row(static_cast<std::int64_t>(end - begin), first.cpu.value(), first.input.value(),
            std::int64_t{first.kind == TaskKind::reduce}, cell_of(first.block));
  }
  out.close(']');
  out.line();
  // On a node: task, node, state (0 bound, 1 running, 2 finished), expected end.
  std::vector<TimePoint> ends(cluster.tasks.size());
  for (const RunningTask& run : cluster.running) ends[run.task.index()] = run.expected_end;
  out.open("placed", '[');
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].state < TaskState::bound) continue;
    out.row(static_cast<std::int64_t>(i), cell_of(tasks[i].node),
            static_cast<std::int64_t>(tasks[i].state) - static_cast<std::int64_t>(TaskState::bound), cell_of(ends[i]));
  }
  out.close(']');
}

// Left out when empty: files of clusters without erasure codes lack it.
void write_degraded(JsonText& out, const ClusterSnapshot& cluster) {
  std::vector<std::int64_t> tasks;
  for (TaskId task : cluster.tasks.ids())
    if (cluster.tasks[task].degraded) tasks.push_back(cell_of(task));
  const auto noted = [](const auto& times) {
    return std::any_of(times.begin(), times.end(), [](const auto& time) { return time.has_value(); });
  };
  if (tasks.empty() && !noted(cluster.rack_degraded) && !noted(cluster.zone_degraded)) return;
  const auto write_times = [&](const char* key, const auto& times) {
    out.open(key, '[');
    for (const auto place : times.ids())
      if (times[place]) out.row(cell_of(place), cell_of(*times[place]));
    out.close(']');
  };
  out.open("degraded", '{');
  out.open("tasks", '[');
  for (std::int64_t task : tasks) out.field("", task);
  out.close(']');
  write_times("racks", cluster.rack_degraded);
  write_times("zones", cluster.zone_degraded);
  out.close('}');
  out.line();
}

}  // namespace

void write_tables(JsonText& out, const ClusterSnapshot& cluster, const CostModel& costs) {
  out.field("now", cell_of(cluster.now));
  out.line();
  out.open("zones", '[');
  for (const Zone& zone : cluster.zones) out.field("", zone.name);
  out.close(']');
  out.table("racks", cluster.racks.items());
  out.line();
  write_eligibility(out, cluster);
  out.line();
  write_nodes(out, cluster);
  out.line();
  if (!cluster.launch_limits.empty()) {
    out.open("launchLimits", '[');
    for (const LaunchLimit& limit : cluster.launch_limits) out.described_row(limit);
    out.close(']');
    out.line();
  }
  if (!cluster.offers.empty()) {
    out.open("offers", '[');
    for (const Offer& offer : cluster.offers) out.described_row(offer);
    out.close(']');
    out.line();
  }
  write_data(out, cluster);
  out.line();
  out.object("network", cluster.network);
  out.line();
  out.table("pools", cluster.pools.items());
  write_targets(out, cluster);
  out.line();
  write_jobs(out, cluster);
  out.line();
  write_tasks(out, cluster);
  out.line();
  write_degraded(out, cluster);
  write_reclaims(out, cluster);
  write_marked(out, cluster);
  write_unpaid_room(out, cluster);
  write_data_set_pools(out, cluster);
  if (cluster.shares) out.object("shares", *cluster.shares);
  if (cluster.arrivals.any()) out.object("arrivals", cluster.arrivals);
  write_target_debts(out, cluster);
  write_expected(out, cluster);
  out.open("moves", '[');  // id, block, from, to
  for (const MoveInFlight& move : cluster.moves) out.described_row(move);
  out.close(']');
  out.open("transfer", '[');  // USD per MiB, from row to column
  for (std::uint32_t from = 0; from < costs.zones(); ++from) {
    out.open("", '[');
    for (std::uint32_t to = 0; to < costs.zones(); ++to)
      out.field("", costs.transfer(ZoneId(from), ZoneId(to)).value());
    out.close(']');
  }
  out.close(']');
  const Resources nothing{Cores(0), Mebibytes(0), 0};
  const auto shared = [&](const Node& node) { return node.others != nothing || any_extended(node.capacity); };
  if (!cluster.extended_names.empty() || std::any_of(cluster.nodes.begin(), cluster.nodes.end(), shared)) {
    out.line();
    write_beyond(out, cluster);
  }
}

}  // namespace lips
