#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

Json without(Json object, const char* field) {
  object["metadata"].erase(field);
  return object;
}

Json changed_to(Json object, const Json& more) {
  object.merge_patch(more);
  return object;
}

const Json some_condition{{"type", "Ready"}, {"status", "True"}, {"reason", "Fine"}};

constexpr Check table_of_updates[] = {
    {"update_replaces_the_whole_object",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", changed_to(label("k", "v"), {{"data", {{"more", "x"}}}}));
       Json wanted = b.object("configmaps", "a");
       wanted["data"] = {{"only", "y"}};
       const Replied reply = b.put(b.path("configmaps", "a"), wanted);
       EXPECT_EQ(at(reply.body, "/data"), (Json{{"only", "y"}}));
       EXPECT_EQ(at(reply.body, "/metadata/labels"), Json());
       EXPECT_EQ(uid_of(reply.body), uid_of(made));
       EXPECT_EQ(at(reply.body, "/metadata/creationTimestamp"), at(made, "/metadata/creationTimestamp"));
     }},
    {"update_keeps_what_the_server_has_filled",
     [](Bench& b) {
       const Json made = b.make("datasets", "a");
       Json wanted = without(without(without(made, "uid"), "creationTimestamp"), "generation");
       wanted["spec"]["blocks"] = 3;
       const Replied reply = b.put(b.path("datasets", "a"), wanted);
       EXPECT_EQ(reply.code, 200) << reply.body;
       EXPECT_EQ(uid_of(reply.body), uid_of(made));
       EXPECT_EQ(at(reply.body, "/metadata/creationTimestamp"), at(made, "/metadata/creationTimestamp"));
       EXPECT_EQ(at(reply.body, "/metadata/generation"), 2);
     }},
    {"update_of_another_uid_is_refused",
     [](Bench& b) {
       Json made = b.make("configmaps", "a");
       made["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555";
       expect_refusal(b.put(b.path("configmaps", "a"), made), 409, "Conflict", "UID in precondition");
     }},
    {"update_of_another_uid_of_a_custom_resource_is_refused",
     [](Bench& b) {
       Json made = b.make("pools", "a");
       made["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555";
       expect_refusal(b.put(b.path("pools", "a"), made), 409, "Conflict", "UID in precondition");
     }},
    {"update_of_another_name_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       expect_refusal(b.put(b.path("configmaps", "a"), b.object("configmaps", "b")), 400, "BadRequest",
                      "does not match the name on the URL");
     }},
    {"update_without_a_name_is_refused",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       EXPECT_EQ(b.put(b.path("configmaps", "a"), without(made, "name")).code, 400);
     }},
    {"update_of_another_namespace_is_refused",
     [](Bench& b) {
       Json made = b.make("configmaps", "a");
       made["metadata"]["namespace"] = "other";
       expect_refusal(b.put(b.path("configmaps", "a"), made), 400, "BadRequest",
                      "the namespace of the provided object does not match");
     }},
    {"update_of_a_collection_is_no_verb",
     [](Bench& b) {
       expect_refusal(b.put(b.path("configmaps"), b.object("configmaps", "a")), 405, "MethodNotAllowed");
     }},
    {"update_with_a_stale_version_changes_nothing",
     [](Bench& b) {
       const Json first = b.make("leases", "a");
       const Json second = b.patched(b.path("leases", "a"), {{"spec", {{"holderIdentity", "two"}}}});
       const Json late = changed_to(first, {{"spec", {{"holderIdentity", "three"}}}});
       expect_refusal(b.put(b.path("leases", "a"), late), 409, "Conflict");
       EXPECT_EQ(b.read(b.path("leases", "a")), second);
     }},
    {"update_with_a_version_from_the_future_is_refused",
     [](Bench& b) {
       Json made = b.make("configmaps", "a", label("k", "v"));
       made["metadata"]["resourceVersion"] = std::to_string(version_of(made) + 1'000'000);
       expect_refusal(b.put(b.path("configmaps", "a"), made), 409, "Conflict");
     }},
    {"update_of_a_lease_that_is_gone_is_refused_by_its_uid",
     [](Bench& b) {
       const Json made = b.make("leases", "a");
       b.remove(b.path("leases", "a"));
       EXPECT_EQ(b.put(b.path("leases", "a"), made).code, 409);
       EXPECT_EQ(b.get(b.path("leases", "a")).code, 404);
     }},
    {"update_makes_a_lease_that_is_gone_anew",
     [](Bench& b) {
       const Json made = b.make("leases", "a");
       b.remove(b.path("leases", "a"));
       const Replied reply = b.put(b.path("leases", "a"), without(made, "uid"));
       EXPECT_EQ(reply.code, 201) << reply.body;
       EXPECT_NE(uid_of(reply.body), uid_of(made));
       EXPECT_GT(version_of(reply.body), version_of(made));
     }},
    {"update_of_a_custom_resource_leaves_its_status",
     [](Bench& b) {
       b.make("datasets", "a");
       Json wanted = b.patched(b.path("datasets", "a") + "/status", {{"status", {{"blocks", 2}}}});
       wanted["status"]["blocks"] = 7;
       wanted["spec"]["blocks"] = 3;
       const Replied reply = b.put(b.path("datasets", "a"), wanted);
       EXPECT_EQ(at(reply.body, "/spec/blocks"), 3);
       EXPECT_EQ(at(reply.body, "/status/blocks"), 2);
     }},
    {"update_of_a_custom_resource_without_its_status_leaves_it",
     [](Bench& b) {
       b.make("datasets", "a");
       Json wanted = b.patched(b.path("datasets", "a") + "/status", {{"status", {{"blocks", 2}}}});
       wanted.erase("status");
       wanted["spec"]["blocks"] = 3;
       EXPECT_EQ(at(b.put(b.path("datasets", "a"), wanted).body, "/status/blocks"), 2);
     }},
    {"update_of_a_status_that_never_was_adds_none",
     [](Bench& b) {
       Json wanted = b.make("pools", "a");
       wanted["status"]["running"] = 7;
       EXPECT_EQ(at(b.put(b.path("pools", "a"), wanted).body, "/status"), Json());
     }},
    {"status_update_leaves_spec_labels_and_generation",
     [](Bench& b) {
       Json wanted = b.make("datasets", "a", label("k", "v"));
       wanted["spec"]["blocks"] = 7;
       wanted["metadata"]["labels"]["k"] = "w";
       wanted["status"]["blocks"] = 2;
       const Replied reply = b.put(b.path("datasets", "a") + "/status", wanted);
       ASSERT_EQ(reply.code, 200) << reply.body;
       EXPECT_EQ(at(reply.body, "/spec/blocks"), 2);
       EXPECT_EQ(text_at(reply.body, "/metadata/labels/k"), "v");
       EXPECT_EQ(at(reply.body, "/metadata/generation"), 1);
       EXPECT_EQ(at(reply.body, "/status/blocks"), 2);
     }},
    {"status_update_replaces_the_whole_status",
     [](Bench& b) {
       b.make("datasets", "a");
       Json wanted = b.patched(b.path("datasets", "a") + "/status", {{"status", {{"blocks", 2}, {"size", 9}}}});
       wanted["status"] = {{"size", 10}};
       EXPECT_EQ(at(b.put(b.path("datasets", "a") + "/status", wanted).body, "/status"), (Json{{"size", 10}}));
     }},
    {"status_update_needs_the_newest_version",
     [](Bench& b) {
       Json made = b.make("datasets", "a");
       b.patched(b.path("datasets", "a"), label("k", "v"));
       made["status"]["blocks"] = 2;
       expect_refusal(b.put(b.path("datasets", "a") + "/status", made), 409, "Conflict",
                      "the object has been modified");
       expect_refusal(b.put(b.path("datasets", "a") + "/status", without(made, "resourceVersion")), 422, "Invalid",
                      "metadata.resourceVersion");
     }},
    {"status_update_of_what_is_gone_is_not_found",
     [](Bench& b) {
       const Json made = b.make("datasets", "a");
       b.remove(b.path("datasets", "a"));
       EXPECT_EQ(b.put(b.path("datasets", "a") + "/status", made).code, 404);
     }},
    {"status_update_of_a_kind_without_one_is_not_found",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       EXPECT_EQ(b.put(b.path("configmaps", "a") + "/status", made).code, 404);
       const Json lease = b.make("leases", "a");
       EXPECT_EQ(b.put(b.path("leases", "a") + "/status", lease).code, 404);
     }},
    {"status_update_of_a_pod_leaves_its_spec",
     [](Bench& b) {
       Json pod = b.make("pods", "a");
       pod["spec"]["activeDeadlineSeconds"] = 7;
       pod["status"]["phase"] = "Running";
       const Replied reply = b.put(b.path("pods", "a") + "/status", pod);
       EXPECT_EQ(reply.code, 200) << reply.body;
       EXPECT_EQ(at(reply.body, "/spec/activeDeadlineSeconds"), Json());
       EXPECT_EQ(text_at(reply.body, "/status/phase"), "Running");
       EXPECT_EQ(at(reply.body, "/metadata/generation"), 1);
     }},
    {"update_of_a_pod_leaves_its_status",
     [](Bench& b) {
       Json pod = b.make("pods", "a");
       pod["status"]["phase"] = "Running";
       pod["metadata"]["annotations"]["lips.dev/input"] = "b";
       const Replied reply = b.put(b.path("pods", "a"), pod);
       EXPECT_EQ(reply.code, 200) << reply.body;
       EXPECT_EQ(text_at(reply.body, "/status/phase"), "Pending");
       EXPECT_EQ(text_at(reply.body, "/metadata/annotations/lips.dev~1input"), "b");
     }},
    {"status_update_of_a_node_leaves_its_spec",
     [](Bench& b) {
       Json node = b.make("nodes", "a");
       node["spec"]["unschedulable"] = true;
       node["status"]["conditions"] = Json::array({some_condition});
       const Json reply = b.put(b.path("nodes", "a") + "/status", node).body;
       EXPECT_EQ(at(reply, "/spec/unschedulable"), Json());
       EXPECT_EQ(text_at(reply, "/status/conditions/0/status"), "True");
     }},
    {"update_counts_generations_of_the_spec",
     [](Bench& b) {
       b.make("pools", "a");
       for (int weight = 3; weight < 6; ++weight) {
         const Json pool = changed_to(b.read(b.path("pools", "a")), {{"spec", {{"weight", weight}}}});
         EXPECT_EQ(at(b.put(b.path("pools", "a"), pool).body, "/metadata/generation"), weight - 1);
       }
       const Json labelled = changed_to(b.read(b.path("pools", "a")), label("k", "v"));
       EXPECT_EQ(at(b.put(b.path("pools", "a"), labelled).body, "/metadata/generation"), 4);
     }},
    {"update_ignores_the_generation_that_it_is_given",
     [](Bench& b) {
       Json pool = b.make("pools", "a");
       pool["metadata"]["generation"] = 9;
       const Json labelled = changed_to(pool, label("k", "v"));
       EXPECT_EQ(at(b.put(b.path("pools", "a"), labelled).body, "/metadata/generation"), 1);
     }},
    {"update_may_not_revive_what_is_deleted",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", {{"metadata", {{"finalizers", Json::array({"lips.dev/kept"})}}}});
       b.remove(b.path("configmaps", "a"));
       Json wanted = without(without(made, "resourceVersion"), "deletionTimestamp");
       wanted["data"]["key"] = "late";
       const Replied reply = b.put(b.path("configmaps", "a"), wanted);
       EXPECT_EQ(reply.code, 200) << reply.body;
       EXPECT_NE(text_at(reply.body, "/metadata/deletionTimestamp"), "");
       EXPECT_EQ(text_at(reply.body, "/data/key"), "late");
     }},
    {"update_hands_a_lease_over",
     [](Bench& b) {
       const Json first = b.make("leases", "a");
       const Json taken = changed_to(first, {{"spec", {{"holderIdentity", "two"}, {"leaseTransitions", 1}}}});
       EXPECT_EQ(b.put(b.path("leases", "a"), taken).code, 200);
       expect_refusal(b.put(b.path("leases", "a"), changed_to(first, {{"spec", {{"holderIdentity", "three"}}}})), 409,
                      "Conflict");
       EXPECT_EQ(text_at(b.read(b.path("leases", "a")), "/spec/holderIdentity"), "two");
     }},
};

}  // namespace

std::span<const Check> checks_of_updates() { return table_of_updates; }

}  // namespace lips::virtual_cluster
