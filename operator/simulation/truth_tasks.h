// The attempts of a simulated cluster: reading, computing, ending.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "controller/cluster_client.h"
#include "simulation/world.h"

namespace lips::simulation {

// The time that a task that is taken back has for an orderly end: as long as Kubernetes' default.
inline constexpr Duration graceful_end = std::chrono::seconds(30);

class TruthTasks {
 public:
  TruthTasks(World& world, const Peers& peers) : world_(world), peers_(peers) {}

  void bind(const PreparedBinding& binding);
  void compute(std::uint32_t index);
  bool reads_from(const Attempt& attempt, StoreId store) const;
  void flow_ended(const FlowOwner& owner);
  // The task has a moment for an orderly end (graceful_end), and is paid for until then.
  void reclaim(TaskId task);
  void finish_attempt(std::uint32_t index);
  void lose_attempt(std::uint32_t index, bool say_so);
  void end_attempt(std::uint32_t index, AttemptEnd::Outcome outcome);

 private:
  std::uint32_t new_attempt(const Assignment& assignment);
  bool readable(const Assignment& assignment) const;
  void read_block(std::uint32_t index);
  void read_stripe(std::uint32_t index);
  void decode(std::uint32_t index);
  void schedule_end(std::uint32_t index);
  void cut_reads(Attempt& attempt, AttemptEnd& end);
  void keep_copy(const Assignment& assignment);

  World& world_;
  const Peers& peers_;
  std::vector<std::uint32_t> free_attempts_;
};

}  // namespace lips::simulation
