// An adapter for which the test makes the plans, beside offers of nodes in zone-a and zone-c.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {

inline const OfferId in_a(0), in_c(1);

class Planned {
 public:
  // `self`: the operator's own pod; without a namespace nodes cannot be ordered. `pool_offers`: instead of the offers.
  explicit Planned(FakeCluster& cluster, const ObjectMeta& self = {}, PoolOffers pool_offers = {},
                   AwaitedNodes::Patience patience = {})
      : loop_(cluster.loop()) {
    ClusterSettings settings;
    settings.node_patience = patience;
    settings.mode = PodMode::steer;
    settings.self = self;
    settings.pool_offers = std::move(pool_offers);
    settings.detect_every = Duration(100'000);
    settings.keep_budget = [] { return std::chrono::minutes(2); };
    settings.model.offers = [](const NodeCache&) {
      return Offered{{offer_in("zone-a", 0.2), offer_in("zone-c", 0.2)}, {}};
    };
    settings.model.transfer_price = [](const TransferEnd& from, const TransferEnd& to) {
      return UsdPerMebibyte(from.zone == "zone-d" || to.zone == "zone-d" ? 1e-6 : 1e-5);
    };
    adapter_ = std::make_unique<KubernetesCluster>(cluster.link(), std::move(settings), counted_, log_);
    adapter_->start();
  }
  template <class Predicate>
  bool until(Predicate predicate) {
    const TimePoint end = loop_.now() + long_enough;
    while (!predicate()) {
      if (loop_.now() >= end) return false;
      step();
    }
    return true;
  }
  const ClusterSnapshot& snapshot() const { return state_.snapshot(); }
  std::uint64_t pending() const { return state_.snapshot().pending_tasks; }
  bool until_pending(std::uint64_t tasks) {
    return until([&] { return pending() == tasks; });
  }
  void run_for(std::chrono::milliseconds span) {
    for (const TimePoint end = loop_.now() + span; loop_.now() < end;) step();
  }
  // The first so many pending tasks ask for a node like the offer's.
  void request(std::size_t count, OfferId offer) {
    std::vector<NodeRequest> requests;
    const ClusterSnapshot& cluster = state_.snapshot();
    for (const JobId job : cluster.pending)
      for (const TaskGroup& group : cluster.groups[job])
        for (const TaskId task : cluster.tasks_of(group))
          if (requests.size() < count) requests.push_back({task, offer});
    EXPECT_EQ(requests.size(), count);
    adapter_->request_nodes(requests);
  }
  std::uint32_t left(OfferId offer) const { return state_.snapshot().offers[offer].left; }
  void request_none() { adapter_->request_nodes(std::vector<NodeRequest>{}); }
  void ask_for_any() { adapter_->request_nodes(std::nullopt); }
  // A plan of which each pool owes so much for held room.
  void plan_with_debts(CpuSeconds each) {
    ClusterSnapshot cluster = state_.snapshot();
    for (Pool& pool : cluster.pools) pool.unpaid_room = each;
    adapter_->note_plan(Plan{}, cluster);
  }
  Counting& counted() { return counted_; }
  int listings() const { return listings_; }
  std::size_t running() const { return state_.snapshot().running.size(); }

 private:
  void step() {
    const Result<std::vector<ClusterEvent>> events = adapter_->wait(adapter_->now() + Duration(20'000));
    ASSERT_TRUE(events);
    for (const ClusterEvent& event : *events) {
      listings_ += std::holds_alternative<ClusterListed>(event);
      state_.apply(event);
    }
  }

  EventLoop& loop_;
  int listings_ = 0;
  Counting counted_;
  SilentLog log_;
  ClusterState state_{ClusterSnapshot{}};
  std::unique_ptr<KubernetesCluster> adapter_;
};

}  // namespace lips::kubernetes
