// Holds the targets of all pools together and of each pool: before every plan it looks at what was spent, how long
// tasks waited and what is due, and moves the price of waiting within its bounds. Says beforehand what cannot be held.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/waiting_pricer.h"
#include "model/targets.h"
#include "targets/least_wait.h"
#include "targets/ledger.h"
#include "targets/likely_wait.h"
#include "targets/own_target_ledger.h"
#include "targets/price_control.h"

namespace lips {

// The arrivals of a day, by the last 24 hours, or by those that have passed.
class ArrivingDay {
 public:
  struct Of {
    double work = 0, tasks = 0;
    double waited = 0, started = 0;   // as in Tally
    LeastWaits::Sums least_waited{};  // of what has arrived: what is to come may not wait
    LeastWaits::Sums likely_waited{};
    Of& operator+=(const Of& more);
  };
  void add(TimePoint now, const Of& more);
  std::optional<Of> expected(TimePoint now) const;  // none until an hour has passed
  Of at_least(TimePoint now) const;                 // what has arrived in these hours is a day's least
  Duration known(TimePoint now) const { return began_ ? now - *began_ : Duration(0); }

 private:
  TimePoint from(TimePoint now) const;

  std::optional<TimePoint> began_;
  std::map<std::int64_t, Of> hours_;
};

class TargetKeeper : public WaitingPricer {
 public:
  struct Surroundings {
    std::function<Targets()> of_all;  // of all pools together; may change
    Billing billing = Billing::invoice;
    std::function<void(const TargetReport&)> changed = {};  // its state has
  };
  TargetKeeper(Surroundings surroundings, CostModel costs)
      : around_(std::move(surroundings)), ledger_(around_.billing, std::move(costs)) {}

  IdVector<PoolId, double> factors(const ClusterSnapshot& cluster) override;
  std::optional<std::vector<TargetDebt>> to_remember(TimePoint now) override;
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override;
  void on_plan(const ClusterSnapshot& cluster, const Plan& plan) override { ledger_.on_plan(cluster, plan); }
  void on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) override {
    ledger_.on_bind(cluster, assignment);
  }

  // As of the last plan.
  const std::vector<TargetReport>& reports() const { return reports_; }
  const TargetLedger& ledger() const { return ledger_; }
  OwnTargetLedger& of_jobs() { return of_jobs_; }

 private:
  struct Hold {
    PriceControl budget, wait;
    Tally seen, recent;  // the ledger's sum at the last plan; its growth, fading over hours
    std::optional<TimePoint> updated;
    ArrivingDay arriving;
    LeastWaits least_waits;
    LeastWaits::Sums likely_waited{};  // since the last plan
    double usual_backlog = 0;          // CPU-seconds pending: the mean of about a day
    std::optional<TimePoint> looked;
    EnumArray<TargetKind, std::optional<TimePoint>> exhausted;  // since when the price is at its limit
    std::optional<TimePoint> dearest;                           // when waits were as dear as they get, the last time
    EnumArray<TargetKind, TargetState> state;
  };
  // The capacity of the cluster, at one plan.
  struct Capacity {
    double work_rate = 0;  // CPU-seconds a second, with what could be launched
    double cores = 0;
    bool grows = false;
    LeastWait::Nodes nodes() const { return {work_rate, Cores(cores)}; }
  };
  double hold(const ClusterSnapshot& cluster, const std::string& pool, const Targets& targets);
  Tally update(const ClusterSnapshot& cluster, const std::string& pool, Hold& hold) const;
  static double unusual_backlog(const ClusterSnapshot& cluster, const std::string& pool, Hold& hold);
  TargetReport hold_budget(const ClusterSnapshot& cluster, const std::string& pool, const Tally& more,
                           const Targets& targets, Hold& hold) const;
  TargetReport hold_wait(const ClusterSnapshot& cluster, const Tally& more, Duration most, Hold& hold) const;
  std::string out_of_reach(TimePoint now, const ArrivingDay::Of& day, double target, const Hold& hold) const;
  std::string missed_for_a_day(TimePoint now, double target, const Hold& hold) const;
  std::string still_waits(TimePoint now, double target, double waits, const Hold& hold) const;
  // `measured`: the mean wait on the nodes of today, if waits are as dear as they get.
  std::string cores_to_add(TimePoint now, double target, const Hold& hold, std::optional<double> measured = {}) const;
  TargetReport hold_deadline(const ClusterSnapshot& cluster, const std::string& pool, Duration time_of_day) const;
  void can_start(const ClusterSnapshot& cluster, JobId job);
  void begin(const ClusterSnapshot& cluster);
  void report(TargetReport said, const std::string& pool, double factor, Hold& hold);

  const Surroundings around_;
  TargetLedger ledger_;
  OwnTargetLedger of_jobs_;
  Capacity capacity_;
  std::map<std::string, Hold> holds_;
  std::vector<TargetReport> reports_;
  std::optional<TimePoint> remembered_;
  LikelyWaits likely_waits_;
  TimePoint latest_ = TimePoint::min(), counted_ = TimePoint::min();  // arrivals; jobs reported again were counted
  bool active_ = false;  // somebody has a target; without one only the ledger goes on
};

}  // namespace lips
