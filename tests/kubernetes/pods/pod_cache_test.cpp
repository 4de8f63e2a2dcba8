#include "kubernetes/pods/pod_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "kubernetes/api/codec.h"
#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/diagnosis.h"
#include "kubernetes/pods/volume_cache.h"

namespace lips::kubernetes {
namespace {

Pod sample() {
  Pod pod;
  pod.meta = {"n", "p", "uid", "1"};
  pod.scheduler = "lips";
  return pod;
}

TEST(PodCache, ARefusedPodWaitsItsTurnThoughItsObjectChanges) {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache cache("lips", volumes, groups, nodes);
  Pod pod = sample();
  PodRecord* record = cache.update(pod, TimePoint{}).record;
  ASSERT_NE(record, nullptr);
  for (const auto& reason : {UnschedulableReason::binding_refused, UnschedulableReason::data_set_not_ready}) {
    cache.hold(*record, reason, "not now");
    EXPECT_EQ(cache.update(pod, TimePoint{}).change, PodCache::Change::none);  // such as by the condition that tells it
    EXPECT_EQ(record->state, PodState::held);
    EXPECT_EQ(record->unschedulable_message, "not now");
    ++pod.priority;  // what may get another answer is asked at once
    EXPECT_EQ(cache.update(pod, TimePoint{}).change, PodCache::Change::arrived);
  }
}

// Whoever made the workers of a framework deletes them: they neither succeed nor fail.
TEST(PodCache, LearnsHowLongDeletedPodsWereThere) {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache cache("lips", volumes, groups, nodes);
  const TimePoint start(std::chrono::hours(1));
  Pod worker = sample();
  worker.owner = Owner{"Pod", "app-driver", "uid-driver", "v1"};
  worker.node = "n";
  worker.started = start;
  PodRecord* record = cache.update(worker, start).record;
  record->declared = std::chrono::seconds(60);
  cache.forget(worker.meta, start + std::chrono::minutes(4));
  const std::string of = template_of(worker.meta.name_space, worker.owner, worker.meta.name);
  EXPECT_EQ(cache.run_times().mean(of), Duration(std::chrono::minutes(4)));
  EXPECT_EQ(cache.run_times().excess(of), 4);
}

TEST(PodCache, LearnsWhichTypesAreFasterAndCountsRunTimesByIt) {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache cache("lips", volumes, groups, nodes);
  for (const char* type : {"fast", "slow"}) {
    Node node;
    node.meta = {"", type, type, "1"};
    node.labels = {{"node.kubernetes.io/instance-type", type}};
    nodes.update(node);
  }
  const TimePoint start(std::chrono::hours(1));
  const Owner owner{"Job", "etl", "uid-etl", "batch/v1"};
  std::string of;
  const auto run = [&](int tasks) {
    for (int i = 0; i < tasks; ++i)
      for (const auto& [node, minutes] : {std::pair("fast", 2), std::pair("slow", 4)}) {
        Pod pod = sample();
        pod.meta.name += fmt::format("-{}-{}", node, i), pod.meta.uid = pod.meta.name;
        pod.owner = owner;
        pod.node = node;
        pod.started = start;
        cache.update(pod, start);
        pod.phase = PodPhase::succeeded;
        pod.finished = start + std::chrono::minutes(minutes);
        cache.update(pod, *pod.finished);
        cache.forget(pod.meta, *pod.finished);
        of = template_of(pod.meta.name_space, pod.owner, pod.meta.name);
      }
  };
  run(500);
  EXPECT_NEAR(to_seconds(*cache.run_times().mean(of)), 180, 1);
  ASSERT_TRUE(cache.type_speeds().moved());
  cache.type_speeds().mark_reviewed();
  const double fast = cache.type_speeds().of("fast"), slow = cache.type_speeds().of("slow");
  EXPECT_NEAR(fast / slow, 2, 0.2);
  run(500);  // the same on a core of speed 1, wherever they run
  EXPECT_NEAR(to_seconds(*cache.run_times().mean(of)), 120 * fast, 10);
  EXPECT_NEAR(to_seconds(*cache.run_times().mean(of)), 240 * slow, 10);
}

TEST(PodCache, KnowsWhereAPodRanThatItSeesOnlyAfterItsEnd) {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache cache("lips", volumes, groups, nodes);
  Pod done = sample();
  done.node = "n";
  done.phase = PodPhase::succeeded;
  const PodRecord* record = cache.update(done, TimePoint{}).record;
  EXPECT_EQ(record->state, PodState::terminated);
  EXPECT_TRUE(record->succeeded);
  EXPECT_EQ(record->node, "n");
}

TEST(PodCache, ForgetsTheClassesOfPodsThatAreGone) {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache cache("lips", volumes, groups, nodes);
  Pod stays = sample();
  stays.node_selector = {{"disk", "ssd"}};
  const PodRecord* record = cache.update(stays, TimePoint{}).record;
  const PodNeeds needs = cache.classes()[record->pod_class];
  for (int i = 0; i < 5000; ++i) {
    Pod passes = sample();
    passes.meta = {"n", "p" + std::to_string(i), "uid" + std::to_string(i), "1"};
    passes.node_selector = {{"ticket-" + std::to_string(i), "x"}};
    cache.update(passes, TimePoint{});
    cache.forget(passes.meta, TimePoint{});
    cache.forget_unused_classes();
  }
  EXPECT_LT(cache.classes().size(), 300u);
  EXPECT_LT(cache.classes().label_keys().size(), 300u);
  EXPECT_EQ(cache.classes()[record->pod_class].constraint, needs.constraint)
      << "the class of a pod that is still there stays the same";
}

struct Caches {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache pods{"lips", volumes, groups, nodes};
  PodDecoder decoder;

  PodCache::Update update(const std::string& json) {
    const Result<Pod> pod = decoder.decode(json);
    EXPECT_TRUE(pod) << pod.error().message << '\n' << json;
    return pod ? pods.update(*pod, TimePoint{}) : PodCache::Update{};
  }
  std::int64_t taken(const std::string& resource, const std::string& node = "n1") const {
    const NodeRecord* record = nodes.find(node);
    if (!record) return -1;
    ResourceAmounts sum = record->of_others();
    add(sum, record->ours);
    return amount_of(sum, resource);
  }
  void add_node(const std::string& name, const TextMap& labels = {}) {
    Node node;
    node.meta = {"", name, "uid-" + name, "1"};
    node.ready = true;
    node.labels = labels;
    node.allocatable = {{"cpu", 8000}, {"memory", 16 << 20}, {"pods", 110}};
    nodes.update(node);
  }
};

std::string in_group(const std::string& name, const std::string& spec = "", const std::string& metadata = "") {
  return fmt::format(
      R"({{"metadata":{{{2}"name":"{0}","namespace":"n","uid":"u-{0}"}},"spec":{{{1}"schedulerName":"lips",)"
      R"("schedulingGroup":{{"podGroupName":"train"}},"containers":[]}}}})",
      name, spec, metadata);
}

TEST(PodCache, APodWaitsForItsPodGroup) {
  Caches caches;
  const PodCache::Update held = caches.update(in_group("p"));
  EXPECT_EQ(held.change, PodCache::Change::none);
  EXPECT_EQ(held.record->state, PodState::held);
  EXPECT_EQ(to_string(held.record->unschedulable_reason), "GroupNotReady");
  EXPECT_EQ(held.record->unschedulable_message, "PodGroup 'train' does not exist yet");
  caches.groups.set_trouble("forbidden");
  EXPECT_TRUE(caches.pods.review_dependencies().empty());
  EXPECT_EQ(held.record->unschedulable_message, "PodGroups cannot be listed: forbidden");
  caches.groups.update({{"other", "train", "", ""}, 3, {}});
  EXPECT_TRUE(caches.pods.review_dependencies().empty()) << "of another namespace";
  caches.groups.update({{"n", "train", "", ""}, 3, {}});
  const std::vector<PodCache::Update> arrived = caches.pods.review_dependencies();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived.front().change, PodCache::Change::arrived);
  EXPECT_EQ(held.record->work.job, "train");
  EXPECT_EQ(held.record->work.gang, 3);
  EXPECT_TRUE(held.record->work.peers);
  EXPECT_FALSE(caches.pods.take_regrouped());
  EXPECT_EQ(caches.update(in_group("q")).change, PodCache::Change::arrived) << "its group is known";
}

TEST(PodCache, APodThatRunsLearnsOfItsPodGroupToo) {
  Caches caches;
  const PodRecord* record = caches.update(in_group("p", R"("nodeName":"n1",)")).record;
  EXPECT_EQ(record->state, PodState::placed);
  EXPECT_EQ(record->work.job, "train");
  caches.groups.update({{"n", "train", "", ""}, 3, {}});
  EXPECT_TRUE(caches.pods.review_dependencies().empty());
  EXPECT_TRUE(caches.pods.take_regrouped());
  EXPECT_EQ(record->work.gang, 3);
  EXPECT_TRUE(record->work.peers);
  caches.pods.review_dependencies();
  EXPECT_FALSE(caches.pods.take_regrouped());
}

TEST(PodCache, AWaitingPodIsReportedAgainWhenItsPodGroupIsMadeAnew) {
  Caches caches;
  caches.groups.update({{"n", "train", "1", ""}, 3, {}});
  const PodRecord* record = caches.update(in_group("p")).record;
  caches.pods.review_dependencies();
  EXPECT_TRUE(caches.pods.review_applications().empty());
  caches.groups.forget({"n", "train", "1", ""});
  caches.groups.update({{"n", "train", "2", ""}, 5, {}});
  caches.pods.review_dependencies();
  EXPECT_THAT(caches.pods.review_applications(), testing::ElementsAre(record));
  EXPECT_EQ(record->work.gang, 5);
}

TEST(PodCache, PodsOfABasicPodGroupStartEachForItself) {
  Caches caches;
  caches.groups.update({{"n", "train", "", ""}, {}, {}});
  const PodRecord* record = caches.update(in_group("p")).record;
  EXPECT_EQ(record->state, PodState::waiting);
  EXPECT_EQ(record->work.job, "train");
  EXPECT_FALSE(record->work.peers);
}

TEST(PodCache, WhatAPodGroupDemandsAndNobodyHonoursIsSaid) {
  Caches caches;
  caches.groups.update({{"n", "train", "", ""}, 3, {"spec.schedulingConstraints.topology"}});
  const PodRecord* record = caches.update(in_group("p")).record;
  EXPECT_EQ(record->unschedulable_reason, UnschedulableReason::not_honoured);
  EXPECT_THAT(record->unschedulable_message, testing::HasSubstr("does not honour spec.schedulingConstraints.topology"));
  caches.groups.update({{"n", "train", "", ""}, 3, {}});
  ASSERT_EQ(caches.pods.review_dependencies().size(), 1u) << "the group was made anew";
  EXPECT_EQ(record->state, PodState::waiting);
  const PodRecord* reduce = caches.update(in_group("r", "", R"("annotations":{"lips.dev/stage":"reduce"},)")).record;
  EXPECT_EQ(reduce->unschedulable_reason, UnschedulableReason::bad_annotation);
}

// Fields of a pod, each with values that no API server should let through, or that a later version may.
struct Hostile {
  std::string metadata, spec, status;
};
const std::vector<Hostile>& hostile() {
  static const std::vector<Hostile> all = [] {
    std::vector<Hostile> table;
    for (const char* value : {"\"x\"", "\"-1\"", "\"1e99\"", "5", "null", "{}"})
      table.push_back(
          {fmt::format(R"("annotations":{{"batch.kubernetes.io/job-completion-index":{}}},)", value), "", ""});
    for (const char* field : {"annotations", "labels", "ownerReferences", "creationTimestamp", "generation", "uid"})
      for (const char* value : {"5", "\"yesterday\"", "[7]", "{\"a\":7}", "true"})
        table.push_back({fmt::format("\"{}\":{},", field, value), "", ""});
    for (const char* field :
         {"priority", "nodeSelector", "affinity", "tolerations", "volumes", "topologySpreadConstraints", "overhead",
          "resourceClaims", "schedulingGates", "resources", "initContainers", "schedulingGroup", "workloadRef"})
      for (const char* value : {"5", "\"high\"", "[7]", "{\"a\":7}", "true", "99999999999999999999"})
        table.push_back({"", fmt::format("\"{}\":{},", field, value), ""});
    for (const char* toleration : {R"({"effect":"Maybe"})", R"({"operator":"Like"})", R"({"key":3})", "4"})
      table.push_back({"", fmt::format(R"("tolerations":[{}],)", toleration), ""});
    for (const char* affinity :
         {R"({"nodeAffinity":7})", R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[1]}})",
          R"({"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":8}]}})",
          R"({"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":"x"}})"})
      table.push_back({"", fmt::format(R"("affinity":{},)", affinity), ""});
    for (const char* field : {"conditions", "containerStatuses", "initContainerStatuses", "startTime", "resources",
                              "allocatedResources", "nominatedNodeName"})
      for (const char* value :
           {"5", "\"x\"", "[7]", "[{\"type\":3}]", "[{\"state\":{\"terminated\":{\"finishedAt\":\"x\"}}}]"})
        table.push_back({"", "", fmt::format(",\"{}\":{}", field, value)});
    return table;
  }();
  return all;
}

std::string pod_json(const Hostile& fields, const std::string& scheduler) {
  return fmt::format(
      R"({{"metadata":{{{}"name":"p","namespace":"n"}},"spec":{{{}"nodeName":"n1","schedulerName":"{}",)"
      R"("containers":[{{"name":"c","ports":[{{"hostPort":"http"}}],"resources":{{"requests":{{"cpu":"1500m",)"
      R"("memory":"1Gi"}}}}}}]}},"status":{{"phase":"Running"{}}}}})",
      fields.metadata, fields.spec, scheduler, fields.status);
}

TEST(PodCache, CountsEveryPodOnANodeWhateverItsFieldsSay) {
  for (const char* scheduler : {"default-scheduler", "lips"}) {
    for (const Hostile& fields : hostile()) {
      Caches caches;
      caches.add_node("n1");
      const std::string json = pod_json(fields, scheduler);
      caches.update(json);
      EXPECT_GE(caches.taken("cpu"), 1500) << json;
      EXPECT_GE(caches.taken("memory"), 1 << 30) << json;
      EXPECT_EQ(caches.taken("pods"), 1) << json;
      caches.pods.forget(caches.decoder.decode(json)->meta, TimePoint{});
      EXPECT_EQ(caches.taken("cpu"), 0) << json;
    }
  }
}

// Anybody may write it, on pods of any scheduler.
TEST(PodCache, CountsAPodOnceThatAnAnnotationMakesOneOfOurs) {
  Caches caches;
  caches.add_node("n1");
  const auto pod = [](const std::string& metadata) {
    return fmt::format(
        R"({{"metadata":{{{}"name":"p","namespace":"n","uid":"u"}},"spec":{{"nodeName":"n1","schedulerName":"theirs",)"
        R"("containers":[{{"name":"c","resources":{{"requests":{{"cpu":"1500m"}}}}}}]}},"status":{{"phase":"Running"}}}})",
        metadata);
  };
  caches.update(pod(""));
  EXPECT_EQ(caches.taken("cpu"), 1500);
  caches.update(pod(R"("annotations":{"lips.dev/steered":"zone-a"},)"));
  EXPECT_EQ(caches.taken("cpu"), 1500);
  EXPECT_EQ(caches.taken("pods"), 1);
  caches.pods.forget(caches.decoder.decode(pod(""))->meta, TimePoint{});
  EXPECT_EQ(caches.taken("cpu"), 0);
}

TEST(PodCache, SaysOfAPodOfOursWhichOfItsValuesNobodyCanRead) {
  Caches caches;
  const auto update = [&](const std::string& metadata, const std::string& spec) {
    return caches
        .update(fmt::format(
            R"({{"metadata":{{{}"name":"p","namespace":"n"}},"spec":{{{}"schedulerName":"lips","containers":[]}}}})",
            metadata, spec))
        .record;
  };
  const PodRecord* record = update(R"("annotations":{"batch.kubernetes.io/job-completion-index":"x"},)", "");
  EXPECT_EQ(record->state, PodState::held);
  EXPECT_EQ(to_string(record->unschedulable_reason), "BadAnnotation");
  EXPECT_THAT(record->unschedulable_message, testing::HasSubstr("job-completion-index: found 'x'"));
  EXPECT_EQ(update("", R"("workloadRef":{"name":"w"},)")->unschedulable_reason, UnschedulableReason::not_honoured);
  EXPECT_EQ(update("", "")->state, PodState::waiting) << "tried again when the reason goes";
}

std::string resized(const std::string& scheduler, int asked, int given) {
  return fmt::format(
      R"({{"metadata":{{"name":"p","namespace":"n","uid":"u"}},"spec":{{"nodeName":"n1","schedulerName":"{}","containers":)"
      R"([{{"name":"c","resources":{{"requests":{{"cpu":"{}"}}}}}}]}},"status":{{"phase":"Running","containerStatuses":)"
      R"([{{"name":"c","allocatedResources":{{"cpu":"{}"}}}}]}}}})",
      scheduler, asked, given);
}

TEST(PodCache, CountsAResizeInPlaceOfOthersPodsAndOfOurs) {
  for (const char* scheduler : {"default-scheduler", "lips"}) {
    Caches caches;
    caches.add_node("n1");
    caches.update(resized(scheduler, 1, 1));
    EXPECT_EQ(caches.taken("cpu"), 1000);
    caches.nodes.take_changed();
    caches.update(resized(scheduler, 3, 1));
    EXPECT_EQ(caches.taken("cpu"), 3000) << scheduler;
    EXPECT_EQ(caches.nodes.take_changed().size(), 1u) << "the model is told";
    caches.update(resized(scheduler, 2, 3));
    EXPECT_EQ(caches.taken("cpu"), 3000) << "it has that until it has shrunk";
    caches.update(resized(scheduler, 2, 2));
    EXPECT_EQ(caches.taken("cpu"), 2000);
    caches.pods.forget({"n", "p", "u", ""}, TimePoint{});
    EXPECT_EQ(caches.taken("cpu"), 0);
    EXPECT_EQ(caches.taken("pods"), 0);
  }
}

std::string nominated(const std::string& where, int priority) {
  return fmt::format(
      R"({{"metadata":{{"name":"big","namespace":"n"}},"spec":{{"schedulerName":"default-scheduler","priority":{},"containers":)"
      R"([{{"name":"c","resources":{{"requests":{{"cpu":"4"}}}}}}]}},"status":{{"phase":"Pending"{}}}}})",
      priority, where.empty() ? "" : fmt::format(R"(,"nominatedNodeName":"{}")", where));
}

TEST(PodCache, KeepsTheRoomOfANominatedPodUntilItIsBoundDeletedOrNominatedNoMore) {
  Caches caches;
  caches.add_node("n1");
  caches.add_node("n2");
  caches.update(nominated("n1", 100));
  EXPECT_EQ(caches.taken("cpu"), 4000);
  EXPECT_EQ(caches.taken("pods"), 1);
  caches.update(nominated("n2", 100));
  EXPECT_EQ(caches.taken("cpu"), 0);
  EXPECT_EQ(caches.taken("cpu", "n2"), 4000);
  caches.update(nominated("", 100));
  EXPECT_EQ(caches.taken("cpu", "n2"), 0);
  caches.update(nominated("n1", 100));
  caches.pods.forget({"n", "big", "", ""}, TimePoint{});
  EXPECT_EQ(caches.taken("cpu"), 0);
  caches.update(nominated("n1", 100));
  Pod bound = sample();
  bound.meta = {"n", "big", "", ""};
  bound.scheduler = "default-scheduler";
  bound.node = "n1";
  bound.requests = {{"cpu", 4000}};
  caches.pods.update(bound, TimePoint{});
  EXPECT_EQ(caches.taken("cpu"), 4000) << "once";
  EXPECT_FALSE(caches.nodes.has_nominations());
}

TEST(PodCache, DoesNotKeepNominatedRoomFromPodsThatAreAllMoreImportant) {
  Caches caches;
  caches.add_node("n1");
  caches.update(nominated("n1", 100));
  for (const auto& [least, taken] : {std::pair(0, 4000), std::pair(100, 4000), std::pair(101, 0), std::pair(0, 4000)}) {
    caches.nodes.count_nominations_from(least);
    EXPECT_EQ(caches.taken("cpu"), taken) << least;
  }
  Pod waits = sample();
  waits.priority = 7;
  caches.pods.update(waits, TimePoint{});
  EXPECT_EQ(caches.pods.least_waiting_priority(), 7);
}

// After a restart: nobody may take its room for a priority that it has itself.
TEST(PodCache, KnowsThePriorityOfAPodThatItFindsOnItsNode) {
  Caches caches;
  caches.add_node("n1");
  Pod runs = sample();
  runs.node = "n1", runs.priority = 7, runs.preempts = false;
  const PodRecord* record = caches.pods.update(runs, TimePoint{}).record;
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->priority, 7);
  EXPECT_FALSE(record->preempts);
}

Pod exclusive(const std::string& name, const std::string& node) {
  Pod pod = sample();
  pod.meta = {"n", name, "uid-" + name, "1"};
  pod.scheduler = "default-scheduler";
  pod.node = node;
  AntiAffinityTerm term;
  term.topology_key = "zone";
  term.selector = {{"app", LabelRequirement::Operator::in, {"batch"}}};
  pod.anti_affinity = {term};
  return pod;
}

TEST(PodCache, KeepsPodsOutOfDomainsWhereOthersAntiAffinityDoesNotWantThem) {
  Caches caches;
  caches.add_node("n1", {{"zone", "a"}});
  caches.add_node("n2", {{"zone", "a"}});
  caches.add_node("n3", {{"zone", "b"}});
  Pod ours = sample();
  ours.labels = {{"app", "batch"}};
  Pod other = sample();
  other.meta = {"n", "other", "uid-2", "1"};
  other.labels = {{"app", "web"}};
  PodRecord* record = caches.pods.update(ours, TimePoint{}).record;
  const PodRecord* not_meant = caches.pods.update(other, TimePoint{}).record;
  const auto places = [&](const PodRecord& pod) {
    std::string names;
    for (const auto& [name, node] : caches.nodes.all())
      if (eligible(caches.pods.classes()[pod.pod_class].placement(), profile_of(*node.node))) names += name + ' ';
    return names;
  };
  EXPECT_EQ(places(*record), "n1 n2 n3 ");
  caches.pods.review_anti_affinity();
  caches.pods.update(exclusive("alone", "n1"), TimePoint{});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::ElementsAre(record));
  EXPECT_EQ(places(*record), "n3 ") << "the whole domain";
  EXPECT_EQ(places(*not_meant), "n1 n2 n3 ");
  EXPECT_THAT(diagnose(caches.pods.classes()[record->pod_class], caches.nodes, false).sentence, "");
  caches.nodes.forget("n3");
  EXPECT_THAT(diagnose(caches.pods.classes()[record->pod_class], caches.nodes, false).sentence,
              testing::HasSubstr("2 node(s) didn't satisfy existing pods anti-affinity rules"));
  Pod elsewhere = exclusive("elsewhere", "n1");
  elsewhere.meta.name_space = "m";  // a term without namespaces is about its own
  caches.pods.forget(exclusive("alone", "n1").meta, TimePoint{});
  caches.pods.update(elsewhere, TimePoint{});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::ElementsAre(record));
  EXPECT_EQ(places(*record), "n1 n2 ");
  elsewhere.anti_affinity[0].namespace_selector.emplace();  // all of them
  caches.pods.update(elsewhere, TimePoint{});
  caches.pods.review_anti_affinity();
  EXPECT_EQ(places(*record), "");
  Pod late = sample();
  late.meta = {"n", "late", "uid-3", "1"};
  late.labels = ours.labels;
  EXPECT_EQ(places(*caches.pods.update(late, TimePoint{}).record), "") << "one that comes later too";
  elsewhere.phase = PodPhase::succeeded;
  caches.pods.update(elsewhere, TimePoint{});
  EXPECT_EQ(caches.pods.review_anti_affinity().size(), 2u);
  EXPECT_EQ(places(*record), "n1 n2 ");
}

// A rolling update elsewhere is no reason to look at every pod that waits.
TEST(PodCache, LooksOnlyAtPodsThatAChangedTermSelects) {
  Caches caches;
  for (const char* name : {"n1", "n2"}) caches.add_node(name, {{"zone", name}});
  Pod ours = sample();
  ours.labels = {{"app", "batch"}};
  PodRecord* record = caches.pods.update(ours, TimePoint{}).record;
  Pod web = exclusive("web-1", "n1");
  web.anti_affinity[0].selector = {{"app", LabelRequirement::Operator::in, {"web"}}};
  caches.pods.update(web, TimePoint{});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::IsEmpty());
  caches.pods.update(exclusive("alone", "n1"), TimePoint{});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::ElementsAre(record));
  caches.pods.update(exclusive("too", "n1"), TimePoint{});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::IsEmpty()) << "the domain is the same";
  caches.pods.update(exclusive("there", "n2"), TimePoint{});
  caches.pods.forget(exclusive("there", "n2").meta, TimePoint{});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::IsEmpty()) << "it came and went";
  caches.add_node("n1", {{"zone", "moved"}});
  EXPECT_THAT(caches.pods.review_anti_affinity(), testing::ElementsAre(record)) << "the node has another label";
}

// A claim of "n" with a volume of that driver.
void add_volume(Caches& caches, const std::string& name, const std::string& driver, bool exclusive = false) {
  Claim claim;
  claim.meta = {"n", name, "u-" + name, "1"};
  claim.volume = "pv-" + name;
  claim.bound = true;
  claim.exclusive = exclusive;
  caches.volumes.update(claim);
  Volume volume;
  volume.meta = {"", "pv-" + name, "v-" + name, "1"};
  volume.driver = driver;
  caches.volumes.update(volume);
}

TEST(PodCache, CountsVolumesThatADriverAttachesAgainstTheNodesLimit) {
  const std::string resource = std::string(volumes_of_driver) + "ebs";
  Caches caches;
  caches.add_node("n1");
  caches.nodes.limit_volumes("n1", {{resource, 2}});
  EXPECT_EQ(amount_of(caches.nodes.find("n1")->node->allocatable, resource), 2);
  Pod other = sample();
  other.meta = {"n", "other", "uid-2", "1"};
  other.scheduler = "default-scheduler";
  other.node = "n1";
  other.claims = {"a", "b"};
  caches.pods.update(other, TimePoint{});
  EXPECT_EQ(caches.taken(resource), 0);
  for (const char* name : {"a", "b", "c"}) add_volume(caches, name, "ebs");
  caches.pods.review_dependencies();
  EXPECT_EQ(caches.taken(resource), 2) << "the claims came after the pod";
  Pod ours = sample();
  ours.claims = {"c"};
  const PodRecord* record = caches.pods.update(ours, TimePoint{}).record;
  EXPECT_EQ(diagnose(caches.pods.classes()[record->pod_class], caches.nodes, false).sentence.substr(0, 67),
            "0/1 nodes are available: 1 node(s) exceed max volume count. What he");
  caches.add_node("n2");  // its driver has no limit
  EXPECT_FALSE(diagnose(caches.pods.classes()[record->pod_class], caches.nodes, false).nowhere);
  caches.nodes.limit_volumes("n1", {{resource, 3}});
  caches.nodes.forget("n2");
  EXPECT_FALSE(diagnose(caches.pods.classes()[record->pod_class], caches.nodes, false).nowhere);
}

TEST(PodCache, GivesAClaimForOnePodAtATimeToOnePodAtATime) {
  Caches caches;
  add_volume(caches, "one", "", true);
  Pod first = sample(), second = sample();
  first.claims = second.claims = {"one"};
  second.meta = {"n", "second", "uid-2", "1"};
  PodRecord* waits = caches.pods.update(first, TimePoint{}).record;
  PodRecord* held = caches.pods.update(second, TimePoint{}).record;
  EXPECT_EQ(waits->state, PodState::waiting);
  EXPECT_EQ(held->state, PodState::held);
  EXPECT_THAT(held->unschedulable_message, testing::HasSubstr("ReadWriteOncePod"));
  EXPECT_THAT(held->unschedulable_message, testing::HasSubstr("n/p"));
  EXPECT_THAT(caches.pods.review_dependencies(), testing::IsEmpty());
  first.node = "n1";
  first.phase = PodPhase::running;
  caches.pods.update(first, TimePoint{});
  EXPECT_FALSE(caches.pods.take_claims_left());
  first.phase = PodPhase::succeeded;
  caches.pods.update(first, TimePoint{});
  EXPECT_TRUE(caches.pods.take_claims_left());
  const std::vector<PodCache::Update> updates = caches.pods.review_dependencies();
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].record, held);
  EXPECT_EQ(updates[0].change, PodCache::Change::arrived);
}

TEST(PodCache, CountsResourcesOfAnyNumberOfNames) {
  Caches caches;
  Pod pod = sample();
  for (int i = 0; i < 50; ++i) {
    pod.meta.name = "p" + std::to_string(i);
    pod.requests = {{"cpu", 100}, {"example.com/" + std::to_string(i), 1}};
    EXPECT_EQ(caches.pods.update(pod, TimePoint{}).record->state, PodState::waiting) << i;
  }
  const ResourceNames& names = caches.pods.classes().extended();
  EXPECT_EQ(names.names().size(), 50u);
  const Resources request = request_of({{"cpu", 100}, {"example.com/49", 2}}, names);
  EXPECT_EQ(request.extended[names.find("example.com/49")], 2);
  EXPECT_EQ(request.extended.size(), 1u);
}

}  // namespace
}  // namespace lips::kubernetes
