#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::Contains;

std::vector<std::string> resource_names(const Json& list) {
  std::vector<std::string> names;
  for (const Json& each : at(list, "/resources")) names.push_back(text_at(each, "/name"));
  return names;
}

constexpr Check table_of_discovery[] = {
    {"discovery_names_binding_and_eviction",
     [](Bench& b) {
       const std::vector<std::string> names = resource_names(b.read("/api/v1"));
       EXPECT_THAT(names, Contains("pods/binding"));
       EXPECT_THAT(names, Contains("pods/eviction"));
       EXPECT_THAT(names, testing::Not(Contains("configmaps/status")));
     }},
    {"discovery_names_the_versions_of_a_group",
     [](Bench& b) {
       const Json group = b.read("/apis/batch");
       EXPECT_EQ(text_at(group, "/kind"), "APIGroup");
       EXPECT_EQ(text_at(group, "/name"), "batch");
       EXPECT_THAT(at(group, "/versions"), Contains(Json{{"groupVersion", "batch/v1"}, {"version", "v1"}}));
       EXPECT_EQ(b.get("/apis/no.such.group").code, 404);
     }},
    {"discovery_of_an_unknown_group_is_not_found",
     [](Bench& b) {
       EXPECT_EQ(b.get("/apis/no.such.group/v1").code, 404);
       EXPECT_EQ(b.get("/apis/lips.dev/v9").code, 404);
       EXPECT_EQ(b.get("/api/v9").code, 404);
     }},
    {"discovery_of_a_group_that_is_not_installed_is_not_found",
     [](Bench& b) { EXPECT_EQ(b.get("/apis/jobset.x-k8s.io/v1alpha2").code, 404); }},
    {"discovery_says_what_can_be_done",
     [](Bench& b) {
       for (const Json& each : at(b.read("/apis/batch/v1"), "/resources")) {
         if (text_at(each, "/name") != "jobs") continue;
         for (const char* verb : {"create", "delete", "get", "list", "patch", "update", "watch"})
           EXPECT_THAT(at(each, "/verbs"), Contains(verb));
         EXPECT_EQ(text_at(each, "/singularName"), "job");
       }
     }},
    {"path_of_nothing_is_not_found",
     [](Bench& b) {
       EXPECT_EQ(b.get("/nothing").code, 404);
       EXPECT_EQ(b.get("/api/v1/things").code, 404);
       EXPECT_EQ(b.get(b.path("pods", "a") + "/status/more").code, 404);
     }},
    {"path_of_a_kind_is_in_a_namespace_or_in_none",
     [](Bench& b) {
       b.make("pods", "a"), b.make("nodes", "a");
       EXPECT_EQ(b.get("/api/v1/pods/a").code, 404);
       EXPECT_EQ(b.get("/api/v1/namespaces/" + b.name_space() + "/nodes").code, 404);
       EXPECT_EQ(b.get("/apis/lips.dev/v1alpha1/namespaces/" + b.name_space() + "/pools").code, 404);
     }},
    {"path_may_be_escaped",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a.b");
       EXPECT_EQ(b.read(b.path("configmaps") + "/a%2Eb"), made);
     }},
};

}  // namespace

std::span<const Check> checks_of_discovery() { return table_of_discovery; }

}  // namespace lips::virtual_cluster
