// The adapter, a policy and the controller against a pretended API server, in virtual time on the test's own thread:
// time passes only while the test waits for something.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/enum_array.h"
#include "controller/epoch_controller.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "tests/kubernetes/adapter/fake_cluster.h"

namespace lips::kubernetes {

inline constexpr const char* zone_label = "topology.kubernetes.io/zone";

class Counting : public AdapterObserver {
 public:
  void on_bind_outcome(BindOutcome outcome, Duration) override { ++outcomes[outcome]; }
  void on_unknown_price(std::string_view node, std::string_view, bool unknown) override {
    if (unknown)
      unpriced.insert(std::string(node));
    else
      unpriced.erase(std::string(node));
  }
  void on_steered(std::string_view pool, std::string_view zone) override {
    ++steered[fmt::format("{} {}", pool, zone)];
  }
  void on_state(const OperatorState& state) override { doing = state; }
  OperatorState state() { return doing; }
  void on_status(const AdapterStatus& status) override { last_status = status; }
  AdapterStatus status() { return last_status; }
  void on_driver_answer(std::string_view outcome) override { ++answers[std::string(outcome)]; }
  std::map<std::string, int> driver_answers() { return answers; }
  std::map<std::string, int> steered_pods() { return steered; }
  std::set<std::string> nodes_without_price() { return unpriced; }
  void on_pending(std::string_view reason, std::uint64_t pods) override { pending[std::string(reason)] = pods; }
  std::uint64_t pending_of(const std::string& reason) { return pending[reason]; }
  void on_refused_write(std::string_view verb, std::string_view resource, int code) override {
    refused.insert(fmt::format("{} {} {}", verb, resource, code));
  }
  void on_rejected(std::string_view kind, std::string_view reason) override {
    ++rejected[fmt::format("{} {}", kind, reason)];
  }
  std::map<std::string, int> rejections() { return rejected; }
  std::set<std::string> refused_writes() { return refused; }
  EnumArray<BindOutcome, int> outcomes{};

 private:
  std::set<std::string> refused;
  std::map<std::string, int> steered, answers, rejected;
  std::set<std::string> unpriced;
  std::map<std::string, std::uint64_t> pending;
  OperatorState doing;
  AdapterStatus last_status;
};

class Events : public Observer {
 public:
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override {
    listings += std::holds_alternative<ClusterListed>(event);
    running = cluster.running.size();
    pending = cluster.pending_tasks;
  }
  void on_bind(const ClusterSnapshot& cluster, const Assignment&) override { running = cluster.running.size(); }
  int listings = 0;
  std::size_t running = 0;
  std::uint64_t pending = 0;  // as of the last event
};

// An adapter, and the controller that it serves, which go on while somebody waits for something.
class AdapterLoop {
 public:
  AdapterLoop(const ClusterLink& link, const Policy& policy, ClusterSettings settings, AdapterObserver& telemetry)
      : loop_(*link.loop),
        adapter_(link, with_stop(std::move(settings)), telemetry, log_),
        controller_(state_, adapter_, policy, CostModel{}) {
    adapter_.start();
  }
  EpochController& controller() { return controller_; }
  const ClusterSnapshot& snapshot() const { return state_.snapshot(); }
  // False: it does not become true within `long_enough`.
  template <class Predicate>
  bool until(Predicate predicate) {
    const TimePoint end = loop_.now() + long_enough;
    bool met = false;
    run([&] { return (met = predicate()) || loop_.now() >= end; });
    return met;
  }
  void run_for(Duration span) {
    run([this, end = loop_.now() + span] { return loop_.now() >= end; });
  }
  // Does whatever is due now, or next.
  void turn() {
    run([asked = 0]() mutable { return asked++ > 1; });
  }
  void end() {
    if (std::exchange(ended_, true)) return;
    adapter_.finish();
  }
  // Every part of it has gone on without a failure.
  bool ran() const { return ran_; }

 private:
  ClusterSettings with_stop(ClusterSettings settings) {
    settings.stop = [this] { return rests_(); };
    return settings;
  }
  void run(std::function<bool()> rests) {
    rests_ = std::move(rests);
    ControllerSettings rules;
    rules.stop = [this] { return rests_(); };
    ran_ = controller_.run(rules).has_value() && ran_;
  }

  EventLoop& loop_;
  std::function<bool()> rests_;
  bool ended_ = false, ran_ = true;
  SilentLog log_;
  ClusterState state_{ClusterSnapshot{}};
  KubernetesCluster adapter_;
  EpochController controller_;
};

// Four cores in that zone, on demand.
inline OfferEntry offer_in(const std::string& zone, double usd_per_hour) {
  OfferEntry entry;
  entry.instance_type = "m.xlarge";
  entry.zone = zone;
  entry.region = "r";
  entry.capacity = {Cores(4), Mebibytes(16 << 10), 100};
  entry.price = UsdPerHour(usd_per_hour);
  entry.boot = entry.idle = std::chrono::seconds(30);
  return entry;
}

// The operator's loop against a fake cluster.
class Scheduling {
 public:
  explicit Scheduling(FakeCluster& cluster, std::function<bool()> leads = {}, PodMode mode = PodMode::watch,
                      std::vector<OfferEntry> offers = {}, std::function<void(WatchedCluster)> watched = {},
                      ClusterSettings settings = {})
      : fake_(cluster) {
    settings.watched = std::move(watched);
    settings.watch_every = Duration(10'000);
    settings.wants_watched = [this] { return ++looks_ > 0; };
    settings.model.offers = [offers = std::move(offers)](const NodeCache&) { return Offered{offers, {}}; };
    settings.mode = mode;
    settings.leads = std::move(leads);
    settings.model.node_price = [](const PriceQuestion& question) {
      return NodePrice{UsdPerHour(0.05 * question.cpu.value()), 1, question.cpu.value() != 64};
    };
    settings.model.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(1e-5); };
    PolicySettings policy;
    policy.replan_least = Duration(1000);
    policy_ = *make_policy("lips", policy);
    loop_ = std::make_unique<AdapterLoop>(cluster.link(), *policy_, std::move(settings), counted);
    loop_->controller().observe(events_);
  }
  ~Scheduling() { end(); }
  Scheduling(const Scheduling&) = delete;
  Scheduling& operator=(const Scheduling&) = delete;

  void end() { loop_->end(); }
  template <class Predicate>
  bool until(Predicate predicate) const {
    return loop_->until(std::move(predicate));
  }
  bool until_bound(const std::string& pod) const {
    return until([&] { return !fake_.pod(pod).node.empty(); });
  }
  void run_for(Duration span) const { loop_->run_for(span); }
  bool free_fits() const {
    const auto& free = loop_->snapshot().free;
    return std::all_of(free.begin(), free.end(),
                       [](const Resources& room) { return room.cpu.value() > -1e-6 && room.slots >= 0; });
  }
  std::size_t running() const { return events_.running; }
  std::uint64_t pending() const { return events_.pending; }
  bool ran() const { return loop_->ran(); }
  int listings() const { return events_.listings; }
  // How often somebody was asked for time to look at pods of other schedulers; the first look was before the second.
  int looks() const { return looks_; }

  Counting counted;

 private:
  FakeCluster& fake_;
  Events events_;
  int looks_ = 0;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<AdapterLoop> loop_;  // last: it ends first
};

inline FakePod pod_of(int cpu, const std::string& owner = "", int index = 0) {
  FakePod pod;
  pod.cpu = cpu;
  pod.owner = owner;
  pod.index = index;
  return pod;
}

// A pod of another scheduler, behind our gate.
inline FakePod gated(int cpu = 1) {
  FakePod pod = pod_of(cpu);
  pod.scheduler = "default-scheduler";
  pod.gates = {"lips.dev/zone"};
  return pod;
}

// Data in zone-c, and no node.
inline void put_books(FakeCluster& cluster) {
  for (const char* kind : {"pools", "datamoves"}) cluster.put_resource(kind, "none", "{}");
  cluster.put_resource("datastores", "s",
                       R"({"metadata":{"name":"s","uid":"s","resourceVersion":"1"},)"
                       R"("spec":{"zone":"zone-c","bucket":{"name":"b","scope":"Zonal"}}})");
  cluster.put_resource("datasets", "books",
                       R"({"metadata":{"namespace":"default","name":"books","uid":"d","resourceVersion":"1"},)"
                       R"("spec":{"blocks":1,"blockSize":"1Gi","stores":[{"name":"s"}]},)"
                       R"("status":{"blocks":1,"replicas":[{"store":"s","blocks":"0"}]}})");
}

}  // namespace lips::kubernetes
