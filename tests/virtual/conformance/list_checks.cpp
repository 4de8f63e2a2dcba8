#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

void make_maps(Bench& b, const std::vector<std::string>& names) {
  for (const std::string& name : names) b.make("configmaps", name);
}

void make_labelled(Bench& b) {
  b.make("configmaps", "a", label("color", "red"));
  b.make("configmaps", "b", label("color", "blue"));
  b.make("configmaps", "c", label("shape", "round"));
  b.make("configmaps", "d");
}

std::vector<std::string> selected(Bench& b, const std::string& selector) {
  return b.names_of_list(b.path("configmaps") + "?labelSelector=" + kubernetes::percent_encoded(selector));
}

std::vector<std::string> pods_with(Bench& b, const std::string& selector) {
  return b.names_of_list(b.path("pods") + "?fieldSelector=" + kubernetes::percent_encoded(selector));
}

std::string next_of(const Json& list) { return text_at(list, "/metadata/continue"); }

std::vector<std::string> names_in(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : at(list, "/items")) names.push_back(text_at(item, "/metadata/name"));
  return names;
}

constexpr Check table_of_lists[] = {
    {"list_is_in_the_order_of_names",
     [](Bench& b) {
       make_maps(b, {"b", "c", "a"});
       EXPECT_THAT(b.names_of_list(b.path("configmaps")), ElementsAre("a", "b", "c"));
     }},
    {"list_of_all_namespaces_has_those_of_each",
     [](Bench& b) {
       Bench other(b.server());
       b.make("configmaps", "a", label("of", b.name_space()));
       other.make("configmaps", "b", label("of", b.name_space()));
       const std::string all = "/api/v1/configmaps?labelSelector=of%3D" + b.name_space();
       EXPECT_THAT(b.names_of_list(all), ElementsAre("a", "b"));
       EXPECT_THAT(b.names_of_list(b.path("configmaps")), ElementsAre("a"));
       EXPECT_EQ(b.get(b.path("configmaps", "b")).code, 404);
     }},
    {"list_of_a_namespace_without_objects_is_empty",
     [](Bench& b) {
       const Json list = b.read("/api/v1/namespaces/none-" + b.name_space() + "/configmaps");
       EXPECT_EQ(at(list, "/items"), Json::array());
     }},
    {"list_has_the_newest_version",
     [](Bench& b) {
       const std::uint64_t before = version_of(b.read(b.path("configmaps")));
       const Json made = b.make("configmaps", "a");
       const Json list = b.read(b.path("configmaps"));
       EXPECT_GT(version_of(list), before);
       EXPECT_GE(version_of(list), version_of(made));
       EXPECT_LE(version_of(made), version_of(b.read(b.path("configmaps"))));
     }},
    {"pages_cut_a_list",
     [](Bench& b) {
       make_maps(b, {"a", "b", "c", "d", "e"});
       const std::string path = b.path("configmaps") + "?limit=2";
       const Json first = b.read(path);
       EXPECT_THAT(names_in(first), ElementsAre("a", "b"));
       EXPECT_EQ(at(first, "/metadata/remainingItemCount"), 3);
       const Json second = b.read(path + "&continue=" + next_of(first));
       EXPECT_THAT(names_in(second), ElementsAre("c", "d"));
       EXPECT_EQ(at(second, "/metadata/remainingItemCount"), 1);
       const Json third = b.read(path + "&continue=" + next_of(second));
       EXPECT_THAT(names_in(third), ElementsAre("e"));
       EXPECT_EQ(next_of(third), "");
       EXPECT_EQ(at(third, "/metadata/remainingItemCount"), Json());
       EXPECT_EQ(version_of(third), version_of(first));
     }},
    {"pages_end_where_the_list_ends",
     [](Bench& b) {
       make_maps(b, {"a", "b"});
       EXPECT_EQ(next_of(b.read(b.path("configmaps") + "?limit=2")), "");
       EXPECT_EQ(next_of(b.read(b.path("configmaps") + "?limit=3")), "");
       EXPECT_THAT(b.names_of_list(b.path("configmaps") + "?limit=0"), ElementsAre("a", "b"));
     }},
    {"pages_are_of_one_moment",
     [](Bench& b) {
       make_maps(b, {"a", "b", "c"});
       const Json first = b.read(b.path("configmaps") + "?limit=1");
       make_maps(b, {"b2"});
       b.remove(b.path("configmaps", "c"));
       b.patched(b.path("configmaps", "b"), label("k", "v"));
       const Json rest = b.read(b.path("configmaps") + "?limit=10&continue=" + next_of(first));
       EXPECT_THAT(names_in(rest), ElementsAre("b", "c"));
       EXPECT_EQ(at(rest, "/items/0/metadata/labels"), Json());
       EXPECT_EQ(version_of(rest), version_of(first));
     }},
    {"pages_are_answered_again_when_asked_again",
     [](Bench& b) {
       make_maps(b, {"a", "b", "c"});
       const std::string next = next_of(b.read(b.path("configmaps") + "?limit=1"));
       const std::string path = b.path("configmaps") + "?limit=1&continue=" + next;
       EXPECT_THAT(b.names_of_list(path), ElementsAre("b"));
       EXPECT_THAT(b.names_of_list(path), ElementsAre("b"));
     }},
    {"pages_may_grow",
     [](Bench& b) {
       make_maps(b, {"a", "b", "c"});
       const std::string next = next_of(b.read(b.path("configmaps") + "?limit=1"));
       EXPECT_THAT(b.names_of_list(b.path("configmaps") + "?continue=" + next), ElementsAre("b", "c"));
     }},
    {"pages_count_what_is_selected",
     [](Bench& b) {
       make_labelled(b);
       const std::string path = b.path("configmaps") + "?limit=1&labelSelector=color";
       const Json first = b.read(path);
       EXPECT_THAT(names_in(first), ElementsAre("a"));
       const Json second = b.read(path + "&continue=" + next_of(first));
       EXPECT_THAT(names_in(second), ElementsAre("b"));
     }},
    {"pages_refuse_a_token_that_nobody_gave",
     [](Bench& b) {
       expect_refusal(b.get(b.path("configmaps") + "?limit=1&continue=nonsense"), 400, "BadRequest",
                      "continue key is not valid");
     }},
    {"pages_refuse_a_limit_that_is_no_number",
     [](Bench& b) { EXPECT_EQ(b.get(b.path("configmaps") + "?limit=many").code, 400); }},
    {"labels_equal",
     [](Bench& b) {
       make_labelled(b);
       EXPECT_THAT(selected(b, "color=red"), ElementsAre("a"));
       EXPECT_THAT(selected(b, "color==blue"), ElementsAre("b"));
       EXPECT_THAT(selected(b, "color=green"), IsEmpty());
     }},
    {"labels_differ",
     [](Bench& b) {
       make_labelled(b);
       EXPECT_THAT(selected(b, "color!=red"), ElementsAre("b", "c", "d"));
     }},
    {"labels_are_there",
     [](Bench& b) {
       make_labelled(b);
       EXPECT_THAT(selected(b, "color"), ElementsAre("a", "b"));
       EXPECT_THAT(selected(b, "!color"), ElementsAre("c", "d"));
     }},
    {"labels_are_one_of_several",
     [](Bench& b) {
       make_labelled(b);
       EXPECT_THAT(selected(b, "color in (red,blue)"), ElementsAre("a", "b"));
       EXPECT_THAT(selected(b, "color in (red, green)"), ElementsAre("a"));
     }},
    {"labels_are_none_of_several",
     [](Bench& b) {
       make_labelled(b);
       EXPECT_THAT(selected(b, "color notin (red)"), ElementsAre("b", "c", "d"));
       EXPECT_THAT(selected(b, "color notin (red,blue),shape"), ElementsAre("c"));
     }},
    {"labels_hold_together",
     [](Bench& b) {
       make_labelled(b);
       EXPECT_THAT(selected(b, "color,color!=red"), ElementsAre("b"));
       EXPECT_THAT(selected(b, "color=red,shape"), IsEmpty());
       EXPECT_THAT(selected(b, ""), ElementsAre("a", "b", "c", "d"));
     }},
    {"labels_that_cannot_be_read_are_refused",
     [](Bench& b) {
       const std::string path = b.path("configmaps") + "?labelSelector=";
       EXPECT_EQ(b.get(path + "a%20b").code, 400);
       EXPECT_EQ(b.get(path + "color%20in%20red").code, 400);
       EXPECT_EQ(b.get(path + "color%3D%3D%3Dred").code, 400);
     }},
    {"fields_select_by_name",
     [](Bench& b) {
       make_maps(b, {"a", "b"});
       const std::string path = b.path("configmaps") + "?fieldSelector=metadata.name";
       EXPECT_THAT(b.names_of_list(path + "%3Db"), ElementsAre("b"));
       EXPECT_THAT(b.names_of_list(path + "%3D%3Db"), ElementsAre("b"));
       EXPECT_THAT(b.names_of_list(path + "!%3Db"), ElementsAre("a"));
     }},
    {"fields_select_custom_resources_by_name",
     [](Bench& b) {
       b.make("datasets", "a"), b.make("datasets", "b");
       EXPECT_THAT(b.names_of_list(b.path("datasets") + "?fieldSelector=metadata.name%3Db"), ElementsAre("b"));
       EXPECT_THAT(
           b.names_of_list("/apis/lips.dev/v1alpha1/datasets?fieldSelector=metadata.namespace%3D" + b.name_space()),
           ElementsAre("a", "b"));
     }},
    {"fields_select_pods_by_node",
     [](Bench& b) {
       b.make("pods", "a");
       b.make_bound_pod("b");
       EXPECT_THAT(pods_with(b, "spec.nodeName=no-such-node"), ElementsAre("b"));
       EXPECT_THAT(pods_with(b, "spec.nodeName="), ElementsAre("a"));
       EXPECT_THAT(pods_with(b, "spec.nodeName!="), ElementsAre("b"));
     }},
    {"fields_select_pods_by_scheduler",
     [](Bench& b) {
       b.make("pods", "a", {{"spec", {{"schedulerName", "lips"}}}});
       b.make("pods", "b");
       EXPECT_THAT(pods_with(b, "spec.schedulerName=lips"), ElementsAre("a"));
       EXPECT_THAT(pods_with(b, "spec.schedulerName!=lips"), ElementsAre("b"));
     }},
    {"fields_select_pods_by_phase",
     [](Bench& b) {
       b.make("pods", "a"), b.make("pods", "b");
       b.patched(b.path("pods", "b") + "/status", {{"status", {{"phase", "Succeeded"}}}});
       EXPECT_THAT(pods_with(b, "status.phase=Pending"), ElementsAre("a"));
       EXPECT_THAT(pods_with(b, "status.phase!=Pending"), ElementsAre("b"));
     }},
    {"fields_hold_together",
     [](Bench& b) {
       b.make("pods", "a"), b.make_bound_pod("b"), b.make_bound_pod("c");
       EXPECT_THAT(pods_with(b, "spec.nodeName=no-such-node,metadata.name!=c"), ElementsAre("b"));
     }},
    {"fields_that_a_kind_does_not_have_are_refused",
     [](Bench& b) {
       EXPECT_EQ(b.get(b.path("configmaps") + "?fieldSelector=data.key%3Dvalue").code, 400);
       EXPECT_EQ(b.get(b.path("datasets") + "?fieldSelector=spec.blocks%3D2").code, 400);
       EXPECT_EQ(b.get(b.path("pods") + "?fieldSelector=spec.priority%3D2").code, 400);
     }},
    {"fields_that_cannot_be_read_are_refused",
     [](Bench& b) { EXPECT_EQ(b.get(b.path("pods") + "?fieldSelector=metadata.name").code, 400); }},
    {"list_at_any_version_is_a_list",
     [](Bench& b) {
       make_maps(b, {"a", "b"});
       const Json list = b.read(b.path("configmaps") + "?resourceVersion=0");
       EXPECT_GT(version_of(list), 0U);
     }},
    {"list_not_older_than_a_version_has_it",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       const std::string path = b.path("configmaps") + "?resourceVersion=" + std::to_string(version_of(made));
       for (const char* match : {"", "&resourceVersionMatch=NotOlderThan"}) {
         const Json list = b.read(path + match);
         EXPECT_THAT(names_in(list), ElementsAre("a"));
         EXPECT_GE(version_of(list), version_of(made));
       }
     }},
    {"list_from_the_future_is_refused",
     [](Bench& b) {
       const std::string future = std::to_string(version_of(b.make("configmaps", "a")) + 1'000'000);
       expect_refusal(b.get(b.path("configmaps") + "?resourceVersion=" + future), 504, "Timeout",
                      "Too large resource version");
     }},
    {"list_of_a_version_that_is_no_number_is_refused",
     [](Bench& b) { EXPECT_EQ(b.get(b.path("configmaps") + "?resourceVersion=one").code, 400); }},
    {"read_of_an_object_by_version",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       EXPECT_EQ(b.read(b.path("configmaps", "a") + "?resourceVersion=" + std::to_string(version_of(made))), made);
     }},
    {"list_of_deleted_objects_has_them_no_more",
     [](Bench& b) {
       make_maps(b, {"a", "b"});
       b.remove(b.path("configmaps", "a"));
       EXPECT_THAT(b.names_of_list(b.path("configmaps")), Not(Contains("a")));
     }},
};

}  // namespace

std::span<const Check> checks_of_lists() { return table_of_lists; }

}  // namespace lips::virtual_cluster
