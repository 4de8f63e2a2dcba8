// The figures of a report page. Plain numbers whose names carry the unit: this is the edge where typed quantities
// become text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lips {

struct ReportAssumption {
  std::string name, value, note;
};

struct ReportLowerBound {
  std::string name;  // which bound, e.g. "offline linear program"
  double dollars = 0;
  bool of_other_bill = false;  // it bounds the second bill, not the one that leads
};

struct ReportCostTerm {
  std::string name;
  double dollars = 0;
};

struct ReportBill {
  double dollars = 0;  // the total; terms that do not add up to it are shown with the rest as "other"
  std::vector<ReportCostTerm> terms;
};

// Fractions of the tasks that read input, by where they read it; they sum to one.
struct ReportLocality {
  double node = 0, rack = 0, zone = 0, remote = 0;
  double none = 0;  // tasks without input
};

struct ReportCompletion {
  double mean_seconds = 0, p50_seconds = 0, p95_seconds = 0;
};

struct ReportPoolFairness {
  std::string pool;
  double fair_share = 0;  // 0..1 of the cluster
  double mean_share = 0;
};

struct ReportFairness {
  double jain_index = 1;
  double worst_shortfall = 0;  // as a fraction of the fair share of worst_pool
  std::string worst_pool;
  std::vector<ReportPoolFairness> pools;
};

struct ReportPoolSeries {
  std::string pool;
  std::vector<double> share;  // 0..1 of the cluster, from times_seconds[i] until the next
};

struct ReportPoolShares {
  std::vector<double> times_seconds;
  std::vector<ReportPoolSeries> pools;
};

struct ReportInterval {
  double start_seconds = 0, end_seconds = 0;
  std::string job, pool;
};

// A node, or a class of nodes. Has every busy interval of every slot or, if there are too many, the busy fraction in
// equal bins from 0 to the makespan.
struct ReportMachine {
  std::string name, node_class, zone;
  int slots = 1;
  std::vector<ReportInterval> busy;
  std::vector<double> utilisation;
};

struct ReportPlanning {
  std::size_t plans = 0;
  double mean_seconds = 0, worst_seconds = 0;
  double worst_gap = 0;  // relative gap between a plan and its bound
};

struct ReportRun {
  std::string policy;
  ReportBill bill;                       // the one that leads
  std::optional<ReportBill> other_bill;  // the same run billed the other way
  std::size_t jobs_finished = 0, jobs = 0;
  double makespan_seconds = 0;
  ReportCompletion completion;
  std::optional<double> small_jobs_p95_seconds;
  std::optional<ReportLocality> locality;
  std::optional<double> cross_zone_gigabytes;
  std::optional<ReportFairness> fairness;
  ReportPoolShares pool_shares;
  std::vector<ReportMachine> machines;
  std::optional<ReportPlanning> planning;
};

struct ReportEpochPoint {
  std::string policy;
  double epoch_seconds = 0, dollars = 0, makespan_seconds = 0;
};

struct ReportData {
  std::string title;                       // of the page; the scenario's name where empty
  std::string scenario;                    // "swim-day"; the headline's object
  std::string generated_by;                // "lips 0.1.0"
  std::string bill_name, other_bill_name;  // "invoice", "by use"; empty where there is only one
  std::string subject;                     // policy that the headline is about; the first run where empty or absent
  std::string baseline;  // policy that savings are counted from; the first other run where empty or absent
  std::optional<ReportLowerBound> lower_bound;
  std::vector<ReportAssumption> assumptions;
  std::vector<ReportRun> runs;
  std::vector<ReportEpochPoint> epoch_sweep;
};

}  // namespace lips
