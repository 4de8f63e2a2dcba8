// The adapter, a policy and the controller against a pretended API server, on a thread of their own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/enum_array.h"
#include "controller/epoch_controller.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "tests/kubernetes/adapter/fake_cluster.h"

namespace lips::kubernetes {

inline constexpr std::chrono::seconds long_enough{60};
inline constexpr const char* zone_label = "topology.kubernetes.io/zone";

class Counting : public AdapterObserver {
 public:
  void on_bind_outcome(BindOutcome outcome, Duration) override { ++outcomes[outcome]; }
  void on_unknown_price(std::string_view node, std::string_view, bool unknown) override {
    const std::lock_guard lock(mutex);
    if (unknown)
      unpriced.insert(std::string(node));
    else
      unpriced.erase(std::string(node));
  }
  void on_steered(std::string_view pool, std::string_view zone) override {
    const std::lock_guard lock(mutex);
    ++steered[fmt::format("{} {}", pool, zone)];
  }
  void on_state(const OperatorState& state) override {
    const std::lock_guard lock(mutex);
    doing = state;
  }
  OperatorState state() {
    const std::lock_guard lock(mutex);
    return doing;
  }
  void on_status(const AdapterStatus& status) override {
    const std::lock_guard lock(mutex);
    last_status = status;
  }
  AdapterStatus status() {
    const std::lock_guard lock(mutex);
    return last_status;
  }
  void on_driver_answer(std::string_view outcome) override {
    const std::lock_guard lock(mutex);
    ++answers[std::string(outcome)];
  }
  std::map<std::string, int> driver_answers() {
    const std::lock_guard lock(mutex);
    return answers;
  }
  std::map<std::string, int> steered_pods() {
    const std::lock_guard lock(mutex);
    return steered;
  }
  std::set<std::string> nodes_without_price() {
    const std::lock_guard lock(mutex);
    return unpriced;
  }
  void on_pending(std::string_view reason, std::uint64_t pods) override {
    const std::lock_guard lock(mutex);
    pending[std::string(reason)] = pods;
  }
  std::uint64_t pending_of(const std::string& reason) {
    const std::lock_guard lock(mutex);
    return pending[reason];
  }
  void on_refused_write(std::string_view verb, std::string_view resource, int code) override {
    const std::lock_guard lock(mutex);
    refused.insert(fmt::format("{} {} {}", verb, resource, code));
  }
  void on_rejected(std::string_view kind, std::string_view reason) override {
    const std::lock_guard lock(mutex);
    ++rejected[fmt::format("{} {}", kind, reason)];
  }
  std::map<std::string, int> rejections() {
    const std::lock_guard lock(mutex);
    return rejected;
  }
  std::set<std::string> refused_writes() {
    const std::lock_guard lock(mutex);
    return refused;
  }
  EnumArray<BindOutcome, std::atomic<int>> outcomes;

 private:
  std::mutex mutex;
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
  std::atomic<int> listings{0};
  std::atomic<std::size_t> running{0};
  std::atomic<std::uint64_t> pending{0};  // as of the last event
};

template <class Predicate>
bool until(Predicate predicate) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (!predicate()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// An adapter, and the loop that drives it on a thread of its own.
class AdapterLoop {
 public:
  ~AdapterLoop() { end(); }
  void start(std::unique_ptr<KubernetesCluster> adapter, std::function<void(KubernetesCluster&)> loop) {
    adapter_ = std::move(adapter);
    adapter_->start();
    thread_ = std::thread([this, run = std::move(loop)] { run(*adapter_); });
  }
  void end() {
    if (!thread_.joinable()) return;
    stop_ = true;
    adapter_->wake();
    thread_.join();
    adapter_->finish();
  }
  void wake() { adapter_->wake(); }
  bool stopping() const { return stop_; }

 private:
  std::atomic<bool> stop_{false};
  std::unique_ptr<KubernetesCluster> adapter_;
  std::thread thread_;
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
    settings.stop = [this] { return loop_.stopping(); };
    settings.model.node_price = [](const PriceQuestion& question) {
      return NodePrice{UsdPerHour(0.05 * question.cpu.value()), 1, question.cpu.value() != 64};
    };
    settings.model.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(1e-5); };
    PolicySettings policy;
    policy.replan_least = Duration(1000);
    policy_ = *make_policy("lips", policy);
    auto adapter = std::make_unique<KubernetesCluster>(fake_.connection(), std::move(settings), counted, log_);
    loop_.start(std::move(adapter), [this](KubernetesCluster& port) {
      ClusterState state{ClusterSnapshot{}};
      EpochController controller(state, port, *policy_, CostModel{});
      controller.observe(events_);
      ControllerSettings rules;
      rules.stop = [this] { return loop_.stopping(); };
      ran_ = controller.run(rules).has_value();
      free_fits_ = std::all_of(state.snapshot().free.begin(), state.snapshot().free.end(),
                               [](const Resources& free) { return free.cpu.value() > -1e-6 && free.slots >= 0; });
    });
  }
  void end() { loop_.end(); }
  template <class Predicate>
  bool until(Predicate predicate) const {
    return kubernetes::until(predicate);
  }
  bool until_bound(const std::string& pod) const {
    return until([&] { return !fake_.pod(pod).node.empty(); });
  }
  bool free_fits() const { return free_fits_; }
  std::size_t running() const { return events_.running; }
  std::uint64_t pending() const { return events_.pending; }
  bool ran() const { return ran_; }
  int listings() const { return events_.listings; }
  // How often somebody was asked for time to look at pods of other schedulers; the first look was before the second.
  int looks() const { return looks_; }
  void wake() { loop_.wake(); }

  Counting counted;

 private:
  FakeCluster& fake_;
  SilentLog log_;
  Events events_;
  std::atomic<int> looks_{0};
  bool ran_ = false, free_fits_ = false;
  std::unique_ptr<Policy> policy_;
  AdapterLoop loop_;  // last: it ends first
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
