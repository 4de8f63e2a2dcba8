// The tables of a running operator's page that come from its cluster rather than from counters. Plain values, in the
// order in which they are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace lips {

struct NodesOfKind {
  std::string zone, instance_type, capacity_type;
  bool elastic = false;
  std::uint32_t nodes = 0, idle = 0;  // idle: no pod on it that takes room
  UsdPerHour price;                   // of all of them
  Cores used, cores;
  std::optional<Duration> first_free, last_free;  // when one of them, and all, have no task of ours left
};

// Nodes alike that are not there, and may be bought.
struct OfferedNodes {
  std::string zone, instance_type, capacity_type;
  std::uint32_t left = 0;
  UsdPerHour price;  // of one
  Cores cores;       // of one
  Duration boot{};
};

struct PlacedData {
  std::string name;
  Mebibytes size;
  std::vector<Mebibytes> held;  // by zone, in the order of Overview::zones
  std::uint32_t lost = 0;       // blocks
};

struct MovedData {
  std::string name, from, to;
  std::uint64_t blocks = 0;
  Mebibytes size;
  Usd dollars;
  std::string to_zone;  // a full read there earns the copy
};

struct WaitingJob {
  std::string name, pool, reason;
  std::uint64_t waiting = 0, running = 0;           // tasks
  std::optional<Duration> first_start, last_start;  // from now; none: later than the forecast reaches
};

// Announced, and not here.
struct AwaitedJob {
  std::string name, reads, room;  // reads: data sets; room: zones
  Duration in{};                  // from now; less than 0: it is late
  double chance = 1;
  CpuSeconds work;
};

struct PlacedJob {
  std::string name, pool, reason;
  std::uint64_t running = 0, beside_data = 0, reading = 0;  // tasks; reading: those that read a block
  std::vector<std::pair<std::string, std::uint64_t>> zones;
  Usd dollars;  // of the running tasks, by use
};

struct LastPlan {
  Duration ago{};
  std::string policy;
  std::uint64_t pending = 0, assigned = 0, moves = 0;
  Usd dollars;
  std::optional<double> gap;  // to the certified bound
};

struct Overview {
  Duration age{};  // of the whole
  std::optional<LastPlan> plan;
  std::vector<std::string> zones;
  std::vector<NodesOfKind> nodes;  // that are there
  std::vector<OfferedNodes> offers;
  std::vector<PlacedData> data;
  std::vector<MovedData> moves;
  std::vector<WaitingJob> queue;
  std::vector<AwaitedJob> expected;
  bool forecast = false;  // the starts of the queue are known
  std::vector<PlacedJob> running;
};

struct ShownTask {
  std::string name, state, node, zone, reads;
  std::optional<Duration> ends;  // of a running one, from now
};

struct JobView {
  std::string name, pool, why;  // why: of its first task that waits, else of one that runs
  std::uint64_t maps = 0, reduces = 0, waiting = 0, running = 0, finished = 0;
  Duration age{};
  Mebibytes shuffle;
  std::vector<std::pair<std::string, Mebibytes>> inputs;  // data sets
  std::optional<Duration> due;                            // from now
  std::vector<ShownTask> tasks;                           // that wait or run
  std::uint64_t more_tasks = 0;
  struct Dollars {
    std::string day;
    std::uint64_t finished = 0;
    Usd predicted, counted, spent;
  };
  std::vector<Dollars> dollars;
};

}  // namespace lips
