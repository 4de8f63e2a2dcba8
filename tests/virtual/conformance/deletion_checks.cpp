#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

const Json kept{{"metadata", {{"finalizers", Json::array({"lips.dev/kept"})}}}};
const Json let_go{{"metadata", {{"finalizers", nullptr}}}};

Json precondition(const char* field, const Json& value) { return {{"preconditions", {{field, value}}}}; }
std::string version_text(const Json& object) { return text_at(object, "/metadata/resourceVersion"); }

void expect_leaving(Bench& b, const Json& pod, std::int64_t grace) {
  EXPECT_EQ(at(pod, "/metadata/deletionGracePeriodSeconds"), grace);
  EXPECT_LE(std::abs(b.server().now() + grace - seconds_at(pod, "/metadata/deletionTimestamp")), 2);
}

constexpr Check table_of_deletion[] = {
    {"deletion_of_another_uid_is_refused",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       expect_refusal(b.remove(b.path("configmaps", "a"), precondition("uid", "11111111-2222-4333-8444-555555555555")),
                      409, "Conflict", "the UID in the precondition");
       EXPECT_EQ(b.read(b.path("configmaps", "a")), made);
       EXPECT_EQ(b.remove(b.path("configmaps", "a"), precondition("uid", uid_of(made))).code, 200);
     }},
    {"deletion_of_another_version_is_refused",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       const Json changed = b.patched(b.path("configmaps", "a"), label("k", "v"));
       expect_refusal(b.remove(b.path("configmaps", "a"), precondition("resourceVersion", version_text(made))), 409,
                      "Conflict", "the ResourceVersion in the precondition");
       EXPECT_EQ(b.remove(b.path("configmaps", "a"), precondition("resourceVersion", version_text(changed))).code, 200);
       EXPECT_EQ(b.get(b.path("configmaps", "a")).code, 404);
     }},
    {"deletion_of_another_custom_resource_is_refused",
     [](Bench& b) {
       const Json made = b.make("datasets", "a");
       b.remove(b.path("datasets", "a"));
       b.make("datasets", "a");
       expect_refusal(b.remove(b.path("datasets", "a"), precondition("uid", uid_of(made))), 409, "Conflict");
     }},
    {"deletion_twice_is_not_found",
     [](Bench& b) {
       b.make("configmaps", "a");
       EXPECT_EQ(b.remove(b.path("configmaps", "a")).code, 200);
       expect_refusal(b.remove(b.path("configmaps", "a")), 404, "NotFound");
     }},
    {"deletion_without_options_is_taken",
     [](Bench& b) {
       b.make("datasets", "a");
       EXPECT_EQ(b.remove(b.path("datasets", "a")).code, 200);
       EXPECT_EQ(b.get(b.path("datasets", "a")).code, 404);
     }},
    {"deletion_of_a_job_without_options_waits_for_orphans",
     [](Bench& b) {
       b.make("jobs", "a");
       EXPECT_EQ(b.remove(b.path("jobs", "a")).code, 200);
       EXPECT_EQ(at(b.read(b.path("jobs", "a")), "/metadata/finalizers"), Json::array({"orphan"}));
     }},
    {"deletion_with_options_that_are_no_json_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       expect_refusal(b.ask("DELETE", b.path("configmaps", "a"), "{\"preconditions\":"), 400, "BadRequest");
       EXPECT_EQ(b.get(b.path("configmaps", "a")).code, 200);
     }},
    {"deletion_with_kind_of_options",
     [](Bench& b) {
       b.make("configmaps", "a");
       EXPECT_EQ(b.remove(b.path("configmaps", "a"), {{"kind", "DeleteOptions"}, {"apiVersion", "v1"}}).code, 200);
     }},
    {"deletion_of_a_status_is_no_verb",
     [](Bench& b) {
       b.make("datasets", "a");
       expect_refusal(b.remove(b.path("datasets", "a") + "/status"), 405, "MethodNotAllowed");
       EXPECT_EQ(b.get(b.path("datasets", "a")).code, 200);
     }},
    {"finalizer_keeps_an_object",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", kept);
       const Replied reply = b.remove(b.path("configmaps", "a"));
       EXPECT_EQ(reply.code, 200) << reply.body;
       const Json waiting = b.read(b.path("configmaps", "a"));
       EXPECT_GT(version_of(waiting), version_of(made));
       EXPECT_EQ(uid_of(waiting), uid_of(made));
       expect_leaving(b, waiting, 0);
       EXPECT_EQ(text_at(reply.body, "/kind"), "ConfigMap") << reply.body;
       EXPECT_EQ(reply.body, waiting);
     }},
    {"finalizer_keeps_a_custom_resource",
     [](Bench& b) {
       b.make("datasets", "a", kept);
       EXPECT_EQ(b.remove(b.path("datasets", "a"), {{"propagationPolicy", "Background"}}).code, 200);
       const Json waiting = b.read(b.path("datasets", "a"));
       expect_leaving(b, waiting, 0);
       EXPECT_EQ(at(waiting, "/metadata/generation"), 2);
     }},
    {"finalizer_that_is_taken_lets_an_object_go",
     [](Bench& b) {
       b.make("configmaps", "a", kept);
       b.remove(b.path("configmaps", "a"));
       const Replied reply = b.patch(b.path("configmaps", "a"), let_go);
       EXPECT_EQ(reply.code, 200) << reply.body;
       EXPECT_EQ(text_at(reply.body, "/kind"), "ConfigMap");
       EXPECT_EQ(b.get(b.path("configmaps", "a")).code, 404);
     }},
    {"finalizer_that_is_taken_by_update_lets_an_object_go",
     [](Bench& b) {
       b.make("datasets", "a", kept);
       b.remove(b.path("datasets", "a"));
       Json waiting = b.read(b.path("datasets", "a"));
       waiting["metadata"].erase("finalizers");
       EXPECT_EQ(b.put(b.path("datasets", "a"), waiting).code, 200);
       EXPECT_EQ(b.get(b.path("datasets", "a")).code, 404);
     }},
    {"finalizer_before_a_deletion_changes_nothing",
     [](Bench& b) {
       b.make("configmaps", "a", kept);
       b.patched(b.path("configmaps", "a"), let_go);
       EXPECT_EQ(at(b.read(b.path("configmaps", "a")), "/metadata/finalizers"), Json());
     }},
    {"finalizer_is_one_of_several",
     [](Bench& b) {
       b.make("configmaps", "a", {{"metadata", {{"finalizers", Json::array({"lips.dev/kept", "other.dev/kept"})}}}});
       b.remove(b.path("configmaps", "a"));
       b.patched(b.path("configmaps", "a"), kept);
       EXPECT_EQ(b.get(b.path("configmaps", "a")).code, 200);
       b.patched(b.path("configmaps", "a"), let_go);
       EXPECT_EQ(b.get(b.path("configmaps", "a")).code, 404);
     }},
    {"finalizer_may_not_come_after_the_deletion",
     [](Bench& b) {
       b.make("configmaps", "a", kept);
       b.remove(b.path("configmaps", "a"));
       const Replied reply =
           b.patch(b.path("configmaps", "a"),
                   {{"metadata", {{"finalizers", Json::array({"lips.dev/kept", "other.dev/kept"})}}}});
       expect_refusal(reply, 422, "Invalid", "no new finalizers can be added if the object is being deleted");
     }},
    {"finalizer_holds_a_second_deletion",
     [](Bench& b) {
       b.make("configmaps", "a", kept);
       b.remove(b.path("configmaps", "a"));
       const Json waiting = b.read(b.path("configmaps", "a"));
       EXPECT_EQ(b.remove(b.path("configmaps", "a")).code, 200);
       EXPECT_EQ(b.read(b.path("configmaps", "a")), waiting);
     }},
    {"finalizer_holds_the_name",
     [](Bench& b) {
       b.make("configmaps", "a", kept);
       b.remove(b.path("configmaps", "a"));
       expect_refusal(b.post(b.path("configmaps"), b.object("configmaps", "a")), 409, "AlreadyExists",
                      "object is being deleted");
     }},
    {"finalizer_lets_a_status_be_written",
     [](Bench& b) {
       b.make("datasets", "a", kept);
       b.remove(b.path("datasets", "a"));
       b.patched(b.path("datasets", "a") + "/status", {{"status", {{"size", 1}}}});
       EXPECT_EQ(at(b.read(b.path("datasets", "a")), "/status/size"), 1);
     }},
    {"finalizer_must_be_qualified",
     [](Bench& b) {
       Json body = b.object("configmaps", "a");
       body["metadata"]["finalizers"] = Json::array({"kept"});
       expect_refusal(b.post(b.path("configmaps"), body), 422, "Invalid", "metadata.finalizers");
     }},
    {"propagation_in_the_foreground_waits",
     [](Bench& b) {
       b.make("jobs", "a");
       EXPECT_EQ(b.remove(b.path("jobs", "a"), {{"propagationPolicy", "Foreground"}}).code, 200);
       const Json waiting = b.read(b.path("jobs", "a"));
       EXPECT_EQ(at(waiting, "/metadata/finalizers"), Json::array({"foregroundDeletion"}));
       EXPECT_NE(text_at(waiting, "/metadata/deletionTimestamp"), "");
     }},
    {"propagation_to_orphans_waits",
     [](Bench& b) {
       b.make("jobs", "a");
       EXPECT_EQ(b.remove(b.path("jobs", "a") + "?propagationPolicy=Orphan").code, 200);
       EXPECT_EQ(at(b.read(b.path("jobs", "a")), "/metadata/finalizers"), Json::array({"orphan"}));
     }},
    {"propagation_in_the_background_does_not_wait",
     [](Bench& b) {
       b.make("jobs", "a");
       EXPECT_EQ(b.remove(b.path("jobs", "a") + "?propagationPolicy=Background").code, 200);
       EXPECT_EQ(b.get(b.path("jobs", "a")).code, 404);
     }},
    {"propagation_of_an_unknown_kind_is_refused",
     [](Bench& b) {
       b.make("jobs", "a");
       EXPECT_EQ(b.remove(b.path("jobs", "a"), {{"propagationPolicy", "Sideways"}}).code, 422);
       EXPECT_EQ(b.get(b.path("jobs", "a")).code, 200);
     }},
    {"grace_is_for_pods_on_nodes",
     [](Bench& b) {
       const Json made = b.make_bound_pod("a");
       const Replied reply = b.remove(b.path("pods", "a"));
       EXPECT_EQ(reply.code, 200) << reply.body;
       const Json leaving = b.read(b.path("pods", "a"));
       expect_leaving(b, leaving, 30);
       EXPECT_EQ(reply.body, leaving);
       EXPECT_EQ(at(leaving, "/metadata/generation"), 2);
       EXPECT_GT(version_of(leaving), version_of(made));
     }},
    {"grace_is_not_for_pods_that_wait",
     [](Bench& b) {
       b.make("pods", "a");
       EXPECT_EQ(b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 60}}).code, 200);
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
     }},
    {"grace_is_not_for_pods_that_have_ended",
     [](Bench& b) {
       for (const char* phase : {"Succeeded", "Failed"}) {
         b.make_bound_pod("a");
         b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", phase}}}});
         EXPECT_EQ(b.remove(b.path("pods", "a")).code, 200);
         EXPECT_EQ(b.get(b.path("pods", "a")).code, 404) << phase;
       }
     }},
    {"grace_is_that_of_the_pod",
     [](Bench& b) {
       b.make_bound_pod("a", {{"spec", {{"terminationGracePeriodSeconds", 77}}}});
       b.remove(b.path("pods", "a"));
       expect_leaving(b, b.read(b.path("pods", "a")), 77);
     }},
    {"grace_is_that_of_the_request",
     [](Bench& b) {
       b.make_bound_pod("a"), b.make_bound_pod("b");
       b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 5}});
       expect_leaving(b, b.read(b.path("pods", "a")), 5);
       b.remove(b.path("pods", "b") + "?gracePeriodSeconds=6");
       expect_leaving(b, b.read(b.path("pods", "b")), 6);
     }},
    {"grace_of_nothing_is_at_once",
     [](Bench& b) {
       b.make_bound_pod("a"), b.make_bound_pod("b");
       b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 0}});
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
       b.remove(b.path("pods", "b") + "?gracePeriodSeconds=0");
       EXPECT_EQ(b.get(b.path("pods", "b")).code, 404);
     }},
    {"grace_can_be_cut_short",
     [](Bench& b) {
       b.make_bound_pod("a");
       b.remove(b.path("pods", "a"));
       b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 5}});
       EXPECT_EQ(at(b.read(b.path("pods", "a")), "/metadata/deletionGracePeriodSeconds"), 5);
       b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 0}});
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
     }},
    {"grace_cannot_be_made_longer",
     [](Bench& b) {
       b.make_bound_pod("a");
       b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 5}});
       const Json leaving = b.read(b.path("pods", "a"));
       EXPECT_EQ(b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 60}}).code, 200);
       EXPECT_EQ(b.read(b.path("pods", "a")), leaving);
     }},
    {"grace_is_ignored_by_other_kinds",
     [](Bench& b) {
       b.make("configmaps", "a");
       b.remove(b.path("configmaps", "a"), {{"gracePeriodSeconds", 60}});
       EXPECT_EQ(b.get(b.path("configmaps", "a")).code, 404);
     }},
    {"grace_and_finalizers_hold_together",
     [](Bench& b) {
       b.make_bound_pod("a", kept);
       b.remove(b.path("pods", "a"), {{"gracePeriodSeconds", 0}});
       expect_leaving(b, b.read(b.path("pods", "a")), 0);
       b.patched(b.path("pods", "a"), let_go);
       EXPECT_EQ(b.get(b.path("pods", "a")).code, 404);
     }},
    {"grace_that_is_not_over_holds_a_pod_without_finalizers",
     [](Bench& b) {
       b.make_bound_pod("a", kept);
       b.remove(b.path("pods", "a"));
       b.patched(b.path("pods", "a"), let_go);
       expect_leaving(b, b.read(b.path("pods", "a")), 30);
     }},
};

}  // namespace

std::span<const Check> checks_of_deletion() { return table_of_deletion; }

}  // namespace lips::virtual_cluster
