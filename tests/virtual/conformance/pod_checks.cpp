#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::ElementsAre;

constexpr const char* no_uid = "11111111-2222-4333-8444-555555555555";

Json condition_of(const Json& pod, const std::string& type) {
  for (const Json& condition : at(pod, "/status/conditions"))
    if (condition["type"] == type) return condition;
  return Json();
}

constexpr Check table_of_pods[] = {
    {"binding_assigns_a_pod",
     [](Bench& b) {
       const Json made = b.make("pods", "a");
       const Replied reply = b.bind("a", "one");
       EXPECT_EQ(reply.code, 201) << reply.body;
       EXPECT_EQ(text_at(reply.body, "/kind"), "Status");
       EXPECT_EQ(text_at(reply.body, "/status"), "Success");
       EXPECT_EQ(at(reply.body, "/code"), 201);
       const Json pod = b.read(b.path("pods", "a"));
       EXPECT_EQ(text_at(pod, "/spec/nodeName"), "one");
       EXPECT_GT(version_of(pod), version_of(made));
       EXPECT_EQ(text_at(pod, "/status/phase"), "Pending");
     }},
    {"binding_says_that_the_pod_is_scheduled",
     [](Bench& b) {
       const Json condition = condition_of(b.make_bound_pod("a"), "PodScheduled");
       EXPECT_EQ(text_at(condition, "/status"), "True");
       EXPECT_LE(std::abs(b.server().now() - seconds_at(condition, "/lastTransitionTime")), 2);
     }},
    {"binding_is_one_event_of_a_watch",
     [](Bench& b) {
       b.make("pods", "a");
       const auto watch = b.watch_from(b.path("pods"), b.version_of_list(b.path("pods")));
       b.bind("a", "one", {{"annotations", {{"lips.dev/input", "x"}}}});
       b.make("pods", "b");
       const std::vector<Json> events = watch->events(2);
       ASSERT_THAT(told(events), ElementsAre("MODIFIED a", "ADDED b"));
       EXPECT_EQ(text_at(events[0], "/object/spec/nodeName"), "one");
       EXPECT_EQ(text_at(events[0], "/object/metadata/annotations/lips.dev~1input"), "x");
       EXPECT_EQ(at(events[0], "/object/status/conditions/0/status"), "True");
     }},
    {"binding_adds_annotations_and_labels",
     [](Bench& b) {
       b.make("pods", "a", {{"metadata", {{"annotations", {{"x", "1"}, {"y", "1"}}}, {"labels", {{"l", "1"}}}}}});
       b.bind("a", "one", {{"annotations", {{"y", "2"}, {"z", "2"}}}, {"labels", {{"m", "2"}}}});
       const Json pod = b.read(b.path("pods", "a"));
       EXPECT_EQ(at(pod, "/metadata/annotations"), (Json{{"x", "1"}, {"y", "2"}, {"z", "2"}}));
       EXPECT_EQ(at(pod, "/metadata/labels"), (Json{{"l", "1"}, {"m", "2"}}));
     }},
    {"binding_leaves_or_counts_the_generation",
     [](Bench& b) { EXPECT_EQ(at(b.make_bound_pod("a"), "/metadata/generation"), 1); }},
    {"binding_twice_is_refused",
     [](Bench& b) {
       b.make("pods", "a");
       EXPECT_EQ(b.bind("a", "one").code, 201);
       expect_refusal(b.bind("a", "two"), 409, "Conflict", "pod a is already assigned to node \"one\"");
       EXPECT_EQ(text_at(b.read(b.path("pods", "a")), "/spec/nodeName"), "one");
     }},
    {"binding_twice_to_the_same_node_is_refused",
     [](Bench& b) {
       b.make("pods", "a");
       EXPECT_EQ(b.bind("a", "one").code, 201);
       const Json pod = b.read(b.path("pods", "a"));
       expect_refusal(b.bind("a", "one"), 409, "Conflict", "already assigned to node \"one\"");
       EXPECT_EQ(b.read(b.path("pods", "a")), pod);
     }},
    {"binding_to_an_unknown_node_is_taken",
     [](Bench& b) {
       b.make("pods", "a");
       EXPECT_EQ(b.bind("a", "never-heard-of").code, 201);
     }},
    {"binding_of_a_pod_that_is_gone_is_not_found",
     [](Bench& b) {
       b.make("pods", "a");
       b.remove(b.path("pods", "a"));
       expect_refusal(b.bind("a", "one"), 404, "NotFound", "pods \"a\" not found");
     }},
    {"binding_of_a_pod_that_is_being_deleted_is_refused",
     [](Bench& b) {
       b.make("pods", "a", {{"metadata", {{"finalizers", Json::array({"lips.dev/kept"})}}}});
       b.remove(b.path("pods", "a"));
       expect_refusal(b.bind("a", "one"), 409, "Conflict", "is being deleted, cannot be assigned to a host");
     }},
    {"binding_of_a_pod_made_anew_is_refused_by_its_uid",
     [](Bench& b) {
       const Json first = b.make("pods", "a");
       b.remove(b.path("pods", "a"));
       const Json second = b.make("pods", "a");
       expect_refusal(b.bind("a", "one", {{"uid", uid_of(first)}}), 409, "Conflict", "UID in precondition");
       EXPECT_EQ(b.bind("a", "one", {{"uid", uid_of(second)}}).code, 201);
     }},
    {"binding_of_a_pod_that_has_changed_is_refused_by_its_version",
     [](Bench& b) {
       const Json first = b.make("pods", "a");
       const Json second = b.patched(b.path("pods", "a"), label("k", "v"));
       expect_refusal(b.bind("a", "one", {{"resourceVersion", first["metadata"]["resourceVersion"]}}), 409, "Conflict");
       EXPECT_EQ(b.bind("a", "one", {{"resourceVersion", second["metadata"]["resourceVersion"]}}).code, 201);
     }},
    {"binding_of_a_gated_pod_is_refused",
     [](Bench& b) {
       b.make("pods", "a", {{"spec", {{"schedulingGates", Json::array({{{"name", "lips.dev/zone"}}})}}}});
       expect_refusal(b.bind("a", "one"), 409, "Conflict", "has non-empty .spec.schedulingGates");
     }},
    {"binding_without_a_node_is_refused",
     [](Bench& b) {
       b.make("pods", "a");
       expect_refusal(b.bind("a", ""), 500, "", "target.name: Required value");
     }},
    {"binding_of_another_name_is_refused",
     [](Bench& b) {
       b.make("pods", "a");
       expect_refusal(b.bind("a", "one", {{"name", "b"}}), 400, "BadRequest");
     }},
    {"binding_is_written_only",
     [](Bench& b) {
       b.make("pods", "a");
       expect_refusal(b.get(b.path("pods", "a") + "/binding"), 405, "MethodNotAllowed");
       expect_refusal(b.get(b.path("pods", "a") + "/eviction"), 405, "MethodNotAllowed");
     }},
    {"gated_pod_says_why_it_waits",
     [](Bench& b) {
       const Json pod =
           b.make("pods", "a", {{"spec", {{"schedulingGates", Json::array({{{"name", "lips.dev/zone"}}})}}}});
       EXPECT_EQ(text_at(condition_of(pod, "PodScheduled"), "/status"), "False");
       EXPECT_EQ(text_at(condition_of(pod, "PodScheduled"), "/reason"), "SchedulingGated");
     }},
    {"eviction_removes_a_pod_that_waits",
     [](Bench& b) {
       b.make("pods", "a");
       const Replied reply = b.evict("a");
       EXPECT_EQ(reply.code, 201) << reply.body;
       EXPECT_EQ(text_at(reply.body, "/kind"), "Status");
       EXPECT_EQ(text_at(reply.body, "/status"), "Success");
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
     }},
    {"eviction_lets_a_pod_on_a_node_end_in_order",
     [](Bench& b) {
       b.make_bound_pod("a");
       b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", "Running"}}}});
       EXPECT_EQ(b.evict("a").code, 201);
       const Json pod = b.read(b.path("pods", "a"));
       EXPECT_NE(text_at(pod, "/metadata/deletionTimestamp"), "");
       EXPECT_EQ(at(pod, "/metadata/deletionGracePeriodSeconds"), 30);
     }},
    {"eviction_marks_its_pod",
     [](Bench& b) {
       b.make_bound_pod("a");
       b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", "Running"}}}});
       b.evict("a");
       const Json condition = condition_of(b.read(b.path("pods", "a")), "DisruptionTarget");
       EXPECT_EQ(text_at(condition, "/status"), "True");
       EXPECT_EQ(text_at(condition, "/reason"), "EvictionByEvictionAPI");
     }},
    {"eviction_of_a_pod_that_is_gone_is_not_found",
     [](Bench& b) { expect_refusal(b.evict("a"), 404, "NotFound", "pods \"a\" not found"); }},
    {"eviction_of_another_uid_is_refused",
     [](Bench& b) {
       const Json pod = b.make("pods", "a");
       expect_refusal(b.evict("a", {{"preconditions", {{"uid", no_uid}}}}), 409, "Conflict");
       EXPECT_EQ(b.evict("a", {{"preconditions", {{"uid", uid_of(pod)}}}}).code, 201);
     }},
    {"eviction_of_another_uid_of_a_running_pod_is_refused",
     [](Bench& b) {
       const Json pod = b.make_bound_pod("a");
       b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", "Running"}}}});
       expect_refusal(b.evict("a", {{"preconditions", {{"uid", no_uid}}}}), 409, "Conflict");
       EXPECT_EQ(at(b.read(b.path("pods", "a")), "/metadata/deletionTimestamp"), Json());
       EXPECT_EQ(b.evict("a", {{"preconditions", {{"uid", uid_of(pod)}}}}).code, 201);
     }},
    {"eviction_of_another_name_is_refused",
     [](Bench& b) {
       b.make("pods", "a");
       const Json body{{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", "b"}}}};
       expect_refusal(b.post(b.path("pods", "a") + "/eviction", body), 400, "BadRequest");
     }},
    {"eviction_without_a_grace_is_at_once",
     [](Bench& b) {
       b.make_bound_pod("a");
       EXPECT_EQ(b.evict("a", {{"gracePeriodSeconds", 0}}).code, 201);
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
     }},
    {"eviction_of_a_pod_that_has_ended_is_at_once",
     [](Bench& b) {
       b.make_bound_pod("a");
       b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", "Succeeded"}}}});
       EXPECT_EQ(b.evict("a").code, 201);
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
     }},
};

}  // namespace

std::span<const Check> checks_of_pods() { return table_of_pods; }

}  // namespace lips::virtual_cluster
