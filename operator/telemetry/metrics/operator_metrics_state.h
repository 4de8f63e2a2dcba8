// The counts behind OperatorMetrics, for its own sources alone.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spending/spend.h"
#include "telemetry/metrics/metric_registry.h"
#include "telemetry/metrics/money_history.h"
#include "telemetry/metrics/node_meter.h"
#include "telemetry/metrics/operator_metrics.h"
#include "telemetry/metrics/own_target_metrics.h"
#include "telemetry/metrics/sharing_metrics.h"
#include "telemetry/metrics/spend_books.h"
#include "telemetry/metrics/target_metrics.h"
#include "telemetry/metrics/twin_metrics.h"
#include "telemetry/metrics/unknown_prices.h"
#include "telemetry/metrics/zone_nodes.h"

namespace lips {

using SteadyClock = std::chrono::steady_clock;

inline constexpr EnumArray<BindOutcome, std::string_view> bind_outcomes{"bound", "conflict", "refused", "failed"};
inline constexpr EnumArray<MovePhase, std::string_view> move_phases{"pending",   "pending",   "copying",
                                                                    "verifying", "committed", "failed"};
inline double since_1970(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}
inline double now_since_1970() { return since_1970(std::chrono::system_clock::now()); }

struct OperatorMetrics::State {
  About about;
  MetricRegistry registry;
  SteadyClock::time_point started = SteadyClock::now();
  std::atomic<SteadyClock::rep> turned{SteadyClock::now().time_since_epoch().count()};
  std::atomic<bool> leads{false};
  std::atomic<bool> phases_told{false};  // an adapter reports phases; else moves are counted from events

  std::mutex mutex;     // guards all members below
  OperatorState doing;  // what it does
  std::optional<AdapterStatus> status;
  OperatorFigures figures;
  SteadyClock::time_point last_epoch{};
  std::optional<TimePoint> seen;  // the cluster's time at the last event or plan
  SpendBooks books;
  Spend spend{[this](const Charge& charge) { tell_spent(charge); }};
  NodeMeter node_meter{registry};
  ZoneNodes zone_nodes{registry};
  SharingMetrics sharing_metrics{registry};
  TargetMetrics target_metrics{registry};
  OwnTargetMetrics own_target_metrics{registry};
  TwinMetrics twin_metrics{registry};
  std::map<std::string, Bill> spent;  // by pool
  MoneyHistory money;
  std::map<std::string, std::optional<TimePoint>> pools;  // with series, and since when they are gone
  std::map<std::string, std::set<std::string>> waiting;   // pools with such pods, which no plan may know; by what
  std::map<std::string, std::uint64_t> finished;          // by pool
  UnknownPrices unknown_prices{registry};
  std::size_t queued = 0;
  double cpu_counted = 0;

  void tell_spent(const Charge& charge);
  void see(TimePoint now);
  TimePoint now() const {
    const TimePoint at_least = seen.value_or(TimePoint{});
    return about.now ? std::max(at_least, about.now()) : at_least;
  }
  void count_running();
  MoneyPoint money_now() const;
  InvoiceSoFar invoice() const;
  void count_ended(const EndedTask& task);
  void count_finished(const EndedTask& task);
  void count_event(const ClusterSnapshot& cluster, const ClusterEvent& event);
  void count_storage(const ClusterSnapshot& cluster);
  void count_plan(const DecidedPlan& decided);
  void count_taken_back(const DecidedPlan& decided);
  void count_move(const std::string& pool, bool committed);
  void note_waiting(const std::string& pool, const std::string& what, bool is_so);
  void count_pools(const DecidedPlan& decided);
  void forget_pools(const ClusterSnapshot& cluster);
  const std::string& known(const std::string& pool) { return pools.try_emplace(pool).first->first; }
  void count_cluster(const ClusterSnapshot& cluster);
};

}  // namespace lips
