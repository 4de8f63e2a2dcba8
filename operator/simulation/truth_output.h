// The output of a simulated cluster's jobs: which blocks a task writes, and where their replicas go.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/world.h"

namespace lips::simulation {

class TruthOutput {
 public:
  TruthOutput(World& world, const Peers& peers) : world_(world), peers_(peers) {}

  void write_output(const Assignment& assignment);
  // A copy of the mover or a write of a task ends.
  void end_transfer(std::uint32_t index, bool whole);

 private:
  void end_write(std::uint32_t index, bool whole);
  void write_block(JobId job, BlockId block, const Assignment& assignment);
  std::vector<StoreId> output_stores(BlockId block, const Assignment& assignment) const;
  StoreId other_store(NodeId writer, RackId rack, bool same_rack, BlockId block,
                      const std::vector<StoreId>& taken) const;
  void start_write(JobId job, BlockId block, StoreId from, StoreId to);

  World& world_;
  const Peers& peers_;
};

}  // namespace lips::simulation
