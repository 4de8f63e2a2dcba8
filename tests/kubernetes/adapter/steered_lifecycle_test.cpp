// The life of a steered pod when nothing happens: time passes as the test says.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/adapter/pod_lifecycle.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/real_loop.h"
#include "kubernetes/pods/zone_gate.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

constexpr Duration past_patience{31'000'000};

class SteeredLifecycle : public testing::Test {
 protected:
  SteeredLifecycle() {
    Node node;
    node.meta.name = "a";
    node.ready = true;
    node.labels = {{"topology.kubernetes.io/zone", "zone-a"}};
    node.allocatable = {{"cpu", 1000}, {"pods", 110}};
    nodes_.update(node);
    pod_.meta = {"n", "p", "uid", "1"};
    pod_.scheduler = "default-scheduler";
    pod_.gates = {zone_gate};
    pod_.requests = {{"cpu", 1000}};
  }
  PodRecord& update(TimePoint now) {
    const PodCache::Update update = pods_.update(pod_, now);
    lifecycle_.handle(update, now);
    update.record->mode = PodMode::steer;
    return *update.record;
  }
  // The answer to what was sent.
  void take_answers(TimePoint now) {
    while (lifecycle_.bindings_under_way() > 0) {
      api_.loop().run(std::chrono::seconds(1));
      for (Message& message : inbox_.take()) {
        const auto* report = std::get_if<BindReport>(&message);
        ASSERT_NE(report, nullptr);
        lifecycle_.handle(*report, 0, now);
      }
    }
  }
  std::int64_t taken() const { return amount_of(nodes_.find("a")->ours, "cpu"); }
  std::size_t sent() const { return api_.requests().size(); }

  int code_ = 200;
  VirtualApi api_{[this](const ReceivedRequest&) { return Reply{code_, R"({"message":"so"})", {}, false, nullptr}; }};
  Inbox inbox_;
  Binder binder_{api_.client(), [] { return true; }};
  EventRecorder events_{api_.client(), {}, [] { return true; }};
  VolumeCache volumes_;
  PodGroups groups_;
  NodeCache nodes_;
  PodCache pods_{"lips", volumes_, groups_, nodes_};
  JobMemories memories_{api_.client(), [] { return true; }};
  Quotas quotas_;
  KnownJobs jobs_{memories_, nodes_, quotas_};
  ModelFeed model_{{}};
  PodConditions conditions_{binder_, events_};
  Counting counted_;
  SilentLog log_;
  VolumeBinding volume_binding_{{volumes_, nodes_, api_.client(), [] { return true; }, [] {}}, Duration(1)};
  PodLifecycle lifecycle_{{pods_, nodes_, jobs_, model_, binder_, volume_binding_, conditions_, inbox_, api_.loop(),
                           counted_, log_, [] {}}};
  Pod pod_;
  const TimePoint start_{std::chrono::hours(1)};
};

TEST_F(SteeredLifecycle, GivesRoomBackForWhichNobodyCame) {
  PodRecord& record = update(start_);
  lifecycle_.bind(record, "a", start_);
  take_answers(start_);
  EXPECT_EQ(record.state, PodState::ungated);
  EXPECT_EQ(taken(), 1000);
  lifecycle_.review_steered(start_);
  lifecycle_.review_steered(start_ + past_patience / 2);
  EXPECT_EQ(taken(), 1000);
  lifecycle_.review_steered(start_ + past_patience);
  EXPECT_EQ(taken(), 0);
  EXPECT_EQ(record.state, PodState::ungated) << "it is not planned again";
  pod_.gates.clear();
  pod_.annotations = {{"lips.dev/steered", "zone-a"}};
  pod_.node = "a";
  update(start_ + past_patience);
  EXPECT_EQ(taken(), 1000);
}

// Its zone cannot be taken back, and nothing else would ever say that it waits in vain.
TEST_F(SteeredLifecycle, SaysOnceThatNobodyTakesAPod) {
  PodRecord& record = update(start_);
  lifecycle_.bind(record, "a", start_);
  take_answers(start_);
  TimePoint now = start_;
  const auto wait = [&](Duration span) {
    for (const TimePoint end = now + span; now < end; now += std::chrono::seconds(20)) lifecycle_.review_steered(now);
    return counted_.pending_of("NotTaken");
  };
  EXPECT_EQ(wait(UntakenPods::patience - std::chrono::minutes(1)), 0u);
  EXPECT_FALSE(lifecycle_.untaken().is_late(record));
  EXPECT_EQ(wait(std::chrono::minutes(30)), 1u);
  EXPECT_TRUE(lifecycle_.untaken().is_late(record));
  pod_.gates.clear();
  pod_.annotations = {{"lips.dev/steered", "zone-a"}};
  pod_.node = "a";
  const PodRecord& taken_over = update(now);
  EXPECT_EQ(wait(std::chrono::minutes(1)), 0u);
  EXPECT_FALSE(lifecycle_.untaken().is_late(taken_over));
}

// The watch says that it goes while a binding is under way; the server refuses that binding for the same reason.
TEST_F(SteeredLifecycle, TriesNoMoreToSteerAPodThatIsBeingDeleted) {
  code_ = 422;
  PodRecord& record = update(start_);
  lifecycle_.bind(record, "a", start_);
  pod_.deleting = true;
  pod_.meta.resource_version = "2";
  update(start_);
  take_answers(start_);
  EXPECT_EQ(record.state, PodState::terminated);
  EXPECT_EQ(taken(), 0);
  lifecycle_.retry_due(start_ + std::chrono::hours(1), true);
  EXPECT_EQ(record.state, PodState::terminated);
  EXPECT_TRUE(lifecycle_.take_arrived().empty());
}

TEST_F(SteeredLifecycle, AnOlderVersionThatShowsTheGateChangesNothing) {
  PodRecord& record = update(start_);
  lifecycle_.bind(record, "a", start_);
  take_answers(start_);
  update(start_);
  EXPECT_EQ(record.state, PodState::ungated);
  EXPECT_EQ(taken(), 1000);
}

TEST_F(SteeredLifecycle, KeepsTheRoomThatIsMadeForItByPreemption) {
  PodRecord& record = update(start_);
  lifecycle_.bind(record, "a", start_);
  take_answers(start_);
  pod_.gates.clear();
  pod_.annotations = {{"lips.dev/steered", "zone-a"}};
  pod_.scheduled = {ConditionStatus::no, "Unschedulable", "", start_};
  update(start_);
  EXPECT_EQ(taken(), 0);
  pod_.nominated = "a";
  update(start_);
  EXPECT_EQ(amount_of(nodes_.find("a")->of_others(), "cpu"), 1000);
  pod_.node = "a";
  pod_.nominated.clear();
  update(start_);
  EXPECT_EQ(amount_of(nodes_.find("a")->of_others(), "cpu"), 0);
  EXPECT_EQ(taken(), 1000);
}

TEST_F(SteeredLifecycle, LetsAPodGoThatFitsNowhere) {
  PodRecord& record = update(start_);
  record.fits_nowhere = true;
  lifecycle_.review_steered(start_ + past_patience / 2);
  EXPECT_EQ(lifecycle_.bindings_under_way(), 0u);
  lifecycle_.review_steered(start_ + past_patience);
  lifecycle_.review_steered(start_ + past_patience);
  take_answers(start_ + past_patience);
  ASSERT_EQ(sent(), 1u);
  const auto body = nlohmann::json::parse(api_.requests()[0].body);
  EXPECT_FALSE(body["spec"].contains("nodeSelector"));
  EXPECT_FALSE(body["metadata"].contains("annotations")) << "it is its scheduler's alone";
}

// Without its maps a reduce that is let go does nothing but hold the room that they need.
TEST_F(SteeredLifecycle, LetsNoReduceGoBeforeItsMapsHaveEnded) {
  pod_.annotations = {{"lips.dev/job", "sort"}, {"lips.dev/stage", "reduce"}};
  PodRecord& reduce = update(start_);
  reduce.fits_nowhere = true;
  jobs_.update(reduce);
  BatchJob maps;
  maps.meta = {"n", "maps", "uid-maps", "1"};
  maps.spec.completions = 2;
  maps.spec.pod_notes.annotations = {{"lips.dev/job", "sort"}};
  jobs_.update(maps);
  lifecycle_.review_steered(start_ + past_patience);
  EXPECT_EQ(lifecycle_.bindings_under_way(), 0u);
  maps.ended = true;
  jobs_.update(maps);
  lifecycle_.review_steered(start_ + past_patience);
  take_answers(start_ + past_patience);
  EXPECT_EQ(sent(), 1u);
}

TEST_F(SteeredLifecycle, LetsAPodGoWhosePodGroupIsNotKnown) {
  pod_.group = "train";
  EXPECT_EQ(update(start_).unschedulable_reason, UnschedulableReason::group_not_ready);
  lifecycle_.review_steered(start_ + past_patience / 2);
  EXPECT_EQ(lifecycle_.bindings_under_way(), 0u);
  lifecycle_.review_steered(start_ + past_patience);
  take_answers(start_ + past_patience);
  EXPECT_EQ(sent(), 1u);
}

TEST_F(SteeredLifecycle, AsksAgainForAPodThatItCouldNotLetGo) {
  code_ = 422;
  PodRecord& record = update(start_);
  record.mode = PodMode::bind;
  lifecycle_.review_steered(start_);
  take_answers(start_);
  EXPECT_TRUE(counted_.steered_pods().empty());
  lifecycle_.review_steered(start_);
  EXPECT_EQ(lifecycle_.bindings_under_way(), 0u) << "not at once";
  code_ = 200;
  lifecycle_.review_steered(start_ + std::chrono::seconds(2));
  take_answers(start_);
  EXPECT_EQ(sent(), 2u);
  EXPECT_EQ(counted_.steered_pods().size(), 1u);
  lifecycle_.handle_left(pod_.meta, start_);
  EXPECT_EQ(counted_.steered_pods().begin()->second, 1) << "once, whoever says it first";
}

// The watch says that the gate is gone before the answer does.
TEST_F(SteeredLifecycle, CountsAPodThatItLetGoThoughTheWatchIsQuicker) {
  update(start_).mode = PodMode::bind;
  lifecycle_.review_steered(start_);
  lifecycle_.handle_left(pod_.meta, start_);
  EXPECT_EQ(counted_.steered_pods().size(), 1u);
  take_answers(start_);
  EXPECT_EQ(counted_.steered_pods().begin()->second, 1);
}

TEST_F(SteeredLifecycle, APodThatReadsDataWaitsForAZone) {
  pod_.annotations = {{"lips.dev/dataset", "books"}};
  PodRecord& record = update(start_);
  record.fits_nowhere = true;
  record.reads = {{}};
  lifecycle_.review_steered(start_ + past_patience);
  EXPECT_EQ(lifecycle_.bindings_under_way(), 0u) << "where it reads can only be said together with a zone";
}

TEST_F(SteeredLifecycle, SendsAPodToAPlaceWhereANodeIsToBeLaunched) {
  PodRecord& record = update(start_);
  record.selector = place_selector("zone-b", CapacityType::spot);
  record.input = "s3://b/x";
  lifecycle_.send_ahead(record, start_);
  lifecycle_.send_ahead(record, start_);
  EXPECT_EQ(record.state, PodState::ungated) << "it is not planned again";
  take_answers(start_);
  ASSERT_EQ(sent(), 1u);
  const auto body = nlohmann::json::parse(api_.requests()[0].body);
  EXPECT_EQ(body["spec"]["nodeSelector"], (nlohmann::json{{"topology.kubernetes.io/zone", "zone-b"}}));
  EXPECT_NE(
      body["spec"]["affinity"].dump().find(R"("key":"karpenter.sh/capacity-type","operator":"In","values":["spot"])"),
      std::string::npos)
      << body;
  EXPECT_EQ(body["metadata"]["annotations"],
            (nlohmann::json{
                {"lips.dev/steered", "zone-b"}, {"lips.dev/capacity-type", "spot"}, {"lips.dev/input", "s3://b/x"}}));
  EXPECT_EQ(taken(), 0) << "it has room nowhere yet";
  EXPECT_EQ(counted_.steered_pods(), (std::map<std::string, int>{{" zone-b", 1}}));
  pod_.gates.clear();
  pod_.annotations = {{"lips.dev/steered", "zone-b"}};
  pod_.node = "a";
  update(start_);
  EXPECT_EQ(record.state, PodState::placed);
  EXPECT_EQ(taken(), 1000);
}

TEST_F(SteeredLifecycle, PlansAPodAgainWhosePlaceWasRefused) {
  code_ = 422;
  PodRecord& record = update(start_);
  record.selector = place_selector("zone-b", CapacityType::spot);
  lifecycle_.send_ahead(record, start_);
  take_answers(start_);
  EXPECT_EQ(record.state, PodState::held);
  EXPECT_TRUE(counted_.steered_pods().empty());
  lifecycle_.retry_due(start_ + std::chrono::seconds(2), true);
  EXPECT_EQ(record.state, PodState::waiting);
  EXPECT_EQ(lifecycle_.take_arrived().size(), 1u);
}

// The answer says no, but the watch shows the pod without its gate, or on its node.
TEST_F(SteeredLifecycle, BelievesTheWatchMoreThanTheAnswer) {
  code_ = 422;
  PodRecord& record = update(start_);
  record.selector = place_selector("zone-b", CapacityType::spot);
  lifecycle_.send_ahead(record, start_);
  pod_.gates.clear();
  pod_.annotations = {{"lips.dev/steered", "zone-b"}};
  update(start_);
  take_answers(start_);
  EXPECT_EQ(record.state, PodState::ungated);
}

TEST_F(SteeredLifecycle, BelievesTheWatchThatItsSchedulerHasBoundIt) {
  code_ = 422;
  PodRecord& record = update(start_);
  record.selector = place_selector("zone-b", CapacityType::spot);
  lifecycle_.send_ahead(record, start_);
  pod_.gates.clear();
  pod_.annotations = {{"lips.dev/steered", "zone-b"}};
  pod_.node = "a";
  update(start_);
  take_answers(start_);
  EXPECT_EQ(record.state, PodState::placed);
  EXPECT_EQ(taken(), 1000);
}

TEST(ZoneGate, SeesWhetherAPodNamesAZoneItself) {
  const LabelRequirement zone{"topology.kubernetes.io/zone", LabelRequirement::Operator::in, {"zone-a"}};
  const LabelRequirement disk{"disk", LabelRequirement::Operator::in, {"ssd"}};
  PlacementConstraint placement;
  placement.required = {disk};
  EXPECT_FALSE(names_zone(placement));
  placement.any_of = {{disk}, {disk, zone}};
  EXPECT_TRUE(names_zone(placement));
  placement.any_of.clear();
  placement.volumes = {{{zone}}};
  EXPECT_TRUE(names_zone(placement));
  placement.volumes.clear();
  placement.required.push_back(zone);
  EXPECT_TRUE(names_zone(placement));
}

TEST(ZoneGate, FindsThePlaceOfASteeredPodInSelectorAndAnnotationAlsoAsOlderReleasesWroteIt) {
  Pod pod;
  pod.node_selector = {{"topology.kubernetes.io/zone", "z"}};
  pod.annotations = {{"lips.dev/capacity-type", "spot"}};
  EXPECT_EQ(steered_place(pod), place_selector("z", CapacityType::spot));
  pod.node_selector = {{"karpenter.sh/capacity-type", "on-demand"}, {"topology.kubernetes.io/zone", "z"}};
  pod.annotations.clear();
  EXPECT_EQ(steered_place(pod), place_selector("z", CapacityType::on_demand));
}

TEST(ZoneGate, TakesZoneAndCapacityTypeFromTheLabelsThatANodeHas) {
  Node node;
  EXPECT_TRUE(zone_selector(node.labels).empty());
  EXPECT_EQ(zone_in(zone_selector(node.labels)), "none");
  node.labels = {{"karpenter.sh/capacity-type", "spot"}, {"other", "x"}, {"topology.kubernetes.io/zone", "zone-b"}};
  EXPECT_EQ(zone_selector(node.labels),
            (TextMap{{"karpenter.sh/capacity-type", "spot"}, {"topology.kubernetes.io/zone", "zone-b"}}));
  EXPECT_EQ(zone_in(zone_selector(node.labels)), "zone-b");
}

}  // namespace
}  // namespace lips::kubernetes
