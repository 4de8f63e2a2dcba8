// Random clusters whose jobs all have their own size: scenarios of four hours as text, drawn by seed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace lips::bench {

struct Kind {
  std::string_view name;
  bool elastic = false, memory = false, gpus = false;
};

inline constexpr std::array kinds{Kind{"fixed-mixed", false, false, false},  Kind{"fixed-memory", false, true, false},
                                  Kind{"fixed-gpus", false, true, true},     Kind{"elastic-mixed", true, false, false},
                                  Kind{"elastic-memory", true, true, false}, Kind{"elastic-gpus", true, true, true}};

struct MixedWorld {
  std::string kind, name, text;  // of a scenario file
};

struct Machine {
  std::string_view type;
  double cores, memory;  // GiB
  int gpus = 0;
};

// The request of each task of a job. Memory in MiB, 0: none.
struct TaskSize {
  double cores = 1, memory = 0;
  int gpus = 0;
};

struct MixedJob {
  double arrival = 0, seconds = 0;  // run time of a task
  int tasks = 1, pool = 0;
  TaskSize size;
};

inline std::string yaml_job(const std::string& name, const MixedJob& job, const std::string& more = "") {
  std::string line = fmt::format("- {{name: {}, arrival: {:.1f}s, tasks: {}, cpuPerTask: {:.1f}, cores: {}", name,
                                 job.arrival, job.tasks, job.seconds * job.size.cores, job.size.cores);
  if (job.size.memory > 0) line += fmt::format(", memory: {:.0f}Mi", job.size.memory);
  if (job.size.gpus > 0) line += fmt::format(", extended: {{nvidia.com/gpu: {}}}", job.size.gpus);
  return line + more + "}\n";
}

class MixedWorldDraw {
 public:
  // `teams`: 1 to 3 pools, of weights 5, 3 and 1.
  MixedWorldDraw(const Kind& kind, std::uint64_t seed, std::size_t teams = 3)
      : kind_(kind),
        seed_(seed),
        teams_(teams),
        random_(derive_seed(seed, 1 + static_cast<std::uint64_t>(&kind - kinds.data()))) {}

  MixedWorld draw() {
    choose_machines();
    std::string text = head();
    tainted_ = random_.below(2) == 0;
    text += "nodes:\n";
    for (std::size_t i = 0; i < machines_.size(); ++i) text += node_group(machines_[i], counts_[i]);
    if (kind_.elastic) text += autoscaler();
    text += "jobs:\n";
    for (const MixedJob& job : jobs())
      text +=
          yaml_job(fmt::format("j{}", named_++), job,
                   fmt::format(", pool: {}{}", pools[static_cast<std::size_t>(job.pool)],
                               job.size.gpus > 0 && tainted_ ? ", tolerations: [\"nvidia.com/gpu:NoSchedule\"]" : ""));
    return {std::string(kind_.name), fmt::format("{}-{}", kind_.name, seed_), std::move(text)};
  }

 private:
  static constexpr double span = 4 * 3600, reference_cores = 240, day = 86400;
  static constexpr std::array<std::string_view, 3> pools{"etl", "reports", "adhoc"};
  static constexpr std::array zones{"us-east-1a", "us-east-1b", "us-east-1c"};
  // Two in a row have the same cores; the larger ones hold any task.
  static constexpr std::array small{Machine{"m7g.2xlarge", 8, 32},  Machine{"m6i.2xlarge", 8, 32},
                                    Machine{"c7g.2xlarge", 8, 16},  Machine{"c6i.2xlarge", 8, 16},
                                    Machine{"r6i.2xlarge", 8, 64},  Machine{"m5a.2xlarge", 8, 32},
                                    Machine{"m6i.xlarge", 4, 16},   Machine{"c7g.xlarge", 4, 8},
                                    Machine{"c6i.4xlarge", 16, 32}, Machine{"r7g.4xlarge", 16, 128}};
  static constexpr std::array large{Machine{"m7g.4xlarge", 16, 64}, Machine{"c7g.4xlarge", 16, 32},
                                    Machine{"m6i.8xlarge", 32, 128}, Machine{"c6i.8xlarge", 32, 64}};
  static constexpr std::array with_gpus{Machine{"g4dn.xlarge", 4, 16, 1}, Machine{"g5.2xlarge", 8, 32, 1},
                                        Machine{"g4dn.12xlarge", 48, 192, 4}, Machine{"g5.12xlarge", 48, 192, 4},
                                        Machine{"p3.8xlarge", 32, 244, 4}};

  double log_uniform(double low, double high) { return low * std::exp(random_.uniform() * std::log(high / low)); }

  template <std::size_t N>
  void choose(const std::array<Machine, N>& of, std::size_t count, double cores) {
    std::vector<Machine> all(of.begin(), of.end());
    random_.shuffle(std::span(all));
    for (std::size_t i = 0; i < count; ++i) {
      machines_.push_back(all[i]);
      counts_.push_back(std::max(1, static_cast<int>(cores / static_cast<double>(count) / all[i].cores)));
    }
  }

  void choose_machines() {
    const double cores = random_.uniform(0.6, 1.4) * reference_cores;
    choose(large, 1, cores / 3);
    choose(small, kind_.elastic ? 4 : 2, cores * 2 / 3);
    plain_ = machines_.size();
    if (kind_.gpus) choose(with_gpus, 2, random_.uniform(60, 180));
  }

  std::string head() {
    const std::size_t places = 1 + random_.below(zones.size());
    std::string text = fmt::format("name: {}-{}\nseed: {}\nzones: [", kind_.name, seed_, seed_);
    std::string factors;
    for (std::size_t zone = 0; zone < places; ++zone) {
      text += fmt::format("{}{}", zone > 0 ? ", " : "", zones[zone]);
      factors += fmt::format("{}{}: {:.2f}", zone > 0 ? ", " : "", zones[zone], random_.uniform(0.3, 0.5));
    }
    text += fmt::format("]\nprices: {{region: us-east-1, spotFactors: {{{}}}}}\nracksPerZone: 2\n", factors);
    text += "stores: {nodeDirectories: false}\npools:\n";
    for (std::size_t pool = 0; pool < teams_; ++pool)
      text += fmt::format("- {{name: {}, weight: {}}}\n", pools[pool], 5 - 2 * static_cast<int>(pool));
    return text;
  }

  // A kubelet takes 110 pods, whatever its cores.
  std::string node_group(const Machine& machine, int count) {
    std::string line = fmt::format("- {{name: {}, instanceType: {}, slots: 110, ", machine.type, machine.type);
    if (machine.gpus > 0) line += fmt::format("extended: {{nvidia.com/gpu: {}}}, ", machine.gpus);
    if (machine.gpus > 0 && tainted_) line += "taints: [\"nvidia.com/gpu=present:NoSchedule\"], ";
    if (!kind_.elastic)
      return line + fmt::format("count: {}, spotShare: {:.2f}}}\n", count, std::max(0.0, random_.uniform(-0.5, 0.6)));
    static constexpr std::array interruptions{"0", "0.02", "0.1"};
    return line + fmt::format(
                      "fleet: elastic, limit: 20, capacityTypes: [spot, on-demand], bootTime: {:.0f}s, "
                      "interruptionsPerHour: {}}}\n",
                      random_.uniform(30, 120), interruptions[seed_ % interruptions.size()]);
  }

  std::string autoscaler() {
    static constexpr std::array after{"0s", "30s", "30s", "2m"};
    return fmt::format("autoscaler: {{limitCores: {:.0f}, consolidation: {}, consolidateAfter: {}}}\n",
                       random_.below(2) == 0 ? 0.0 : 2 * reference_cores,
                       random_.below(4) == 0 ? "WhenEmpty" : "WhenEmptyOrUnderutilized",
                       after[random_.below(after.size())]);
  }

  TaskSize size_on(const Machine& machine) {
    static constexpr std::array cores{0.25, 0.5, 1.0, 1.0, 2.0, 2.0, 2.5, 3.0, 4.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0};
    TaskSize size;
    do size.cores = cores[random_.below(cores.size())];
    while (size.cores > machine.cores);
    if (kind_.memory) size.memory = std::ceil(1024 * std::min(machine.memory, size.cores * log_uniform(0.5, 10)));
    if (machine.gpus > 0) size.gpus = random_.below(3) > 0 ? 1 : 1 + static_cast<int>(random_.below(4)) % machine.gpus;
    return size;
  }

  int width(double most) {
    const std::uint64_t dice = random_.below(10);
    const double tasks = dice < 6 ? 1 : dice < 9 ? log_uniform(2, 20) : log_uniform(20, 100);
    return std::max(1, static_cast<int>(std::min(tasks, most)));
  }

  // So many jobs that ask for one of these machines, with run times that make `work` of the machines' scarce resource.
  void add_jobs(std::size_t count, std::size_t from, std::size_t to, double capacity, std::vector<MixedJob>& all) {
    const double work = random_.uniform(0.4, 0.85) * capacity * span, sigma = random_.uniform(1, 2);
    const auto scarce = [&](const MixedJob& job) {
      return from >= plain_ ? double{1} * job.size.gpus : job.size.cores;
    };
    std::vector<MixedJob> made(count);
    double sum = 0;
    for (MixedJob& job : made) {
      job.size = size_on(machines_[from + random_.below(to - from)]);
      job.tasks = width(capacity / scarce(job));
      job.seconds = std::exp(random_.normal(0, sigma));
      job.arrival = random_.uniform(0, span);
      if (bursts_ > 0) job.arrival = std::floor(job.arrival / bursts_) * bursts_ + random_.uniform(0, 30);
      job.pool = static_cast<int>(random_.below(pools.size()) % teams_);
      sum += scarce(job) * job.seconds * job.tasks;
    }
    for (MixedJob& job : made) job.seconds = std::clamp(job.seconds * work / sum, 2.0, day);
    all.insert(all.end(), made.begin(), made.end());
  }

  std::vector<MixedJob> jobs() {
    static constexpr std::array intervals{0.0, 0.0, 600.0, 1800.0};
    bursts_ = intervals[random_.below(intervals.size())];
    double cores = 0, gpus = 0;
    for (std::size_t i = 0; i < machines_.size(); ++i)
      (i < plain_ ? cores : gpus) += counts_[i] * (i < plain_ ? machines_[i].cores : machines_[i].gpus);
    std::vector<MixedJob> all;
    add_jobs(150 + random_.below(150), 0, plain_, cores, all);
    if (kind_.gpus) add_jobs(40 + random_.below(80), plain_, machines_.size(), gpus, all);
    return all;
  }

  const Kind& kind_;
  std::uint64_t seed_;
  std::size_t teams_;
  Random random_;
  std::vector<Machine> machines_;  // those with GPUs last
  std::vector<int> counts_;        // by machine
  std::size_t plain_ = 0;          // machines without GPUs
  bool tainted_ = false;           // the nodes with GPUs
  double bursts_ = 0;              // seconds between two; 0: none
  std::size_t named_ = 0;
};

}  // namespace lips::bench
