// Listens to the true events of a simulated cluster. Listeners decide nothing.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.h"
#include "base/units.h"
#include "model/data.h"
#include "model/work.h"

namespace lips::simulation {

struct AttemptEnd {
  // lost: its work was for nothing; cut_off: the run ended first
  enum class Outcome : std::uint8_t { finished, lost, cut_off };
  TaskId task;
  JobId job;
  NodeId node;
  TimePoint start{}, end{};
  TaskKind kind = TaskKind::map;
  Outcome outcome = Outcome::finished;
  CpuSeconds work;  // done
  Locality level = Locality::none;
  ZoneId source;                               // of the block it read; none: no block
  Mebibytes read;                              // of that block
  std::span<const Mebibytes> shuffled;         // by zone of origin
  std::span<const StripeSource> sources = {};  // of a degraded task
  std::span<const Mebibytes> decoded = {};     // MiB read from each source
  StoreId store = StoreId::none();             // of the block it read
  bool reclaimed = false;                      // lost, because it was taken back
};

class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void on_job(JobId, TimePoint) {}
  virtual void on_released(JobId, TaskKind, TimePoint) {}  // its tasks of that kind may run now
  virtual void on_start(TaskId, JobId, NodeId, TimePoint) {}
  virtual void on_end(const AttemptEnd&) {}
  virtual void on_job_end(JobId, bool /*finished*/, TimePoint) {}
  virtual void on_copied(StoreId /*from*/, StoreId /*to*/, Mebibytes) {}  // by a move, whole or not
  virtual void on_kept(StoreId, Mebibytes, Duration) {}                   // everything in the store
  virtual void on_extra_kept(StoreId, Mebibytes, Duration) {}             // extra copies in the store
  virtual void on_launch(NodeId, TimePoint) {}                            // of a fleet node; it costs money from now on
  enum class Gone : std::uint8_t { interrupted, empty, underutilized };
  virtual void on_gone(NodeId, Gone, TimePoint) {}  // why a fleet node goes; on_node follows
  virtual void on_node(NodeId, bool /*up*/, TimePoint) {}
};

}  // namespace lips::simulation
