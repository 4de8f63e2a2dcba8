// The event loop of one process of the operator in a virtual cluster: it can be killed in the middle of anything, and
// its machine's clock can be wrong.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster::drills {

class OperatorLoop final : public kubernetes::EventLoop {
 public:
  // `ahead`: of the cluster's clock. `turned`: called after each turn. The cluster's loop outlives this.
  explicit OperatorLoop(kubernetes::EventLoop& world, Duration ahead = {}, std::function<void()> turned = {})
      : world_(world), machine_ahead_(ahead), ahead_(ahead), turned_(std::move(turned)) {}

  // No task of this process runs any more.
  void kill() { *alive_ = false; }
  bool alive() const { return *alive_; }

  TimePoint now() const override { return world_.now() + ahead_; }
  void post(std::function<void()> task) override { world_.post(while_alive(std::move(task))); }
  TimerId at(TimePoint when, std::function<void()> task) override {
    return world_.at(when - ahead_, while_alive(std::move(task)));
  }
  void cancel(TimerId timer) override { world_.cancel(timer); }
  void put_forward(Duration behind) override { ahead_ += behind; }
  Duration ahead_of_machine() const override { return ahead_ - machine_ahead_; }
  void run(Duration at_most, Duration handful = {}) override {
    world_.run(at_most, handful);
    if (turned_) turned_();
  }

 private:
  std::function<void()> while_alive(std::function<void()> task) const {
    return [alive = alive_, task = std::move(task)] {
      if (*alive) task();
    };
  }

  kubernetes::EventLoop& world_;
  const Duration machine_ahead_;
  Duration ahead_;
  const std::function<void()> turned_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// The way of a process on that loop to the cluster.
inline kubernetes::ClusterLink link_on(const std::shared_ptr<OperatorLoop>& loop, VirtualKubernetes& cluster,
                                       const Storm& storm = {}) {
  return {loop, [loop, &cluster, storm](kubernetes::ClientOptions options) {
            return std::make_unique<VirtualClient>(cluster.server(), *loop, std::move(options), storm);
          }};
}

}  // namespace lips::virtual_cluster::drills
