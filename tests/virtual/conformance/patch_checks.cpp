#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using kubernetes::strategic_merge_patch;

Json condition(const char* type, const char* status) { return {{"type", type}, {"status", status}}; }
Json conditions(const Json& list) { return {{"status", {{"conditions", list}}}}; }
Json gates(const Json& list) { return {{"spec", {{"schedulingGates", list}}}}; }
Json finalizers(const Json& list) { return {{"metadata", {{"finalizers", list}}}}; }
Json list_of(const Json& a) { return Json::array({a}); }
Json list_of(const Json& a, const Json& b) { return Json::array({a, b}); }
Json operation(const char* op, const char* path, const Json& value) {
  return {{"op", op}, {"path", path}, {"value", value}};
}

constexpr Check table_of_patches[] = {
    {"merge_patch_adds_replaces_and_removes",
     [](Bench& b) {
       b.make("configmaps", "a", {{"data", {{"gone", "x"}, {"kept", "y"}}}});
       const Json patched =
           b.patched(b.path("configmaps", "a"), {{"data", {{"gone", nullptr}, {"key", "new"}, {"more", "z"}}}});
       EXPECT_EQ(at(patched, "/data"), (Json{{"kept", "y"}, {"key", "new"}, {"more", "z"}}));
     }},
    {"merge_patch_replaces_lists",
     [](Bench& b) {
       b.make("pools", "a", {{"spec", {{"namespaces", {"x", "y"}}}}});
       const Json patched = b.patched(b.path("pools", "a"), {{"spec", {{"namespaces", {"z"}}}}});
       EXPECT_EQ(at(patched, "/spec/namespaces"), list_of("z"));
     }},
    {"merge_patch_replaces_conditions",
     [](Bench& b) {
       const std::string path = b.path("datasets", "a") + "/status";
       b.make("datasets", "a");
       b.patched(path, conditions(list_of(condition("Ready", "False"), condition("Whole", "True"))));
       const Json patched = b.patched(path, conditions(list_of(condition("Ready", "True"))));
       EXPECT_EQ(at(patched, "/status/conditions"), list_of(condition("Ready", "True")));
     }},
    {"merge_patch_of_the_newest_version_holds",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       Json patch = label("k", "v");
       patch["metadata"]["resourceVersion"] = made["metadata"]["resourceVersion"];
       EXPECT_EQ(b.patch(b.path("configmaps", "a"), patch).code, 200);
       patch["metadata"]["labels"]["k"] = "w";
       expect_refusal(b.patch(b.path("configmaps", "a"), patch), 409, "Conflict", "the object has been modified");
     }},
    {"merge_patch_of_a_custom_resource_holds_for_a_version",
     [](Bench& b) {
       const Json made = b.make("datasets", "a");
       Json patch{{"metadata", {{"resourceVersion", made["metadata"]["resourceVersion"]}}}, {"status", {{"size", 1}}}};
       EXPECT_EQ(b.patch(b.path("datasets", "a") + "/status", patch).code, 200);
       patch["status"]["size"] = 2;
       expect_refusal(b.patch(b.path("datasets", "a") + "/status", patch), 409, "Conflict");
     }},
    {"merge_patch_of_another_uid_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       Json patch = label("k", "v");
       patch["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555";
       expect_refusal(b.patch(b.path("configmaps", "a"), patch), 422, "Invalid", "metadata.uid: Invalid value");
     }},
    {"merge_patch_of_the_status_of_a_custom_resource_is_for_any_uid",
     [](Bench& b) {
       b.make("datasets", "a");
       const Json patch{{"metadata", {{"uid", "11111111-2222-4333-8444-555555555555"}}}, {"status", {{"size", 1}}}};
       EXPECT_EQ(at(b.patched(b.path("datasets", "a") + "/status", patch), "/status/size"), 1);
     }},
    {"merge_patch_of_the_status_of_a_custom_resource_made_anew_is_refused_by_its_version",
     [](Bench& b) {
       const Json first = b.make("datasets", "a");
       const Json patch{
           {"metadata", {{"uid", uid_of(first)}, {"resourceVersion", first["metadata"]["resourceVersion"]}}},
           {"status", {{"size", 1}}}};
       EXPECT_EQ(b.remove(b.path("datasets", "a"), Json::object()).code, 200);
       b.make("datasets", "a");
       expect_refusal(b.patch(b.path("datasets", "a") + "/status", patch), 409, "Conflict");
     }},
    {"merge_patch_of_the_name_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       EXPECT_EQ(b.patch(b.path("configmaps", "a"), {{"metadata", {{"name", "b"}}}}).code, 400);
     }},
    {"merge_patch_leaves_what_the_server_has_filled",
     [](Bench& b) {
       const Json made = b.make("pools", "a");
       const Json patched =
           b.patched(b.path("pools", "a"), {{"metadata", {{"generation", 9}, {"labels", {{"k", "v"}}}}}});
       EXPECT_EQ(at(patched, "/metadata/generation"), 1);
       EXPECT_EQ(at(patched, "/metadata/creationTimestamp"), at(made, "/metadata/creationTimestamp"));
     }},
    {"merge_patch_that_is_no_object_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       EXPECT_EQ(b.patch(b.path("configmaps", "a"), Json::array()).code, 400);
       EXPECT_EQ(b.ask("PATCH", b.path("configmaps", "a"), "{\"data\":", kubernetes::merge_patch).code, 400);
     }},
    {"merge_patch_to_other_types_of_metadata_is_refused",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       for (const Json& patch : {Json{{"metadata", 5}}, Json{{"metadata", {{"labels", 5}}}}, label("k", 5)})
         expect_refusal(b.patch(b.path("configmaps", "a"), patch), 422, "Invalid");
       EXPECT_EQ(b.patch(b.path("configmaps", "a"), {{"metadata", nullptr}}).code, 400);
       EXPECT_EQ(b.patch(b.path("configmaps", "a"), 5).code, 400);
       EXPECT_EQ(b.read(b.path("configmaps", "a")), made);
     }},
    {"strategic_patch_of_no_element_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       expect_refusal(b.patch(b.path("configmaps", "a"), {{"metadata", {{"ownerReferences", Json::array({5})}}}},
                              strategic_merge_patch),
                      422, "Invalid");
     }},
    {"strategic_patch_of_the_status_of_another_pod_is_refused",
     [](Bench& b) {
       b.make("pods", "a");
       Json patch = conditions(list_of(condition("One", "False")));
       patch["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555";
       expect_refusal(b.patch(b.path("pods", "a") + "/status", patch, strategic_merge_patch), 422, "Invalid",
                      "metadata.uid: Invalid value");
     }},
    {"merge_patch_of_the_spec_is_a_generation",
     [](Bench& b) {
       b.make("datasets", "a");
       EXPECT_EQ(at(b.patched(b.path("datasets", "a"), {{"spec", {{"blocks", 3}}}}), "/metadata/generation"), 2);
       EXPECT_EQ(at(b.patched(b.path("datasets", "a"), {{"spec", {{"blocks", 3}}}}), "/metadata/generation"), 2);
       b.make("jobs", "a");
       EXPECT_EQ(at(b.patched(b.path("jobs", "a"), {{"spec", {{"suspend", true}}}}), "/metadata/generation"), 2);
     }},
    {"merge_patch_of_an_object_leaves_its_status",
     [](Bench& b) {
       b.make("datasets", "a");
       const Json patched = b.patched(b.path("datasets", "a"), {{"spec", {{"blocks", 3}}}, {"status", {{"size", 1}}}});
       EXPECT_EQ(at(patched, "/status"), Json());
       EXPECT_EQ(at(patched, "/spec/blocks"), 3);
       b.make("pods", "a");
       const Json pod = b.patched(b.path("pods", "a"), {{"status", {{"phase", "Running"}}}});
       EXPECT_EQ(text_at(pod, "/status/phase"), "Pending");
     }},
    {"merge_patch_of_a_status_leaves_the_rest",
     [](Bench& b) {
       b.make("datasets", "a");
       const Json patched =
           b.patched(b.path("datasets", "a") + "/status",
                     {{"metadata", {{"labels", {{"k", "v"}}}}}, {"spec", {{"blocks", 3}}}, {"status", {{"size", 1}}}});
       EXPECT_EQ(at(patched, "/spec/blocks"), 2);
       EXPECT_EQ(at(patched, "/metadata/labels"), Json());
       EXPECT_EQ(at(patched, "/metadata/generation"), 1);
       EXPECT_EQ(at(patched, "/status/size"), 1);
     }},
    {"merge_patch_of_the_status_of_a_pod_leaves_its_spec",
     [](Bench& b) {
       b.make("pods", "a");
       const Json patched = b.patched(b.path("pods", "a") + "/status",
                                      {{"spec", {{"activeDeadlineSeconds", 7}}}, {"status", {{"phase", "Running"}}}});
       EXPECT_EQ(at(patched, "/spec/activeDeadlineSeconds"), Json());
       EXPECT_EQ(text_at(patched, "/status/phase"), "Running");
     }},
    {"merge_patch_of_no_status_is_not_found",
     [](Bench& b) {
       b.make("configmaps", "a");
       EXPECT_EQ(b.patch(b.path("configmaps", "a") + "/status", label("k", "v")).code, 404);
       EXPECT_EQ(b.patch(b.path("datasets", "none") + "/status", {{"status", {{"size", 1}}}}).code, 404);
     }},
    {"merge_patch_of_a_collection_is_no_verb",
     [](Bench& b) { expect_refusal(b.patch(b.path("configmaps"), label("k", "v")), 405, "MethodNotAllowed"); }},
    {"patch_of_an_unknown_content_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       expect_refusal(b.patch(b.path("configmaps", "a"), label("k", "v"), kubernetes::json_content), 415,
                      "UnsupportedMediaType");
     }},
    {"strategic_patch_merges_conditions_by_type",
     [](Bench& b) {
       const std::string path = b.path("pods", "a") + "/status";
       b.make("pods", "a");
       b.patched(path, conditions(list_of(condition("One", "False"), condition("Two", "False"))),
                 strategic_merge_patch);
       const Json patched = b.patched(path, conditions(list_of(condition("Two", "True"))), strategic_merge_patch);
       std::map<std::string, std::string> found;
       for (const Json& each : at(patched, "/status/conditions"))
         found[text_at(each, "/type")] = text_at(each, "/status");
       EXPECT_EQ(found, (std::map<std::string, std::string>{{"One", "False"}, {"Two", "True"}}));
     }},
    {"strategic_patch_deletes_a_gate",
     [](Bench& b) {
       b.make("pods", "a", gates(list_of({{"name", "lips.dev/zone"}}, {{"name", "other.dev/gate"}})));
       const Json patched =
           b.patched(b.path("pods", "a"), gates(list_of({{"$patch", "delete"}, {"name", "lips.dev/zone"}})),
                     strategic_merge_patch);
       EXPECT_EQ(at(patched, "/spec/schedulingGates"), list_of({{"name", "other.dev/gate"}}));
       EXPECT_EQ(at(patched, "/metadata/generation"), 2);
     }},
    {"strategic_patch_deletes_the_last_gate",
     [](Bench& b) {
       b.make("pods", "a", gates(list_of({{"name", "lips.dev/zone"}})));
       const Json patched =
           b.patched(b.path("pods", "a"), gates(list_of({{"$patch", "delete"}, {"name", "lips.dev/zone"}})),
                     strategic_merge_patch);
       EXPECT_EQ(at(patched, "/spec/schedulingGates"), Json());
     }},
    {"strategic_patch_deletes_a_gate_that_is_gone",
     [](Bench& b) {
       const Json made = b.make("pods", "a", gates(list_of({{"name", "other.dev/gate"}})));
       const Json patched =
           b.patched(b.path("pods", "a"), gates(list_of({{"$patch", "delete"}, {"name", "lips.dev/zone"}})),
                     strategic_merge_patch);
       EXPECT_EQ(version_of(patched), version_of(made));
     }},
    {"strategic_patch_narrows_a_gated_pod",
     [](Bench& b) {
       b.make("pods", "a", gates(list_of({{"name", "lips.dev/zone"}})));
       Json patch = gates(list_of({{"$patch", "delete"}, {"name", "lips.dev/zone"}}));
       patch["spec"]["nodeSelector"] = {{"topology.kubernetes.io/zone", "zone-a"}};
       const Json patched = b.patched(b.path("pods", "a"), patch, strategic_merge_patch);
       EXPECT_EQ(text_at(patched, "/spec/nodeSelector/topology.kubernetes.io~1zone"), "zone-a");
     }},
    {"strategic_patch_joins_finalizers",
     [](Bench& b) {
       b.make("configmaps", "a", finalizers(list_of("lips.dev/one")));
       const Json patched =
           b.patched(b.path("configmaps", "a"), finalizers(list_of("lips.dev/two")), strategic_merge_patch);
       EXPECT_THAT(at(patched, "/metadata/finalizers"), testing::UnorderedElementsAre("lips.dev/one", "lips.dev/two"));
     }},
    {"strategic_patch_deletes_from_a_list_of_words",
     [](Bench& b) {
       b.make("configmaps", "a", finalizers(list_of("lips.dev/one", "lips.dev/two")));
       const Json patched = b.patched(b.path("configmaps", "a"),
                                      {{"metadata", {{"$deleteFromPrimitiveList/finalizers", {"lips.dev/one"}}}}},
                                      strategic_merge_patch);
       EXPECT_EQ(at(patched, "/metadata/finalizers"), list_of("lips.dev/two"));
     }},
    {"strategic_patch_merges_owners_by_uid",
     [](Bench& b) {
       const Json owner{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}, {"uid", "u"}};
       b.make("configmaps", "a", {{"metadata", {{"ownerReferences", list_of(owner)}}}});
       Json other = owner;
       other["uid"] = "w";
       const Json patched = b.patched(b.path("configmaps", "a"), {{"metadata", {{"ownerReferences", list_of(other)}}}},
                                      strategic_merge_patch);
       EXPECT_EQ(at(patched, "/metadata/ownerReferences").size(), 2U);
     }},
    {"strategic_patch_merges_maps",
     [](Bench& b) {
       b.make("configmaps", "a", label("k", "v"));
       const Json patched = b.patched(b.path("configmaps", "a"), label("l", "w"), strategic_merge_patch);
       EXPECT_EQ(at(patched, "/metadata/labels"), (Json{{"k", "v"}, {"l", "w"}}));
       EXPECT_EQ(
           at(b.patched(b.path("configmaps", "a"), label("k", nullptr), strategic_merge_patch), "/metadata/labels"),
           (Json{{"l", "w"}}));
     }},
    {"strategic_patch_replaces_a_map",
     [](Bench& b) {
       b.make("configmaps", "a", {{"data", {{"more", "x"}}}});
       const Json patched = b.patched(b.path("configmaps", "a"), {{"data", {{"$patch", "replace"}, {"only", "y"}}}},
                                      strategic_merge_patch);
       EXPECT_EQ(at(patched, "/data"), (Json{{"only", "y"}}));
     }},
    {"strategic_patch_holds_for_a_version",
     [](Bench& b) {
       const Json made = b.make("pods", "a");
       Json patch = label("k", "v");
       patch["metadata"]["resourceVersion"] = made["metadata"]["resourceVersion"];
       EXPECT_EQ(b.patch(b.path("pods", "a"), patch, strategic_merge_patch).code, 200);
       patch["metadata"]["labels"]["k"] = "w";
       expect_refusal(b.patch(b.path("pods", "a"), patch, strategic_merge_patch), 409, "Conflict");
     }},
    {"strategic_patch_holds_for_a_uid",
     [](Bench& b) {
       const Json made = b.make("pods", "a");
       Json patch = label("k", "v");
       patch["metadata"]["uid"] = uid_of(made);
       EXPECT_EQ(b.patch(b.path("pods", "a"), patch, strategic_merge_patch).code, 200);
       patch["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555";
       expect_refusal(b.patch(b.path("pods", "a"), patch, strategic_merge_patch), 422, "Invalid",
                      "metadata.uid: Invalid value");
     }},
    {"strategic_patch_replaces_taints",
     [](Bench& b) {
       b.make("nodes", "a");
       const auto taint = [](const char* key) { return Json{{"key", key}, {"effect", "NoSchedule"}}; };
       const auto taints = [&](const Json& list) { return Json{{"spec", {{"taints", list}}}}; };
       b.patched(b.path("nodes", "a"), taints(list_of(taint("x.dev/x"), taint("x.dev/y"))), strategic_merge_patch);
       const Json patched = b.patched(b.path("nodes", "a"), taints(list_of(taint("x.dev/z"))), strategic_merge_patch);
       std::set<std::string> keys;
       for (const Json& each : at(patched, "/spec/taints")) keys.insert(text_at(each, "/key"));
       EXPECT_TRUE(keys.contains("x.dev/z"));
       EXPECT_FALSE(keys.contains("x.dev/x"));
     }},
    {"json_patch_adds_replaces_and_removes",
     [](Bench& b) {
       b.make("configmaps", "a", {{"data", {{"gone", "x"}}}});
       const Json patched = b.patched(b.path("configmaps", "a"),
                                      Json::array({operation("add", "/data/more", "y"),
                                                   operation("replace", "/data/key", "z"),
                                                   {{"op", "remove"}, {"path", "/data/gone"}}}),
                                      json_patch_content);
       EXPECT_EQ(at(patched, "/data"), (Json{{"more", "y"}, {"key", "z"}}));
     }},
    {"json_patch_tests_what_it_replaces",
     [](Bench& b) {
       b.make("configmaps", "a");
       const Json patched =
           b.patched(b.path("configmaps", "a"),
                     list_of(operation("test", "/data/key", "value"), operation("replace", "/data/key", "z")),
                     json_patch_content);
       EXPECT_EQ(text_at(patched, "/data/key"), "z");
     }},
    {"json_patch_whose_test_fails_changes_nothing",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       expect_refusal(b.patch(b.path("configmaps", "a"),
                              list_of(operation("replace", "/data/key", "z"), operation("test", "/data/key", "value")),
                              json_patch_content),
                      422, "Invalid");
       EXPECT_EQ(b.read(b.path("configmaps", "a")), made);
     }},
    {"json_patch_tests_the_version",
     [](Bench& b) {
       const Json made = b.make("datasets", "a");
       const Json patch = list_of(operation("test", "/metadata/resourceVersion", made["metadata"]["resourceVersion"]),
                                  operation("replace", "/spec/blocks", 3));
       EXPECT_EQ(b.patch(b.path("datasets", "a"), patch, json_patch_content).code, 200);
       expect_refusal(b.patch(b.path("datasets", "a"), patch, json_patch_content), 422, "Invalid");
     }},
    {"json_patch_of_a_place_that_is_missing_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       EXPECT_EQ(
           b.patch(b.path("configmaps", "a"), list_of({{"op", "remove"}, {"path", "/data/none"}}), json_patch_content)
               .code,
           422);
       EXPECT_EQ(
           b.patch(b.path("configmaps", "a"), list_of(operation("add", "/none/below", "x")), json_patch_content).code,
           422);
     }},
    {"json_patch_that_is_no_list_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       expect_refusal(b.patch(b.path("configmaps", "a"), label("k", "v"), json_patch_content), 400, "BadRequest");
       expect_refusal(b.patch(b.path("configmaps", "a"), Json::array({5}), json_patch_content), 400, "BadRequest");
     }},
    {"json_patch_of_an_unknown_operation_is_refused",
     [](Bench& b) {
       b.make("configmaps", "a");
       expect_refusal(
           b.patch(b.path("configmaps", "a"), Json::array({operation("dance", "/data", "x")}), json_patch_content), 422,
           "Invalid");
     }},
    {"json_patch_of_a_status_leaves_the_rest",
     [](Bench& b) {
       b.make("datasets", "a");
       const Json patched =
           b.patched(b.path("datasets", "a") + "/status",
                     list_of(operation("add", "/status", {{"size", 1}}), operation("replace", "/spec/blocks", 7)),
                     json_patch_content);
       EXPECT_EQ(at(patched, "/status/size"), 1);
       EXPECT_EQ(at(patched, "/spec/blocks"), 2);
     }},
};

}  // namespace

std::span<const Check> checks_of_patches() { return table_of_patches; }

}  // namespace lips::virtual_cluster
