// The API server's store goes back to an earlier time while the operator runs, and between two of its processes.
#include <gmock/gmock.h>

#include "kubernetes/adapter/restore_guard.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

// An adapter that keeps its memory in a ConfigMap.
class RestoredStore : public testing::Test {
 protected:
  void start() {
    ClusterSettings settings;
    settings.mode = PodMode::steer;
    settings.detect_every = Duration(100'000);
    settings.shares = {"default", "lips-memory"};
    adapter_.reset();
    adapter_ = std::make_unique<KubernetesCluster>(cluster_.link(), std::move(settings), counted_, log_);
    adapter_->start();
  }
  template <class Predicate>
  bool until(Predicate predicate) {
    const TimePoint deadline = cluster_.now() + long_enough;
    while (!predicate()) {
      if (cluster_.now() > deadline) return false;
      const Result<std::vector<ClusterEvent>> events = adapter_->wait(adapter_->now() + Duration(20'000));
      if (!events) return false;
      for (const ClusterEvent& event : *events) state_.apply(event);
    }
    return true;
  }
  bool until_doing(Doing doing) {
    return until([&] { return counted_.state().doing == doing; });
  }

  FakeCluster cluster_;
  Counting counted_;
  SilentLog log_;
  ClusterState state_{ClusterSnapshot{}};
  std::unique_ptr<KubernetesCluster> adapter_;
};

TEST_F(RestoredStore, SuspendsMovesUntilAPersonConfirmsAlsoInTheNextProcess) {
  put_books(cluster_);
  cluster_.put_pod("p", pod_of(1));
  start();
  ASSERT_TRUE(until([&] { return state_.snapshot().data_sets.size() == 1 && state_.snapshot().pending_tasks == 1; }));
  ASSERT_TRUE(until_doing(Doing::decides));
  cluster_.go_back_to(1);
  ASSERT_TRUE(until_doing(Doing::moves_suspended));
  EXPECT_EQ(state_.snapshot().pending_tasks, 1u) << "pods are planned as ever";
  EXPECT_THAT(counted_.state().why, HasSubstr("kubectl annotate --overwrite configmap --namespace default lips-memory "
                                              "lips.dev/restore-checked="));
  ASSERT_TRUE(until([&] { return cluster_.config_map("lips-memory").contains("restore"); }));
  const std::string written = cluster_.config_map("lips-memory").at("restore");
  EXPECT_THAT(written, testing::EndsWith("-1"));
  start();
  ASSERT_TRUE(until_doing(Doing::moves_suspended)) << "nothing but the ConfigMap tells it";
  cluster_.annotate_config_map("lips-memory", restore_checked_annotation, "3-2");
  ASSERT_TRUE(until([&] { return cluster_.requests_for("/lips-memory") > 4; }));
  EXPECT_EQ(counted_.state().doing, Doing::moves_suspended) << "that was another restore";
  cluster_.annotate_config_map("lips-memory", restore_checked_annotation, written.substr(written.find(' ') + 1));
  EXPECT_TRUE(until_doing(Doing::decides));
}

}  // namespace
}  // namespace lips::kubernetes
