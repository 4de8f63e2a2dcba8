// A whole run as its waiting bound sees it: work that may be divided, and zones whose capacity has a price by step.
// Knows no prices of time slots.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/whole_run.h"
#include "model/zone_set.h"

namespace lips {

inline constexpr std::uint32_t no_reader = ~0u;

// One of the maps of a job that are exactly alike.
struct AlikeMap {
  ZoneSet zones;
  std::uint32_t reader = no_reader;  // of RelaxedRun::shared_readers(): its input has several readers
  double work = 0, input = 0;
  friend auto operator<=>(const AlikeMap&, const AlikeMap&) = default;
};

struct AlikeMaps {
  AlikeMap each;
  double count = 0;
};

struct AlikeReduces {
  double work = 0, count = 0;
};

// A job as a reader of blocks that the same jobs read, in the same zones.
struct SharedReader {
  std::uint32_t job = 0, input = 0;  // numbers of the job and of the group of blocks
  double tasks = 1;                  // of the job, on each of the blocks
};

struct BoundJob {
  double arrival = 0;       // seconds from the start
  double reduces_from = 0;  // no reduce starts earlier: each waits for the longest map, at the highest speed
  double cores = 1;         // of each task
  std::vector<AlikeMaps> maps;
  double output = 0;                  // MiB of shuffle from each map
  std::vector<AlikeReduces> reduces;  // the smallest first
  double reduce_count = 0;

  bool shuffles() const { return output > 0; }
};

struct PriceStep {
  double price = 0, rate = 0;  // CPU-seconds a second
};

class RelaxedRun {
 public:
  explicit RelaxedRun(const WholeRun& run);

  bool possible() const { return any_node_; }
  std::size_t zones() const { return steps_.size(); }
  const std::vector<PriceStep>& steps(std::size_t zone) const { return steps_[zone]; }  // the cheapest first
  const std::vector<double>& speeds(std::size_t zone) const { return speeds_[zone]; }   // of its nodes, each once
  bool closed(std::size_t zone) const { return steps_[zone].empty(); }
  const std::vector<BoundJob>& jobs() const { return jobs_; }
  double last_arrival() const;
  double mean_price() const { return mean_price_; }
  double work() const { return work_; }

  double arrived() const { return arrived_; }  // sum over tasks of work x arrival
  double least_duration(const BoundJob& job, double work) const { return work / (job.cores * fastest_); }

  const std::vector<SharedReader>& shared_readers() const { return shared_readers_; }
  std::size_t shared_inputs() const { return shared_inputs_; }

  // USD to bring the input of one task to that zone: by the cheapest way, or, where it has several readers, in the
  // cheapest last hop, which they may share (CopyShares).
  double transfer(const AlikeMap& key, std::size_t to) const;
  // USD for the shuffle of a map that runs there, when the reduces of its job are at home.
  double shuffle(const BoundJob& job, std::size_t zone, std::size_t home) const {
    return job.shuffles() ? job.output * hops_[zone][home] : 0;
  }

 private:
  void read_nodes(const ClusterSnapshot& cluster);
  void read_ways(const CostModel& costs);
  void read_jobs(const WholeRun& run, const ClusterSnapshot& derived);

  std::vector<std::vector<PriceStep>> steps_;  // by zone
  std::vector<std::vector<double>> speeds_;    // by zone
  std::vector<BoundJob> jobs_;
  std::vector<SharedReader> shared_readers_;
  std::size_t shared_inputs_ = 0;
  std::vector<std::vector<double>> ways_, hops_;  // USD per MiB: by the cheapest way, and in one hop
  bool any_node_ = false;
  double fastest_ = 0, mean_price_ = 0;
  double work_ = 0, arrived_ = 0;
};

}  // namespace lips
