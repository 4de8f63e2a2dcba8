// A made-up report of any size, the same each time: enough of everything that the page shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/report/report.h"

namespace lips::testing {

struct SampleSize {
  int nodes = 20, jobs = 120, tasks_per_job = 4, policies = 4, pools = 4;
};

// A small linear congruential generator, so that the sample never changes.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2654435761U + 1) {}
  double roll(double low, double high) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * static_cast<double>(state_ >> 40) / static_cast<double>(1U << 24);
  }

 private:
  std::uint64_t state_;
};

inline std::string sample_policy(int index) {
  const std::vector<std::string> names{"lips", "hadoop-default", "delay",          "lsap-fair",
                                       "fair", "capacity",       "degraded-first", "modified-fair"};
  return static_cast<std::size_t>(index) < names.size() ? names[static_cast<std::size_t>(index)]
                                                        : "policy-" + std::to_string(index);
}

inline std::string sample_pool(int index) {
  const std::vector<std::string> names{"production", "analytics", "research", "ad-hoc"};
  return static_cast<std::size_t>(index) < names.size() ? names[static_cast<std::size_t>(index)]
                                                        : "pool-" + std::to_string(index);
}

inline void fill_machines(ReportRun& run, const SampleSize& size, Dice& dice, double speed) {
  for (int node = 0; node < size.nodes; ++node) {
    const std::string zone(1, static_cast<char>('a' + node % 3));
    const std::string kind = node % 2 == 0 ? "m1.medium" : "c1.medium";
    run.machines.push_back({kind + "-" + std::to_string(node), kind, "us-east-1" + zone, 2, {}, {}});
  }
  std::vector<double> free(static_cast<std::size_t>(size.nodes) * 2, 0);
  for (int job = 0; job < size.jobs; ++job) {
    const double arrival = 7200.0 * job / size.jobs;
    for (int task = 0; task < size.tasks_per_job; ++task) {
      const auto slot = std::min_element(free.begin(), free.end()) - free.begin();
      auto& at = free[static_cast<std::size_t>(slot)];
      const double start = std::max(at, arrival);
      at = start + dice.roll(40, 900) * speed;
      run.machines[static_cast<std::size_t>(slot / 2)].busy.push_back(
          {start, at, "job-" + std::to_string(job), sample_pool(job % size.pools)});
      run.makespan_seconds = std::max(run.makespan_seconds, at);
    }
  }
}

inline void fill_pools(ReportRun& run, const SampleSize& size, Dice& dice) {
  for (int i = 0; i < 200; ++i) run.pool_shares.times_seconds.push_back(run.makespan_seconds * i / 200);
  ReportFairness fairness{dice.roll(0.8, 0.99), dice.roll(0.02, 0.4), sample_pool(1), {}};
  for (int pool = 0; pool < size.pools; ++pool) {
    ReportPoolSeries series{sample_pool(pool), {}};
    double share = 0.9 / size.pools;
    for (int i = 0; i < 200; ++i) {
      share =
          std::clamp(share + dice.roll(-0.02, 0.02), 0.0, 0.98 / size.pools + (pool == 0 ? 0.05 : -0.05 / size.pools));
      series.share.push_back(i > 185 ? share * (200 - i) / 15 : share);
    }
    run.pool_shares.pools.push_back(series);
    fairness.pools.push_back({sample_pool(pool), 1.0 / size.pools, dice.roll(0.7, 1.05) / size.pools});
  }
  run.fairness = fairness;
}

inline ReportData sample_report(const SampleSize& size = {}) {
  ReportData data;
  data.title = "Facebook 2010 day on 20 nodes in three zones";
  data.scenario = "swim-day";
  data.generated_by = "lips 0.1.0 (clp 1.17.6, g++ 12.2)";
  data.baseline = "hadoop-default";
  data.bill_name = "by use", data.other_bill_name = "invoice";
  data.lower_bound = ReportLowerBound{"offline linear program", 110.2};
  data.assumptions = {{"Prices", "Amazon EC2 us-east-1, 2012",
                       "m1.medium $0.160 and c1.medium $0.165 an hour; across zones $0.02 a GB"},
                      {"Billing", "by CPU-second used", "the invoice is shown beside it"},
                      {"Seed", "42", ""},
                      {"Epoch", "600 s", "thinking time is charged as a fixed 2 s"},
                      {"Replication", "3", "placed at random, one replica a zone"},
                      {"Versions", "lips 0.1.0, CLP 1.17.6", "compiled with g++ 12.2"}};
  for (int i = 0; i < size.policies; ++i) {
    Dice dice(static_cast<std::uint64_t>(i) + 7);
    ReportRun run;
    run.policy = sample_policy(i);
    const double worse = i == 0 ? 0 : dice.roll(0.2, 1.0);
    run.bill.terms = {{"CPU", 96.1 + 44 * worse},
                      {"transfer", 14.2 + 30 * worse},
                      {"storage", 6.4},
                      {"data moves", i == 0 ? 6.7 : 0.0}};
    for (const auto& term : run.bill.terms) run.bill.dollars += term.dollars;
    run.other_bill = ReportBill{run.bill.dollars * dice.roll(1.2, 1.5), {}};
    run.jobs = run.jobs_finished = static_cast<std::size_t>(size.jobs);
    fill_machines(run, size, dice, i == 0 ? 1.15 : dice.roll(0.9, 1.05));
    const double mean = dice.roll(600, 1100);
    run.completion = {mean, mean * 0.6, mean * dice.roll(2.5, 3.6)};
    run.small_jobs_p95_seconds = mean * 0.4;
    const double node = i == 0 ? 0.83 : dice.roll(0.35, 0.9);
    run.locality = ReportLocality{node, (1 - node) * 0.3, (1 - node) * 0.25, (1 - node) * 0.35, (1 - node) * 0.1};
    run.cross_zone_gigabytes = 1900 * (1 - node);
    fill_pools(run, size, dice);
    run.planning = ReportPlanning{24, dice.roll(0.01, 0.4), dice.roll(0.5, 1.9), dice.roll(0, 0.002)};
    data.runs.push_back(std::move(run));
  }
  for (int i = 0; i < std::min(size.policies, 2); ++i) {
    for (const double epoch : {100, 200, 400, 600, 1200, 2400, 3600}) {
      const double factor = epoch / 3600;
      data.epoch_sweep.push_back({sample_policy(i), epoch, i == 0 ? 141 - 26 * factor : 178 + 3 * factor,
                                  i == 0 ? 7800 + 5200 * factor : 7600 + 300 * factor});
    }
  }
  return data;
}

}  // namespace lips::testing
