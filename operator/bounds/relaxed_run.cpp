#include "bounds/relaxed_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "model/cluster_state.h"

namespace lips {

namespace {

// Blocks in the same zones that the same jobs read, as often, are one input.
class SharedInputs {
 public:
  SharedInputs(const ClusterSnapshot& cluster, std::span<const JobArrived> arrivals)
      : input_of_(cluster.blocks.size(), no_reader) {
    IdVector<BlockId, std::vector<std::uint32_t>> jobs(cluster.blocks.size());  // one for each task, rising
    for (std::uint32_t j = 0; j < arrivals.size(); ++j)
      for (const Task& task : arrivals[j].tasks)
        if (task.block.valid()) jobs[task.block].push_back(j);
    std::map<std::pair<ZoneSet, std::vector<std::uint32_t>>, std::uint32_t> inputs;
    for (const BlockId block : jobs.ids()) {
      if (jobs[block].size() < 2) continue;
      const auto [input, added] = inputs.try_emplace({cluster.blocks[block].zones, std::move(jobs[block])},
                                                     static_cast<std::uint32_t>(inputs.size()));
      input_of_[block] = input->second;
      if (added) add_readers(input->first.second);
    }
  }

  std::uint32_t reader(BlockId block, std::uint32_t job) const {
    const std::uint32_t input = input_of_[block];
    if (input == no_reader) return no_reader;
    const auto begin = readers_.begin() + first_[input];
    const auto end = input + 1 < first_.size() ? readers_.begin() + first_[input + 1] : readers_.end();
    const auto at = std::lower_bound(begin, end, job, [](const SharedReader& a, std::uint32_t b) { return a.job < b; });
    return static_cast<std::uint32_t>(at - readers_.begin());
  }
  std::size_t size() const { return first_.size(); }
  const std::vector<SharedReader>& readers() const { return readers_; }

 private:
  void add_readers(const std::vector<std::uint32_t>& jobs) {
    const auto input = static_cast<std::uint32_t>(first_.size());
    first_.push_back(static_cast<std::uint32_t>(readers_.size()));
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (i > 0 && jobs[i] == jobs[i - 1])
        readers_.back().tasks += 1;
      else
        readers_.push_back({jobs[i], input, 1});
  }

  IdVector<BlockId, std::uint32_t> input_of_;
  std::vector<std::uint32_t> first_;   // of readers_, by input
  std::vector<SharedReader> readers_;  // of each input by job
};

}  // namespace

RelaxedRun::RelaxedRun(const WholeRun& run) {
  ClusterSnapshot cluster = run.cluster;
  derive(cluster);
  read_nodes(cluster);
  read_ways(run.costs);
  read_jobs(run, cluster);
}

void RelaxedRun::read_nodes(const ClusterSnapshot& cluster) {
  std::vector<std::map<double, double>> rates(cluster.zones.size());
  std::vector<std::set<double>> speeds(cluster.zones.size());
  double cores = 0, usd = 0;
  for (const Node& node : cluster.nodes) {
    fastest_ = std::max(fastest_, node.speed);
    if (!node.schedulable || node.capacity.cpu.value() <= 0) continue;
    any_node_ = true;
    rates[node.zone.index()][node.cpu_price.value()] += node.capacity.cpu.value() * node.speed;
    speeds[node.zone.index()].insert(node.speed);
    cores += node.capacity.cpu.value();
    usd += node.capacity.cpu.value() * node.cpu_price.value();
  }
  mean_price_ = cores > 0 ? usd / cores : 0;
  steps_.resize(rates.size());
  for (std::size_t z = 0; z < rates.size(); ++z)
    for (const auto& [price, rate] : rates[z]) steps_[z].push_back({price, rate});
  for (const std::set<double>& of_zone : speeds) speeds_.emplace_back(of_zone.begin(), of_zone.end());
}

void RelaxedRun::read_ways(const CostModel& costs) {
  hops_.assign(zones(), std::vector<double>(zones(), 0));
  for (std::uint32_t a = 0; a < zones(); ++a)
    for (std::uint32_t b = 0; b < zones(); ++b)
      if (a != b) hops_[a][b] = costs.transfer(ZoneId(a), ZoneId(b)).value();
  ways_ = hops_;
  for (std::size_t via = 0; via < zones(); ++via)
    for (std::size_t a = 0; a < zones(); ++a)
      for (std::size_t b = 0; b < zones(); ++b) ways_[a][b] = std::min(ways_[a][b], ways_[a][via] + ways_[via][b]);
}

void RelaxedRun::read_jobs(const WholeRun& run, const ClusterSnapshot& cluster) {
  const SharedInputs shared(cluster, run.jobs);
  shared_readers_ = shared.readers();
  shared_inputs_ = shared.size();
  std::size_t next = 0;
  for (const JobArrived& arrival : run.jobs) {
    BoundJob job;
    job.arrival = std::max(0.0, to_seconds(arrival.job.arrival - run.cluster.now));
    if (arrival.job.reduce_tasks > 0 && arrival.job.map_tasks > 0)
      job.output = (arrival.job.shuffle / arrival.job.map_tasks).value();
    std::map<AlikeMap, double> maps;
    std::map<double, double> reduces;
    double longest_map = 0;
    job.cores = std::max(1e-9, arrival.job.request.cpu.value());
    for (const Task& task : arrival.tasks) {
      const double work = run.work[next++].value();
      work_ += work;
      arrived_ += work * job.arrival;
      if (task.kind == TaskKind::reduce) {
        reduces[work] += 1;
        continue;
      }
      longest_map = std::max(longest_map, work);
      AlikeMap key;
      key.work = work;
      if (task.block.valid() && task.input.value() > 0) {
        key.zones = cluster.blocks[task.block].zones;
        key.reader = shared.reader(task.block, static_cast<std::uint32_t>(jobs_.size()));
        key.input = task.input.value();
      }
      maps[key] += 1;
    }
    job.reduces_from = job.arrival;
    if (fastest_ > 0) job.reduces_from += least_duration(job, longest_map);
    for (const auto& [key, count] : maps) job.maps.push_back({key, count});
    for (const auto& [work, count] : reduces) job.reduces.push_back({work, count}), job.reduce_count += count;
    jobs_.push_back(std::move(job));
  }
}

double RelaxedRun::last_arrival() const {
  double last = 0;
  for (const BoundJob& job : jobs_) last = std::max(last, job.arrival);
  return last;
}

double RelaxedRun::transfer(const AlikeMap& key, std::size_t to) const {
  if (key.input <= 0 || key.zones.empty() || key.zones.contains(ZoneId(static_cast<std::uint32_t>(to)))) return 0;
  double least = 1e300;
  for (std::uint32_t from = 0; from < zones(); ++from) {
    if (from == to) continue;
    if (key.reader != no_reader)
      least = std::min(least, hops_[from][to]);
    else if (key.zones.contains(ZoneId(from)))
      least = std::min(least, ways_[from][to]);
  }
  return least >= 1e300 ? 0 : least * key.input;
}

}  // namespace lips
