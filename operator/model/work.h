// The work to be done: pools, jobs and tasks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/fields.h"
#include "base/ids.h"
#include "base/units.h"
#include "model/nodes.h"
#include "model/targets.h"
#include "model/zone_set.h"

namespace lips {

// The rule by which a pool below its share takes back running tasks of pools above theirs for those that wait.
enum class ReclaimRule : std::uint8_t { never, from_borrowers };
inline constexpr EnumArray<ReclaimRule, std::string_view> reclaim_rule_names{"never", "fromBorrowers"};
constexpr std::string_view to_string(ReclaimRule rule) { return reclaim_rule_names[rule]; }

struct Pool {
  std::string name;
  double weight = 1;
  Cores minimum;                    // cores; 0: none
  Cores maximum;                    // 0: none
  UsdPerCpuSecond shortfall_price;  // value of a CPU-second below the share to the user; 0: shares have no price
  Targets targets = Targets{};
  double waiting_factor = 1;  // times the price of waiting of its jobs: what its targets take (targets/)
  ReclaimRule reclaim = ReclaimRule::never;
  // Core-seconds kept empty for its tasks to come beyond what its tasks have used; fades (unpaid_room.h).
  CpuSeconds unpaid_room = CpuSeconds(0);
  static constexpr auto fields = field_names("name", "weight", "minimum", "maximum", "shortfallPrice", "targets",
                                             "waitingFactor", "reclaim", "unpaidRoom");
  bool reclaims() const { return reclaim == ReclaimRule::from_borrowers; }
};

enum class Locality : std::uint8_t { node, rack, zone, remote, none };  // none: the task reads no block
inline constexpr EnumArray<Locality, std::string_view> locality_names{"node", "rack", "zone", "remote", "none"};
constexpr std::string_view to_string(Locality locality) { return locality_names[locality]; }

enum class TaskKind : std::uint8_t { map, reduce };
enum class TaskState : std::uint8_t { blocked, pending, bound, running, finished };  // blocked: its level has not begun

struct Task {
  JobId job;
  BlockId block;   // none: reads no block
  CpuSeconds cpu;  // work
  // The part of its block that it reads (JD of the LiPS paper times the size of the block), or its share of the
  // shuffle.
  Mebibytes input;
  TaskKind kind = TaskKind::map;
  TaskState state = TaskState::blocked;
  NodeId node;            // where it is bound or ran
  bool degraded = false;  // it reads other blocks of the stripe there, because its own is lost
  // The task's neighbours in its pending group, in order of id.
  TaskId next_pending, previous_pending;
  std::uint32_t group = 0;
  static constexpr auto fields = field_names("job", "block", "cpu", "input", "kind", "state", "node", "degraded",
                                             "nextPending", "previousPending", "group");
};

// Waits for locality that ended with a launch.
struct WaitSum {
  Duration sum{};
  std::uint32_t count = 0;
  static constexpr auto fields = field_names("sum", "count");
  friend bool operator==(const WaitSum&, const WaitSum&) = default;
};

// State of a job that policies need between plans; kept in the cluster (annotations), never in the policy.
struct JobMemory {
  ZoneId home;  // where its reducers are to run; none: anywhere
  bool home_decided = false;
  std::optional<TimePoint> passed_over_since;  // first skipped for want of locality since its last launch
  Locality last_locality = Locality::node;     // of its last launch
  // fair, capacity and modified-fair
  bool launched = false;                // a map that reads a block, at last_locality
  Duration refused_for{};               // time in which it refused slots for want of locality, since its last launch
  std::optional<TimePoint> refused_at;  // its last refusal, until the time since then is added to refused_for
  WaitSum node_waits, rack_waits;       // of its launches at that level
  std::optional<std::int8_t> priority;  // -2 to 2, as changes of locality moved it; none: as submitted
  std::uint32_t opportunities = 0;      // slots that it was offered since its last launch with locality
  static constexpr auto fields =
      field_names("home", "homeDecided", "passedOverSince", "lastLocality", "launched", "refusedFor", "refusedAt",
                  "nodeWaits", "rackWaits", "priority", "opportunities");
  friend bool operator==(const JobMemory&, const JobMemory&) = default;
};

// Sizes and shares that modified fair works out now and then and keeps in between.
struct ShareMemory {
  TimePoint at{};
  std::uint32_t least_job = 0;  // maps of the smallest unfinished job
  bool small_pool = false;      // the small jobs have a pool of their own
  std::vector<double> slots;    // that each pool may use; the pool of small jobs comes last
  static constexpr auto fields = field_names("at", "leastJob", "smallPool", "slots");
  friend bool operator==(const ShareMemory&, const ShareMemory&) = default;
};

struct JobInput {
  DataSetId data_set;
  double fraction = 1;  // of every block that is read (JD)
  static constexpr auto fields = field_names("dataSet", "fraction");
};

// Tasks with different requests or arrival times are in separate Jobs even where their owner sees one job. Each part
// holds the facts that all share; ClusterState keeps them equal.
struct WholeJob {
  WholeJobId id;                        // of all parts; none: the Job is no part
  std::uint32_t maps = 0, reduces = 0;  // of all parts, ended and future ones included
  std::uint32_t finished_maps = 0;      // of all parts
  CpuSeconds reduce_work;               // of all reduces that have arrived
  // The maps are peers: while they run they exchange the shuffle, each with each, and they start together.
  bool peers = false;
  std::uint32_t expected = 0;                          // peers, also those that have not arrived; 0: unknown
  Resources each = Resources{Cores(0), Mebibytes(0)};  // requested by one that has not arrived
  TimePoint arrived = TimePoint{};                     // when the last one did, or the one that coordinates started
  bool guessed = false;    // expected is what earlier runs have had: nobody waits long for so much room
  std::uint32_t gang = 0;  // of peers: fewer than these are never started; 0: those that find room need not wait
  std::optional<TimePoint> began = std::nullopt;  // the first arrival of any part; none: all are held
  CpuSeconds work = CpuSeconds(0);                // of all tasks that have arrived, ended ones included
  std::uint32_t arrivals = 0, ended = 0;          // tasks that have arrived, and those of them that have ended
  bool lacks_driver = false;  // of peers: they need one that coordinates them, and it has not arrived
  static constexpr auto fields =
      field_names("id", "maps", "reduces", "finishedMaps", "reduceWork", "peers", "expected", "each", "arrived",
                  "guessed", "gang", "began", "work", "arrivals", "ended", "lacksDriver");
  friend bool operator==(const WholeJob&, const WholeJob&) = default;
};

struct Job {
  std::string name;
  PoolId pool;
  TimePoint arrival{};
  std::int32_t priority = 0;  // higher goes first
  ConstraintId constraint;
  Resources request;  // of each task
  std::vector<JobInput> inputs;
  DataSetId output;   // written by its reduces, or by its maps if it has none; none: nothing is kept
  bool held = false;  // its inputs do not exist yet: its tasks are blocked until JobReleased
  Mebibytes shuffle;  // all map output that the reducers of the whole job read
  TaskId first_task;  // maps, then reduces, without a gap
  std::uint32_t map_tasks = 0, reduce_tasks = 0;
  CpuSeconds work;  // of all tasks

  std::uint32_t pending = 0, running = 0, finished_maps = 0, finished_reduces = 0;
  std::uint32_t degraded_launched = 0;  // maps bound as degraded tasks and not lost since
  CpuSeconds pending_work;
  TimePoint completed{};
  std::vector<Mebibytes> map_output;  // by zone, of finished maps of the whole job; empty when there is no shuffle
  JobMemory memory;
  WholeJob whole;
  bool coordinates = false;  // peers: its tasks start the others, and exchange little with them
  JobDue due = JobDue{};
  bool preempts = true;  // its waiting tasks may take the room of running ones: preempts_tasks_of()
  static constexpr auto fields = field_names(
      "name", "pool", "arrival", "priority", "constraint", "request", "inputs", "output", "held", "shuffle",
      "firstTask", "mapTasks", "reduceTasks", "work", "pending", "running", "finishedMaps", "finishedReduces",
      "degradedLaunched", "pendingWork", "completed", "mapOutput", "memory", "whole", "coordinates", "due", "preempts");

  // They are of its pool, and of a lower priority.
  bool preempts_tasks_of(const Job& other) const { return preempts && pool == other.pool && priority > other.priority; }
  std::uint32_t tasks() const { return map_tasks + reduce_tasks; }
  // The tasks of the whole job: each map leaves, and each reduce reads, an equal share of the shuffle.
  std::uint32_t all_maps() const { return std::max(map_tasks, whole.maps); }
  std::uint32_t all_reduces() const { return std::max(reduce_tasks, whole.reduces); }
  bool all_maps_finished() const { return std::max(finished_maps, whole.finished_maps) >= all_maps(); }
  bool finished() const { return finished_maps + finished_reduces == tasks(); }
};

// Pending tasks of one job that no row of a model can tell apart.
struct TaskGroup {
  TaskKind kind = TaskKind::map;
  bool reads = false;     // a block; false for tasks without input and reduce tasks
  ZoneSet zones;          // with a replica of the block; a group that reads and has none can only run degraded
  bool degraded = false;  // the block is lost and can be decoded from others of its stripe
  CpuSeconds cpu;
  Mebibytes input;
  DataSetId data_set;
  TaskId first;  // of the chain through Task::next_pending
  TaskId last;
  std::uint32_t count = 0;
  // Without a replica, to which one is on its way. None of peers: they start together, and none waits for data.
  ZoneSet coming = {};
  static constexpr auto fields =
      field_names("kind", "reads", "zones", "degraded", "cpu", "input", "dataSet", "first", "last", "count", "coming");
  // With a replica, now or soon. A copy under way began earlier than a read that begins now.
  ZoneSet zones_soon() const { return zones | coming; }
};

}  // namespace lips
