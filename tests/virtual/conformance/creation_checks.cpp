#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::MatchesRegex;
using testing::StartsWith;

Json with(Json object, const Json& more) {
  object.merge_patch(more);
  return object;
}

// A creation of a ConfigMap with these changes is refused as invalid.
void expect_invalid_map(Bench& b, const Json& more, const std::string& words) {
  expect_refusal(b.post(b.path("configmaps"), with(b.object("configmaps", "a"), more)), 422, "Invalid", words);
}

constexpr Check table_of_creation[] = {
    {"creation_numbers_versions_upwards",
     [](Bench& b) {
       const Json first = b.make("configmaps", "a"), second = b.make("secrets", "a"), third = b.make("pods", "a");
       EXPECT_LT(version_of(first), version_of(second));
       EXPECT_LT(version_of(second), version_of(third));
     }},
    {"creation_gives_a_uid_of_its_own",
     [](Bench& b) {
       const Json given{{"metadata", {{"uid", "11111111-2222-4333-8444-555555555555"}}}};
       const Json first = b.make("configmaps", "a", given), second = b.make("configmaps", "b", given);
       EXPECT_NE(uid_of(first), uid_of(second));
       EXPECT_NE(uid_of(first), given["metadata"]["uid"]);
     }},
    {"creation_ignores_the_times_that_it_is_given",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a",
                                {{"metadata",
                                  {{"creationTimestamp", "2001-01-01T00:00:00Z"},
                                   {"deletionTimestamp", "2001-01-01T00:00:00Z"},
                                   {"deletionGracePeriodSeconds", 5}}}});
       EXPECT_LE(std::abs(b.server().now() - seconds_at(made, "/metadata/creationTimestamp")), 2);
       EXPECT_EQ(at(made, "/metadata/deletionTimestamp"), Json());
       EXPECT_EQ(at(made, "/metadata/deletionGracePeriodSeconds"), Json());
     }},
    {"creation_ignores_the_generation_that_it_is_given",
     [](Bench& b) {
       EXPECT_EQ(at(b.make("pools", "a", {{"metadata", {{"generation", 7}}}}), "/metadata/generation"), 1);
       EXPECT_EQ(at(b.make("jobs", "a", {{"metadata", {{"generation", 7}}}}), "/metadata/generation"), 1);
     }},
    {"creation_refuses_a_version",
     [](Bench& b) {
       const Json body = with(b.object("configmaps", "a"), {{"metadata", {{"resourceVersion", "7"}}}});
       const Replied reply = b.post(b.path("configmaps"), body);
       EXPECT_EQ(reply.code, 500) << reply.body;
       EXPECT_EQ(text_at(reply.body, "/message"), "resourceVersion should not be set on objects to be created");
     }},
    {"creation_keeps_labels_annotations_owners_and_finalizers",
     [](Bench& b) {
       const Json owner{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}, {"uid", "u"}, {"controller", true}};
       const Json metadata{{"labels", {{"k", "v"}}},
                           {"annotations", {{"lips.dev/a", "b"}}},
                           {"ownerReferences", Json::array({owner})},
                           {"finalizers", Json::array({"lips.dev/kept"})}};
       const Json made = b.make("configmaps", "a", {{"metadata", metadata}});
       for (const auto& [key, value] : metadata.items()) EXPECT_EQ(made["metadata"][key], value);
     }},
    {"creation_chooses_a_name",
     [](Bench& b) {
       const Json body = with(b.object("configmaps", "a"), {{"metadata", {{"name", nullptr}, {"generateName", "g-"}}}});
       const Replied first = b.post(b.path("configmaps"), body), second = b.post(b.path("configmaps"), body);
       EXPECT_EQ(first.code, 201) << first.body;
       EXPECT_THAT(text_at(first.body, "/metadata/name"), MatchesRegex("g-[a-z0-9]{5}"));
       EXPECT_EQ(text_at(first.body, "/metadata/generateName"), "g-");
       EXPECT_NE(text_at(first.body, "/metadata/name"), text_at(second.body, "/metadata/name"));
       EXPECT_EQ(b.get(b.path("configmaps", text_at(first.body, "/metadata/name"))).code, 200);
     }},
    {"creation_takes_a_name_before_the_beginning_of_one",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", {{"metadata", {{"generateName", "g-"}}}});
       EXPECT_EQ(text_at(made, "/metadata/name"), "a");
     }},
    {"creation_needs_a_name",
     [](Bench& b) {
       expect_invalid_map(b, {{"metadata", {{"name", nullptr}}}}, "name or generateName is required");
     }},
    {"creation_of_a_custom_resource_needs_a_name",
     [](Bench& b) {
       const Json body = with(b.object("datasets", "a"), {{"metadata", {{"name", nullptr}}}});
       expect_refusal(b.post(b.path("datasets"), body), 422, "Invalid", "name or generateName is required");
     }},
    {"creation_refuses_capitals_in_names",
     [](Bench& b) {
       expect_invalid_map(b, {{"metadata", {{"name", "Capital"}}}}, "metadata.name: Invalid value");
     }},
    {"creation_refuses_underscores_in_names",
     [](Bench& b) {
       expect_invalid_map(b, {{"metadata", {{"name", "a_b"}}}}, "metadata.name: Invalid value");
     }},
    {"creation_refuses_names_that_end_in_a_hyphen",
     [](Bench& b) {
       expect_invalid_map(b, {{"metadata", {{"name", "a-"}}}}, "metadata.name: Invalid value");
     }},
    {"creation_refuses_names_that_are_too_long",
     [](Bench& b) {
       expect_invalid_map(b, {{"metadata", {{"name", std::string(254, 'a')}}}}, "metadata.name: Invalid value");
       EXPECT_EQ(b.post(b.path("configmaps"),
                        with(b.object("configmaps", "a"), {{"metadata", {{"name", std::string(253, 'a')}}}}))
                     .code,
                 201);
     }},
    {"creation_takes_dots_in_names",
     [](Bench& b) { EXPECT_EQ(text_at(b.make("configmaps", "a.b-c.1"), "/metadata/name"), "a.b-c.1"); }},
    {"creation_refuses_bad_names_of_custom_resources",
     [](Bench& b) {
       const Json body = with(b.object("pools", "a"), {{"metadata", {{"name", "A_b"}}}});
       expect_refusal(b.post(b.path("pools"), body), 422, "Invalid", "metadata.name: Invalid value");
     }},
    {"creation_refuses_bad_names_of_labels",
     [](Bench& b) { expect_invalid_map(b, label("not a name", "v"), "metadata.labels: Invalid value"); }},
    {"creation_refuses_bad_values_of_labels",
     [](Bench& b) { expect_invalid_map(b, label("k", "not a value"), "metadata.labels: Invalid value"); }},
    {"creation_refuses_values_of_labels_that_are_too_long",
     [](Bench& b) { expect_invalid_map(b, label("k", std::string(64, 'a')), "metadata.labels: Invalid value"); }},
    {"creation_refuses_another_namespace",
     [](Bench& b) {
       const Json body = with(b.object("configmaps", "a"), {{"metadata", {{"namespace", "other"}}}});
       expect_refusal(b.post(b.path("configmaps"), body), 400, "BadRequest",
                      "the namespace of the provided object does not match the namespace sent on the request");
     }},
    {"creation_takes_the_namespace_of_the_path",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", {{"metadata", {{"namespace", b.name_space()}}}});
       EXPECT_EQ(text_at(made, "/metadata/namespace"), b.name_space());
     }},
    {"creation_refuses_what_is_no_json",
     [](Bench& b) { expect_refusal(b.ask("POST", b.path("configmaps"), "{\"metadata\":"), 400, "BadRequest"); }},
    {"creation_refuses_other_types_of_metadata",
     [](Bench& b) {
       for (const char* body :
            {R"({"metadata":5})", R"({"metadata":{"name":5}})", R"({"metadata":{"name":"a","labels":5}})",
             R"({"metadata":{"name":"a","labels":{"k":5}}})", R"({"metadata":{"name":"a","finalizers":"x"}})", "[]",
             "5"})
         expect_refusal(b.ask("POST", b.path("configmaps"), body), 400, "BadRequest");
     }},
    {"creation_refuses_an_empty_body", [](Bench& b) { EXPECT_EQ(b.ask("POST", b.path("configmaps"), "").code, 400); }},
    {"creation_of_a_custom_resource_needs_its_kind",
     [](Bench& b) {
       expect_refusal(b.post(b.path("datasets"), with(b.object("datasets", "a"), {{"kind", nullptr}})), 400,
                      "BadRequest");
     }},
    {"creation_refuses_another_kind",
     [](Bench& b) {
       expect_refusal(b.post(b.path("configmaps"), with(b.object("configmaps", "a"), {{"kind", "Secret"}})), 400,
                      "BadRequest");
       expect_refusal(b.post(b.path("datasets"), with(b.object("datasets", "a"), {{"kind", "Pool"}})), 422, "Invalid",
                      "must be DataSet");
     }},
    {"creation_fills_the_kind_of_a_builtin",
     [](Bench& b) {
       const Json body = with(b.object("configmaps", "a"), {{"kind", nullptr}, {"apiVersion", nullptr}});
       const Replied reply = b.post(b.path("configmaps"), body);
       EXPECT_EQ(reply.code, 201);
       EXPECT_EQ(text_at(reply.body, "/kind"), "ConfigMap");
       EXPECT_EQ(text_at(reply.body, "/apiVersion"), "v1");
     }},
    {"creation_at_a_name_is_no_verb",
     [](Bench& b) {
       expect_refusal(b.post(b.path("configmaps", "a"), b.object("configmaps", "a")), 405, "MethodNotAllowed");
     }},
    {"creation_in_all_namespaces_is_no_verb",
     [](Bench& b) {
       expect_refusal(b.post("/api/v1/configmaps", b.object("configmaps", "a")), 405, "MethodNotAllowed");
     }},
    {"creation_ignores_the_status_of_a_custom_resource",
     [](Bench& b) {
       EXPECT_EQ(at(b.make("datasets", "a", {{"status", {{"blocks", 7}}}}), "/status"), Json());
       EXPECT_EQ(at(b.make("pools", "a", {{"status", {{"running", 7}}}}), "/status"), Json());
     }},
    {"creation_begins_a_pod_as_pending",
     [](Bench& b) {
       const Json made = b.make("pods", "a", {{"status", {{"phase", "Running"}, {"podIP", "10.0.0.1"}}}});
       EXPECT_EQ(text_at(made, "/status/phase"), "Pending");
       EXPECT_EQ(at(made, "/status/podIP"), Json());
     }},
    {"creation_ignores_the_status_of_a_job",
     [](Bench& b) {
       EXPECT_EQ(at(b.make("jobs", "a", {{"status", {{"succeeded", 7}}}}), "/status/succeeded"), Json());
     }},
    {"creation_keeps_the_status_of_a_node",
     [](Bench& b) {
       const Json made = b.make("nodes", "a", {{"status", {{"allocatable", {{"cpu", "4"}}}}}});
       EXPECT_EQ(text_at(made, "/status/allocatable/cpu"), "4");
     }},
    {"creation_fills_the_requests_of_nothing_else",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", {{"data", {{"x", "1"}, {"y", ""}}}});
       EXPECT_EQ(at(made, "/data"), (Json{{"key", "value"}, {"x", "1"}, {"y", ""}}));
     }},
    {"creation_of_an_unknown_kind_is_not_found",
     [](Bench& b) {
       EXPECT_EQ(b.post("/apis/lips.dev/v1alpha1/things", b.object("pools", "a")).code, 404);
       EXPECT_EQ(b.post("/apis/no.such.group/v1/things", b.object("pools", "a")).code, 404);
       EXPECT_EQ(b.get("/api/v1/namespaces/" + b.name_space() + "/things/a").code, 404);
     }},
    {"creation_of_an_unknown_part_is_not_found",
     [](Bench& b) {
       b.make("pods", "a");
       EXPECT_EQ(b.post(b.path("pods", "a") + "/thing", Json::object()).code, 404);
       EXPECT_EQ(b.get(b.path("configmaps", "a") + "/thing").code, 404);
     }},
    {"creation_keeps_the_microseconds_of_leases_and_events",
     [](Bench& b) {
       const Json spec{{"renewTime", "2026-01-02T03:04:05.678901Z"}, {"acquireTime", "2026-01-02T03:04:05.000000Z"}};
       const Json lease = b.make("leases", "a", {{"spec", spec}});
       EXPECT_EQ(text_at(lease, "/spec/renewTime"), spec["renewTime"]);
       EXPECT_EQ(text_at(lease, "/spec/acquireTime"), spec["acquireTime"]);
       EXPECT_EQ(text_at(b.make("events", "a"), "/eventTime"), "2026-01-02T03:04:05.678901Z");
     }},
};

}  // namespace

std::span<const Check> checks_of_creation() { return table_of_creation; }

}  // namespace lips::virtual_cluster
