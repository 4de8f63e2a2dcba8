#include "kubernetes/api/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubernetes/api/time_text.h"
#include "tests/kubernetes/pods/sample_objects.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Pod decoded(const std::string& json) {
  PodDecoder decoder;
  const auto pod = decoder.decode(json);
  EXPECT_TRUE(pod.has_value()) << pod.error().message;
  return pod.value_or(Pod{});
}

Pod with_spec(const std::string& spec) {
  return decoded(R"({"metadata":{"name":"p","namespace":"n"},"spec":)" + spec + "}");
}

TEST(PodDecoder, ReadsWhetherAPodPreempts) {
  EXPECT_TRUE(with_spec("{}").preempts);
  EXPECT_TRUE(with_spec(R"({"preemptionPolicy":null})").preempts);
  EXPECT_TRUE(with_spec(R"({"preemptionPolicy":"PreemptLowerPriority"})").preempts);
  EXPECT_FALSE(with_spec(R"({"preemptionPolicy":"Never"})").preempts);
}

TEST(PodDecoder, ReadsWhatTheSchedulerUses) {
  const Pod pod = decoded(sample_pod);
  EXPECT_EQ(full_name(pod.meta), "analytics/wordcount-7-x2x9k");
  EXPECT_EQ(pod.meta.uid, "5f0c1a52-64f5-4ac5-8c53-0f2f6f4f0c11");
  EXPECT_EQ(pod.meta.resource_version, "48213");
  EXPECT_EQ(pod.phase, PodPhase::pending);
  EXPECT_FALSE(pod.deleting);
  EXPECT_EQ(pod.priority, 1000);
  EXPECT_TRUE(pod.preempts);
  EXPECT_EQ(pod.completion_index, 7);
  EXPECT_EQ(pod.node, "");
  EXPECT_EQ(pod.scheduler, "lips");
  EXPECT_THAT(pod.requests, ElementsAre(Pair("cpu", 750), Pair("memory", 1'207'959'552)));
  EXPECT_THAT(pod.annotations,
              ElementsAre(Pair("lips.dev/cpu-seconds-per-mebibyte", "0.25"), Pair("lips.dev/dataset", "logs")));
  ASSERT_NE(find_text(pod.labels, "lips.dev/pool"), nullptr);
  EXPECT_EQ(*find_text(pod.labels, "lips.dev/pool"), "research");
  ASSERT_TRUE(pod.owner);
  EXPECT_EQ(pod.owner->kind + ' ' + pod.owner->name, "Job wordcount");
  EXPECT_THAT(pod.gates, ElementsAre("lips.dev/data"));
  EXPECT_THAT(pod.node_selector, ElementsAre(Pair("kubernetes.io/arch", "amd64")));
  EXPECT_THAT(pod.claims, ElementsAre("scratch"));
  EXPECT_THAT(pod.not_understood, IsEmpty());
  EXPECT_EQ(pod.scheduled.status, ConditionStatus::no);
  EXPECT_EQ(pod.scheduled.reason, "SchedulingGated");
  EXPECT_EQ(pod.created, *parse_time("2026-03-01T10:00:00Z"));
  EXPECT_FALSE(pod.finished);
}

TEST(PodDecoder, ReadsTolerationsAndRequiredNodeAffinity) {
  const Pod pod = decoded(sample_pod);
  ASSERT_EQ(pod.tolerations.size(), 2u);
  EXPECT_EQ(pod.tolerations[0].key, "lips.dev/spot");
  EXPECT_TRUE(pod.tolerations[0].exists);
  EXPECT_EQ(pod.tolerations[0].effect, "NoSchedule");
  EXPECT_EQ(pod.tolerations[1].value, "batch");
  EXPECT_EQ(pod.tolerations[1].effect, "");
  ASSERT_TRUE(pod.required_affinity);
  ASSERT_EQ(pod.required_affinity->size(), 2u);
  const LabelRequirement& zone = pod.required_affinity->at(0).at(0);
  EXPECT_EQ(zone.key, "topology.kubernetes.io/zone");
  EXPECT_EQ(zone.op, LabelRequirement::Operator::in);
  EXPECT_THAT(zone.values, ElementsAre("zone-a", "zone-b"));
  EXPECT_EQ(pod.required_affinity->at(1).at(0).key, "metadata.name");
}

TEST(PodDecoder, TellsNoAffinityFromOneThatNothingMeets) {
  EXPECT_FALSE(with_spec(R"({"affinity":{}})").required_affinity);
  const Pod pod = with_spec(
      R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}})");
  ASSERT_TRUE(pod.required_affinity);
  EXPECT_THAT(*pod.required_affinity, IsEmpty());
}

TEST(PodDecoder, CountsTheLargestInitContainerBesideTheSidecarsStartedBefore) {
  const std::string spec = R"({
    "containers":[{"resources":{"requests":{"cpu":"100m"}}},{"resources":{"requests":{"cpu":"200m","memory":"1Gi"}}}],
    "initContainers":[
      {"resources":{"requests":{"cpu":"400m"}}},
      {"restartPolicy":"Always","resources":{"requests":{"cpu":"50m","memory":"10Mi"}}},
      {"resources":{"requests":{"cpu":"500m"}}}],
    "overhead":{"cpu":"10m"}})";
  // Containers and sidecar: 350m. The last init container beside the sidecar: 550m. Overhead on top.
  EXPECT_THAT(with_spec(spec).requests, ElementsAre(Pair("cpu", 560), Pair("memory", (1024 + 10) << 20)));
}

// Else a pod would make room, and sums of the least amounts overflow.
TEST(PodDecoder, CountsARequestBelowZeroAsNothing) {
  const Pod pod = with_spec(R"({"resources":{"requests":{"cpu":"-9223372036854775807"}},
    "containers":[{"resources":{"requests":{"cpu":"1","memory":"-1Gi","x/y":"-9223372036854775808"}}},
                  {"resources":{"requests":{"cpu":"-2","memory":"-9223372036854775807"}}}],
    "initContainers":[{"resources":{"requests":{"memory":"-9223372036854775807"}}}],"overhead":{"cpu":"-500m"}})");
  for (const auto& [resource, amount] : pod.requests) EXPECT_GE(amount, 0) << resource;
}

TEST(PodDecoder, TakesWhatThePodAsAWholeAsksForInsteadOfTheSum) {
  const Pod pod = with_spec(R"({"resources":{"requests":{"cpu":"2"}},
    "containers":[{"resources":{"requests":{"cpu":"3","memory":"1Gi"}}}],"overhead":{"cpu":"500m"}})");
  EXPECT_THAT(pod.requests, ElementsAre(Pair("cpu", 2500), Pair("memory", 1 << 30)));
}

TEST(PodDecoder, CountsExtendedResourcesInPieces) {
  const Pod pod = with_spec(R"({"containers":[{"resources":{"requests":{"nvidia.com/gpu":"2","cpu":1}}}]})");
  EXPECT_THAT(pod.requests, ElementsAre(Pair("cpu", 1000), Pair("nvidia.com/gpu", 2)));
}

TEST(PodDecoder, ReadsHostPortsOfAllContainers) {
  const Pod pod = with_spec(
      R"({"containers":[{"ports":[{"containerPort":80},{"containerPort":53,"hostPort":53,"protocol":"UDP","hostIP":"10.0.0.1"}]}]})");
  ASSERT_EQ(pod.host_ports.size(), 1u);
  EXPECT_EQ(pod.host_ports[0].port, 53);
  EXPECT_EQ(pod.host_ports[0].protocol, "UDP");
  EXPECT_EQ(pod.host_ports[0].address, "10.0.0.1");
}

TEST(PodDecoder, ReadsClaimsWhateverTheOrderOfTheFields) {
  const Pod pod = decoded(R"({"spec":{"volumes":[{"ephemeral":{},"name":"tmp"},{"name":"x","emptyDir":{}},
    {"persistentVolumeClaim":{"claimName":"data"},"name":"d"}]},"metadata":{"name":"p"}})");
  EXPECT_THAT(pod.claims, ElementsAre("p-tmp", "data"));
  EXPECT_THAT(pod.own_claims, ElementsAre("p-tmp"));
}

TEST(PodDecoder, NamesEveryConstraintThatItDoesNotUnderstand) {
  const Pod pod = with_spec(R"({
    "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"x"}]},
                "podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{}],"requiredDuringSchedulingIgnoredDuringExecution":[]},
                "nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                  {"matchExpressions":[{"key":"k","operator":"Near","values":["v"]}]}]}}},
    "topologySpreadConstraints":[{"whenUnsatisfiable":"ScheduleAnyway"},{"whenUnsatisfiable":"DoNotSchedule"}],
    "tolerations":[{"operator":"Like"},{"key":"k","operator":"Gt","value":"5"}],
    "volumes":[{"name":"d","iscsi":{"iqn":"x"}},{"name":"e","emptyDir":{}}],
    "schedulingGroup":{"podGroupName":null},"workloadRef":{"name":"w"},
    "resourceClaims":[{"name":"gpu"}]})");
  EXPECT_THAT(pod.not_understood,
              testing::UnorderedElementsAre(
                  "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                  "spec.affinity.nodeAffinity: operator Near", "spec.topologySpreadConstraints (DoNotSchedule)",
                  "spec.tolerations: operator Like", "spec.tolerations: operator Gt",
                  "spec.volumes.iscsi (a PersistentVolumeClaim is)", "spec.schedulingGroup (without podGroupName)",
                  "spec.workloadRef (gang scheduling)", "spec.resourceClaims"));
  EXPECT_THAT(pod.tolerations, IsEmpty());
}

TEST(PodDecoder, ReadsThePodGroup) {
  const Pod pod = with_spec(R"({"schedulingGroup":{"podGroupName":"train"}})");
  EXPECT_EQ(pod.group, "train");
  EXPECT_THAT(pod.not_understood, IsEmpty());
  EXPECT_EQ(with_spec(R"({"schedulingGroup":null})").group, "");
}

TEST(PodDecoder, KnowsWhenAPodEnded) {
  const Pod pod =
      decoded(R"({"metadata":{"name":"p","deletionTimestamp":"2026-03-01T10:00:00Z"},"spec":{"nodeName":"n1"},
    "status":{"phase":"Succeeded","startTime":"2026-03-01T09:00:00Z","containerStatuses":[
      {"state":{"terminated":{"finishedAt":"2026-03-01T09:10:00Z"}}},{"state":{"terminated":{"finishedAt":"2026-03-01T09:12:00Z"}}}]}})");
  EXPECT_TRUE(pod.deleting);
  EXPECT_EQ(pod.phase, PodPhase::succeeded);
  EXPECT_EQ(pod.node, "n1");
  EXPECT_EQ(pod.started, *parse_time("2026-03-01T09:00:00Z"));
  EXPECT_EQ(pod.finished, *parse_time("2026-03-01T09:12:00Z"));
}

TEST(PodDecoder, KnowsTheAddressOfAPodAndOfItsNode) {
  const Pod pod = decoded(R"({"metadata":{"name":"p"},"status":{"podIP":"10.0.0.7","hostIP":"192.0.2.1"}})");
  EXPECT_EQ(pod.address, "10.0.0.7");
  EXPECT_EQ(pod.node_address, "192.0.2.1");
}

TEST(PodDecoder, ReadsNullAsAbsent) {
  const Pod pod = decoded(R"({"metadata":{"name":"p","creationTimestamp":null,"labels":null,"ownerReferences":null},
    "spec":{"containers":null,"nodeName":null,"priority":null,"affinity":null,"tolerations":[{"key":null,"operator":"Exists"}]},"status":null})");
  EXPECT_EQ(pod.meta.name, "p");
  EXPECT_THAT(pod.requests, IsEmpty());
  EXPECT_EQ(pod.tolerations.size(), 1u);
}

TEST(PodDecoder, ReadsEscapesAndOtherLanguages) {
  EXPECT_THAT(decoded(R"({"metadata":{"name":"p","annotations":{"lips.dev/dataset":"a\"b\\c\u00e9\n\ud83d\ude00"}}})")
                  .annotations,
              ElementsAre(Pair("lips.dev/dataset", "a\"b\\c\u00e9\n\U0001F600")));
}

TEST(PodDecoder, RefusesAPodWithoutAName) {
  PodDecoder decoder;
  EXPECT_THAT(decoder.decode(R"({"spec":{}})").error().message, HasSubstr("pod without a name"));
}

TEST(PodDecoder, NamesValuesThatNobodyCanReadAndReadsTheRest) {
  const auto malformed = [](const std::string& json) {
    const Pod pod = decoded(json);
    EXPECT_EQ(pod.meta.name, "p");
    EXPECT_EQ(pod.malformed.size(), 1u) << json;
    return pod.malformed.empty() ? "" : pod.malformed[0];
  };
  EXPECT_THAT(malformed(R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]},"metadata":{"name":"p"}})"),
              HasSubstr("requests.cpu: found '1x'"));
  EXPECT_THAT(malformed(R"({"spec":{"nodeName":5},"metadata":{"name":"p"}})"), HasSubstr("spec.nodeName"));
  EXPECT_THAT(malformed(R"({"metadata":{"annotations":{"batch.kubernetes.io/job-completion-index":"-1"},"name":"p"}})"),
              HasSubstr("job-completion-index: found '-1'"));
}

TEST(PodDecoder, ReadsRequiredAntiAffinity) {
  const Pod pod = with_spec(R"({"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
    {"topologyKey":"zone","namespaces":["b","a"],"labelSelector":{"matchLabels":{"app":"db"},
     "matchExpressions":[{"key":"tier","operator":"NotIn","values":["x"]}]}},
    {"topologyKey":"host","namespaceSelector":{}},
    {"topologyKey":"host","namespaceSelector":{"matchLabels":{"team":"a"},
     "matchExpressions":[{"key":"tier","operator":"Exists"}]}}]}}})");
  ASSERT_EQ(pod.anti_affinity.size(), 3u);
  EXPECT_EQ(pod.anti_affinity[0].topology_key, "zone");
  EXPECT_THAT(pod.anti_affinity[0].namespaces, ElementsAre("a", "b"));
  ASSERT_TRUE(pod.anti_affinity[0].selector);
  EXPECT_EQ(pod.anti_affinity[0].selector->size(), 2u);
  EXPECT_FALSE(pod.anti_affinity[0].namespace_selector);
  EXPECT_FALSE(pod.anti_affinity[1].selector) << "selects nobody";
  ASSERT_TRUE(pod.anti_affinity[1].namespace_selector);
  EXPECT_THAT(*pod.anti_affinity[1].namespace_selector, testing::IsEmpty()) << "every namespace";
  ASSERT_TRUE(pod.anti_affinity[2].namespace_selector);
  EXPECT_EQ(pod.anti_affinity[2].namespace_selector->size(), 2u);
}

// k8s.io/component-helpers/resource with InPlacePodVerticalScaling, which is general since 1.35.
TEST(PodDecoder, CountsTheMostOfSpecAllocationAndActualOfAResizeInPlace) {
  const auto cpu_of = [](const std::string& asked, const std::string& allocated, const std::string& actual,
                         const std::string& condition) {
    const Pod pod = decoded(R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[
      {"name":"c","resources":{"requests":{"cpu":")" +
                            asked + R"("}}},{"name":"d","resources":{"requests":{"cpu":"1"}}}]},
      "status":{"conditions":[)" +
                            condition + R"(],"containerStatuses":[{"name":"c","allocatedResources":{"cpu":")" +
                            allocated + R"("},"resources":{"requests":{"cpu":")" + actual + R"("}}},{"name":"d"}]}})");
    return amount_of(pod.requests, "cpu") - 1000;
  };
  EXPECT_EQ(cpu_of("1", "1", "1", ""), 1000);
  EXPECT_EQ(cpu_of("3", "1", "1", ""), 3000) << "what it will have";
  EXPECT_EQ(cpu_of("1", "3", "3", ""), 3000) << "what it has until it has shrunk";
  EXPECT_EQ(cpu_of("1", "1", "2", ""), 2000);
  const std::string pending = R"({"type":"PodResizePending","status":"True","reason":)";
  EXPECT_EQ(cpu_of("9", "1", "1", pending + R"("Deferred"})"), 9000);
  EXPECT_EQ(cpu_of("9", "1", "1", pending + R"("Infeasible"})"), 1000) << "it will never have that";
}

TEST(PodDecoder, RefusesATextThatIsCutAnywhere) {
  PodDecoder decoder;
  for (std::size_t length = 0; length + 1 < sample_pod.size(); length += 7)
    EXPECT_FALSE(decoder.decode(sample_pod.substr(0, length)).has_value()) << length;
  EXPECT_TRUE(decoder.decode(sample_pod).has_value());
}

TEST(NodeDecoder, ReadsWhatTheSchedulerUses) {
  NodeDecoder decoder;
  const auto node = decoder.decode(sample_node);
  ASSERT_TRUE(node.has_value()) << node.error().message;
  EXPECT_EQ(node->meta.name, "worker-3");
  EXPECT_TRUE(node->ready);
  EXPECT_TRUE(node->unschedulable);
  EXPECT_EQ(amount_of(node->allocatable, "cpu"), 3920);
  EXPECT_EQ(amount_of(node->allocatable, "memory"), 15'819'411'456);
  EXPECT_EQ(amount_of(node->allocatable, "pods"), 110);
  EXPECT_EQ(amount_of(node->allocatable, "nvidia.com/gpu"), 0);
  ASSERT_NE(find_text(node->labels, "topology.kubernetes.io/zone"), nullptr);
  EXPECT_EQ(*find_text(node->labels, "topology.kubernetes.io/zone"), "us-east-1a");
  EXPECT_EQ(find_text(node->labels, "topology"), nullptr);
  EXPECT_THAT(node->annotations, ElementsAre(Pair("lips.dev/usd-per-hour", "0.192")));
  ASSERT_EQ(node->taints.size(), 2u);
  EXPECT_EQ(node->taints[0].effect, "NoSchedule");
  EXPECT_EQ(node->taints[1].value, "batch");
  EXPECT_EQ(node->provider_id, "aws:///us-east-1a/i-0abc");
  EXPECT_EQ(node->internal_address, "10.0.3.17");
}

TEST(NodeDecoder, KeepsConditionsThatHoldWithTheirMessages) {
  NodeDecoder decoder;
  const auto node = decoder.decode(
      R"({"metadata":{"name":"w"},"status":{"conditions":[{"type":"VMEventScheduled","status":"True","message":"Freeze"},)"
      R"({"type":"PreemptScheduled","status":"True"},{"type":"DiskPressure","status":"False","message":"none"},)"
      R"({"type":"Ready","status":"True","message":"kubelet is posting ready status"}]}})");
  ASSERT_TRUE(node.has_value()) << node.error().message;
  EXPECT_TRUE(node->ready);
  EXPECT_THAT(node->conditions, ElementsAre(Pair("PreemptScheduled", ""), Pair("VMEventScheduled", "Freeze")));
}

TEST(NodeDecoder, KeepsATaintWhateverItsEffect) {
  NodeDecoder decoder;
  const auto node = decoder.decode(R"({"metadata":{"name":"w"},"spec":{"taints":[{"key":"k","effect":"Maybe"}]}})");
  ASSERT_TRUE(node.has_value()) << node.error().message;
  EXPECT_EQ(node->taints.at(0).effect, "Maybe");
}

TEST(NodeDecoder, RefusesWithTheNodesName) {
  NodeDecoder decoder;
  EXPECT_THAT(decoder.decode(R"({"metadata":{"name":"w"},"status":{"allocatable":{"cpu":"1x"}}})").error().message,
              HasSubstr("node w: status.allocatable.cpu: found '1x'"));
}

TEST(FrameReader, ReadsAListItemByItem) {
  FrameReader frames;
  std::vector<std::string> names, texts;
  const std::string body =
      R"({"kind":"PodList","metadata":{"resourceVersion":"77","continue":"abc","remainingItemCount":5},
    "items":[{"metadata":{"name":"a","namespace":"n","uid":"u1","resourceVersion":"5"},"spec":{"x":[1,{"y":"}]"}]}},
             {"spec":{},"metadata":{"name":"b","uid":"u2","resourceVersion":"6"}}]})";
  const auto page = frames.read_list(body, [&](const ObjectMeta& meta, std::string_view json) {
    names.push_back(full_name(meta) + ' ' + meta.uid + ' ' + meta.resource_version);
    texts.emplace_back(json);
  });
  ASSERT_TRUE(page.has_value()) << page.error().message;
  EXPECT_EQ(page->resource_version, "77");
  EXPECT_EQ(page->continue_token, "abc");
  EXPECT_THAT(names, ElementsAre("n/a u1 5", "b u2 6"));
  EXPECT_EQ(
      texts[0].substr(0, texts[0].find_last_of('}') + 1),
      R"({"metadata":{"name":"a","namespace":"n","uid":"u1","resourceVersion":"5"},"spec":{"x":[1,{"y":"}]"}]}})");
}

TEST(FrameReader, ReadsAnEmptyListAndOneWithoutItems) {
  FrameReader frames;
  for (const char* body :
       {R"({"metadata":{"resourceVersion":"7"},"items":[]})", R"({"metadata":{"resourceVersion":"7"},"items":null})"})
    EXPECT_TRUE(frames.read_list(body, [](const ObjectMeta&, std::string_view) { FAIL(); }).has_value()) << body;
}

// An object without metadata is cut: the parser is gone before the object is looked at again.
TEST(FrameReader, RefusesAnEventThatIsCutAnywhere) {
  FrameReader frames;
  const std::string line =
      R"({"type":"ADDED","object":{"spec":{"a":[1,{"b":"c"}]},"status":{"phase":"Pending"},"metadata":{"name":"p"}}})";
  EXPECT_TRUE(frames.read_event(line));
  for (std::size_t length = 0; length < line.size(); ++length)
    for (const char* end : {"", "}", "]", "\"", "}}"}) {
      const std::string cut = line.substr(0, length) + end;
      if (cut == line) continue;
      const Result<WatchEvent> event = frames.read_event(cut);
      EXPECT_EQ(event ? ErrorCode::unavailable : event.error().code, ErrorCode::unavailable) << cut;
    }
  EXPECT_TRUE(frames.read_event(line)) << "the reader goes on";
}

TEST(FrameReader, CallsAnAnswerThatIsCutUnavailable) {
  FrameReader frames;
  for (const char* body :
       {"", "{", "<html>", R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"na)", "[]", "{}"}) {
    const auto page = frames.read_list(body, [](const ObjectMeta&, std::string_view) {});
    ASSERT_FALSE(page.has_value()) << body;
    EXPECT_EQ(page.error().code, ErrorCode::unavailable);
  }
}

TEST(FrameReader, ReadsEveryTypeOfWatchEvent) {
  FrameReader frames;
  PodDecoder decoder;
  const auto added = frames.read_event(R"({"type":"ADDED","object":)" + sample_pod + "}");
  ASSERT_TRUE(added.has_value()) << added.error().message;
  EXPECT_EQ(added->type, WatchEvent::Type::added);
  EXPECT_EQ(added->meta.name, "wordcount-7-x2x9k");
  EXPECT_TRUE(decoder.decode(added->object).has_value());
  const auto bookmark = frames.read_event(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"12746","creationTimestamp":null}}})");
  ASSERT_TRUE(bookmark.has_value()) << bookmark.error().message;
  EXPECT_EQ(bookmark->type, WatchEvent::Type::bookmark);
  EXPECT_EQ(bookmark->meta.resource_version, "12746");
  const auto expired = frames.read_event(
      R"json({"type":"ERROR","object":{"kind":"Status","message":"too old: 1 (99)","reason":"Expired","code":410}})json");
  ASSERT_TRUE(expired.has_value()) << expired.error().message;
  EXPECT_EQ(expired->error.code, ErrorCode::gone);
  EXPECT_EQ(expired->error.message, "too old: 1 (99)");
  EXPECT_FALSE(frames.read_event(R"({"type":"RENAMED","object":{}})").has_value());
  EXPECT_FALSE(frames.read_event(R"({"object":{}})").has_value());
}

TEST(ErrorOfAnswer, SaysWhatTheServerSaid) {
  const std::string status = R"({"kind":"Status","message":"pods \"x\" not found","reason":"NotFound","code":404})";
  EXPECT_EQ(error_of_answer(404, status).code, ErrorCode::not_found);
  EXPECT_EQ(error_of_answer(404, status).message, "HTTP 404: pods \"x\" not found");
  EXPECT_EQ(error_of_answer(409, "").code, ErrorCode::conflict);
  EXPECT_EQ(error_of_answer(410, "").code, ErrorCode::gone);
  EXPECT_EQ(error_of_answer(429, "too many").message, "HTTP 429: too many");
  EXPECT_EQ(error_of_answer(503, "<html>").code, ErrorCode::unavailable);
  EXPECT_EQ(error_of_answer(422, "").code, ErrorCode::invalid_input);
  EXPECT_EQ(error_of_answer(403, "").code, ErrorCode::invalid_input);
}

// The answer of kube-apiserver to a patch with the uid of a pod that was deleted and made again.
TEST(ErrorOfAnswer, SaysThatAnotherObjectHasTheName) {
  const std::string message =
      R"(Pod "x" is invalid: metadata.uid: Invalid value: "1b4e28ba-2fa1-11d2-883f-0016d3cca427": field is immutable)";
  EXPECT_EQ(error_of_answer(422, message).code, ErrorCode::conflict);
  EXPECT_TRUE(is_about_another_object(422, message));
  EXPECT_FALSE(is_about_another_object(422, R"(Pod "x" is invalid: spec.nodeName: field is immutable)"));
  EXPECT_FALSE(is_about_another_object(400, message));
}

}  // namespace
}  // namespace lips::kubernetes
