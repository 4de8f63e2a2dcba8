// Where two snapshots differ: everything that a policy may see, exactly.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "model/snapshot.h"

namespace lips {

// "" when they are the same.
inline std::string difference(const ClusterSnapshot& a, const ClusterSnapshot& b) {
  const auto table = [](const char* what, const auto& left, const auto& right, auto same) -> std::string {
    if (left.size() != right.size()) return std::string(what) + ": another number of rows";
    auto other = right.begin();
    std::size_t row = 0;
    for (auto it = left.begin(); it != left.end(); ++it, ++other, ++row)
      if (!same(*it, *other)) return std::string(what) + " row " + std::to_string(row);
    return "";
  };
  const auto same_node = [](const Node& x, const Node& y) {
    return x.name == y.name && x.zone == y.zone && x.rack == y.rack && x.profile == y.profile &&
           x.instance_type == y.instance_type && x.capacity_type == y.capacity_type && x.capacity == y.capacity &&
           x.others == y.others && x.speed == y.speed && x.price == y.price && x.cpu_price == y.cpu_price &&
           x.schedulable == y.schedulable;
  };
  const auto same_store = [](const DataStore& x, const DataStore& y) {
    return x.name == y.name && x.kind == y.kind && x.zone == y.zone && x.node == y.node && x.capacity == y.capacity &&
           x.used == y.used && x.price == y.price;
  };
  const auto same_block = [](const Block& x, const Block& y) {
    return x.data_set == y.data_set && x.size == y.size && x.zones == y.zones && x.replicas == y.replicas;
  };
  const auto same_set = [](const DataSet& x, const DataSet& y) {
    return x.name == y.name && x.first_block == y.first_block && x.blocks == y.blocks && x.size == y.size &&
           x.code.n == y.code.n && x.code.k == y.code.k;
  };
  const auto same_pool = [](const Pool& x, const Pool& y) {
    return x.name == y.name && x.weight == y.weight && x.minimum == y.minimum && x.maximum == y.maximum &&
           x.shortfall_price == y.shortfall_price;
  };
  const auto same_input = [](const JobInput& x, const JobInput& y) {
    return x.data_set == y.data_set && x.fraction == y.fraction;
  };
  const auto same_job = [&](const Job& x, const Job& y) {
    return x.name == y.name && x.pool == y.pool && x.arrival == y.arrival && x.priority == y.priority &&
           x.constraint == y.constraint && x.request == y.request &&
           table("inputs", x.inputs, y.inputs, same_input).empty() && x.shuffle == y.shuffle && x.output == y.output &&
           x.held == y.held && x.first_task == y.first_task && x.map_tasks == y.map_tasks &&
           x.reduce_tasks == y.reduce_tasks && x.work == y.work && x.pending == y.pending && x.running == y.running &&
           x.finished_maps == y.finished_maps && x.finished_reduces == y.finished_reduces &&
           x.pending_work == y.pending_work && x.completed == y.completed && x.map_output == y.map_output &&
           x.memory == y.memory;
  };
  const auto same_task = [](const Task& x, const Task& y) {
    const bool chained =
        x.state != TaskState::pending ||
        (x.next_pending == y.next_pending && x.previous_pending == y.previous_pending && x.group == y.group);
    return x.job == y.job && x.block == y.block && x.cpu == y.cpu && x.input == y.input && x.kind == y.kind &&
           x.state == y.state && x.node == y.node && chained;
  };
  const auto same_group = [](const TaskGroup& x, const TaskGroup& y) {
    return x.kind == y.kind && x.reads == y.reads && x.zones == y.zones && x.cpu == y.cpu && x.input == y.input &&
           x.data_set == y.data_set && x.count == y.count && (x.count == 0 || (x.first == y.first && x.last == y.last));
  };
  const auto same_running = [](const RunningTask& x, const RunningTask& y) {
    return x.task == y.task && x.node == y.node && x.expected_end == y.expected_end;
  };
  const auto same_move = [](const MoveInFlight& x, const MoveInFlight& y) {
    return x.id == y.id && x.block == y.block && x.from == y.from && x.to == y.to;
  };
  const auto same_locality = [](const JobLocality& x, const JobLocality& y) {
    return x.at_arrival == y.at_arrival && x.since == y.since;
  };
  const auto equal = [](const auto& x, const auto& y) { return x == y; };
  for (const std::string& found :
       {table("nodes", a.nodes, b.nodes, same_node), table("free", a.free, b.free, equal),
        table("profiles", a.profiles, b.profiles, equal), table("constraints", a.constraints, b.constraints, equal),
        table("stores", a.stores, b.stores, same_store), table("node stores", a.node_store, b.node_store, equal),
        table("data sets", a.data_sets, b.data_sets, same_set), table("blocks", a.blocks, b.blocks, same_block),
        table("pools", a.pools, b.pools, same_pool), table("pool cores", a.pool_cores, b.pool_cores, equal),
        table("jobs", a.jobs, b.jobs, same_job), table("tasks", a.tasks, b.tasks, same_task),
        table("running", a.running, b.running, same_running), table("moves", a.moves, b.moves, same_move),
        table("locality", a.locality, b.locality, same_locality), table("pending", a.pending, b.pending, equal),
        table("held", a.held, b.held, equal), table("extra copies", a.extra_copies, b.extra_copies, equal),
        table("groups", a.groups, b.groups,
              [&](const auto& x, const auto& y) { return table("", x, y, same_group).empty(); })})
    if (!found.empty()) return found;
  if (a.now != b.now) return "now";
  if (a.extended_names != b.extended_names) return "extended names";
  if (a.copies_reviewed != b.copies_reviewed) return "copies reviewed";
  if (a.pending_tasks != b.pending_tasks) return "pending tasks";
  return "";
}

}  // namespace lips
