#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::ElementsAre;

// A last object, which shows that nothing else was told.
void mark_end(Bench& b, const std::string& plural = "configmaps") { b.make(plural, "zz", label("k", "v")); }

constexpr Check table_of_watches[] = {
    {"watch_tells_what_came_after_its_version",
     [](Bench& b) {
       b.make("configmaps", "a");
       const std::string version = b.version_of_list(b.path("configmaps"));
       b.make("configmaps", "b");
       const auto watch = b.watch_from(b.path("configmaps"), version);
       b.make("configmaps", "c");
       EXPECT_EQ(watch->code(), 200);
       EXPECT_THAT(told(watch->events(2)), ElementsAre("ADDED b", "ADDED c"));
     }},
    {"watch_without_a_version_begins_with_what_is_there",
     [](Bench& b) {
       b.make("configmaps", "a"), b.make("configmaps", "b");
       b.patched(b.path("configmaps", "a"), label("k", "v"));
       const auto watch = b.watch(b.path("configmaps") + "?watch=true");
       EXPECT_THAT(told(watch->events(2)), ElementsAre("ADDED a", "ADDED b"));
       b.patched(b.path("configmaps", "b"), label("k", "v"));
       EXPECT_THAT(told(watch->events(1)), ElementsAre("MODIFIED b"));
     }},
    {"watch_from_any_version_begins_with_what_is_there",
     [](Bench& b) {
       b.make("configmaps", "a");
       const auto watch = b.watch_from(b.path("configmaps"), "0");
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED a"));
       b.remove(b.path("configmaps", "a"));
       EXPECT_THAT(told(watch->events(1)), ElementsAre("DELETED a"));
     }},
    {"watch_from_the_version_of_an_object_leaves_it_out",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       const auto watch = b.watch_from(b.path("configmaps"), std::to_string(version_of(made)));
       mark_end(b);
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_is_in_the_order_of_versions",
     [](Bench& b) {
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")));
       b.make("configmaps", "b"), b.make("configmaps", "a");
       b.patched(b.path("configmaps", "b"), label("k", "v"));
       b.remove(b.path("configmaps", "a"));
       const std::vector<Json> events = watch->events(4);
       ASSERT_THAT(told(events), ElementsAre("ADDED b", "ADDED a", "MODIFIED b", "DELETED a"));
       for (std::size_t i = 1; i < events.size(); ++i)
         EXPECT_LT(version_of(events[i - 1]["object"]), version_of(events[i]["object"]));
     }},
    {"watch_tells_the_last_state_of_a_deleted_object",
     [](Bench& b) {
       b.make("configmaps", "a", label("k", "v"));
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")));
       b.remove(b.path("configmaps", "a"));
       const std::vector<Json> events = watch->events(1);
       ASSERT_THAT(told(events), ElementsAre("DELETED a"));
       EXPECT_EQ(text_at(events[0], "/object/metadata/labels/k"), "v");
       EXPECT_EQ(text_at(events[0], "/object/data/key"), "value");
     }},
    {"watch_is_silent_about_a_write_that_changes_nothing",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a", label("k", "v"));
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")));
       b.patched(b.path("configmaps", "a"), label("k", "v"));
       b.put(b.path("configmaps", "a"), made);
       mark_end(b);
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_is_silent_about_a_write_that_is_refused",
     [](Bench& b) {
       Json made = b.make("configmaps", "a");
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")));
       made["metadata"]["uid"] = "other";
       b.put(b.path("configmaps", "a"), made);
       b.post(b.path("configmaps"), b.object("configmaps", "a"));
       mark_end(b);
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_of_a_namespace_leaves_out_others",
     [](Bench& b) {
       Bench other(b.server());
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")));
       other.make("configmaps", "a");
       mark_end(b);
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_of_all_namespaces_tells_of_each",
     [](Bench& b) {
       Bench other(b.server());
       const std::string path = "/api/v1/configmaps";
       const auto watch = b.watch(path + "?watch=true&labelSelector=of%3D" + b.name_space() +
                                  "&resourceVersion=" + b.version_of_list(path));
       other.make("configmaps", "a", label("of", b.name_space()));
       b.make("configmaps", "b", label("of", b.name_space()));
       EXPECT_THAT(told(watch->events(2)), ElementsAre("ADDED a", "ADDED b"));
     }},
    {"watch_by_label_leaves_out_others",
     [](Bench& b) {
       const auto watch =
           b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")), "&labelSelector=k%3Dv");
       b.make("configmaps", "a", label("k", "w"));
       b.patched(b.path("configmaps", "a"), label("l", "v"));
       b.remove(b.path("configmaps", "a"));
       mark_end(b);
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_by_label_adds_what_begins_to_match",
     [](Bench& b) {
       b.make("configmaps", "a");
       const auto watch =
           b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")), "&labelSelector=k%3Dv");
       b.patched(b.path("configmaps", "a"), label("k", "v"));
       b.patched(b.path("configmaps", "a"), label("l", "w"));
       EXPECT_THAT(told(watch->events(2)), ElementsAre("ADDED a", "MODIFIED a"));
     }},
    {"watch_by_label_deletes_what_matches_no_more",
     [](Bench& b) {
       b.make("configmaps", "a", label("k", "v"));
       const auto watch =
           b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")), "&labelSelector=k%3Dv");
       const Json changed = b.patched(b.path("configmaps", "a"), label("k", "w"));
       b.remove(b.path("configmaps", "a"));
       mark_end(b);
       const std::vector<Json> events = watch->events(2);
       ASSERT_THAT(told(events), ElementsAre("DELETED a", "ADDED zz"));
       EXPECT_EQ(text_at(events[0], "/object/metadata/labels/k"), "v");
       EXPECT_EQ(version_of(events[0]["object"]), version_of(changed));
     }},
    {"watch_by_label_replays_what_matched_for_a_while",
     [](Bench& b) {
       b.make("configmaps", "a");
       const std::string version = b.version_of_list(b.path("configmaps"));
       b.patched(b.path("configmaps", "a"), label("k", "v"));
       b.patched(b.path("configmaps", "a"), label("k", nullptr));
       const auto watch = b.watch_from(b.path("configmaps"), version, "&labelSelector=k%3Dv");
       EXPECT_THAT(told(watch->events(2)), ElementsAre("ADDED a", "DELETED a"));
     }},
    {"watch_by_node_adds_what_is_bound_there",
     [](Bench& b) {
       b.make("pods", "a");
       const auto watch = b.watch_from(b.path("pods"), b.version_of_list(b.path("pods")),
                                       "&fieldSelector=spec.nodeName%3Dno-such-node");
       b.bind("a", "no-such-node");
       const std::vector<Json> events = watch->events(1);
       ASSERT_THAT(told(events), ElementsAre("ADDED a"));
       EXPECT_EQ(text_at(events[0], "/object/spec/nodeName"), "no-such-node");
     }},
    {"watch_by_phase_deletes_what_has_ended",
     [](Bench& b) {
       b.make("pods", "a");
       const auto watch =
           b.watch_from(b.path("pods"), b.version_of_list(b.path("pods")), "&fieldSelector=status.phase!%3DSucceeded");
       b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", "Running"}}}});
       b.patched(b.path("pods", "a") + "/status", {{"status", {{"phase", "Succeeded"}}}});
       EXPECT_THAT(told(watch->events(2)), ElementsAre("MODIFIED a", "DELETED a"));
     }},
    {"watch_of_one_name",
     [](Bench& b) {
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")),
                                       "&fieldSelector=metadata.name%3Dzz");
       b.make("configmaps", "a");
       mark_end(b);
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_of_custom_resources_tells_of_both_halves",
     [](Bench& b) {
       const auto watch = b.watch_from(b.path("datasets"), b.version_of_list(b.path("datasets")));
       b.make("datasets", "a");
       b.patched(b.path("datasets", "a"), {{"spec", {{"blocks", 3}}}});
       b.patched(b.path("datasets", "a") + "/status", {{"status", {{"blocks", 3}}}});
       const std::vector<Json> events = watch->events(3);
       ASSERT_THAT(told(events), ElementsAre("ADDED a", "MODIFIED a", "MODIFIED a"));
       EXPECT_EQ(at(events[1], "/object/status"), Json());
       EXPECT_EQ(at(events[2], "/object/status/blocks"), 3);
     }},
    {"watch_tells_that_an_object_waits_for_its_finalizers",
     [](Bench& b) {
       b.make("configmaps", "a", {{"metadata", {{"finalizers", Json::array({"lips.dev/kept"})}}}});
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")));
       b.remove(b.path("configmaps", "a"));
       b.patched(b.path("configmaps", "a"), {{"metadata", {{"finalizers", nullptr}}}});
       const std::vector<Json> events = watch->events(2);
       ASSERT_THAT(told(events), ElementsAre("MODIFIED a", "DELETED a"));
       EXPECT_NE(text_at(events[0], "/object/metadata/deletionTimestamp"), "");
     }},
    {"watch_from_the_future_is_silent",
     [](Bench& b) {
       const std::string future = std::to_string(version_of(b.make("configmaps", "a")) + 1'000'000);
       const auto watch = b.watch_from(b.path("configmaps"), future, "&timeoutSeconds=2");
       b.make("configmaps", "b");
       EXPECT_EQ(watch->code(), 200);
       EXPECT_THAT(told(watch->events(1)), ElementsAre());
     }},
    {"watch_from_a_forgotten_version_ends_with_410",
     [](Bench& b) {
       b.make("pools", "a");
       b.server().forget();
       const auto watch = b.watch_from(b.path("pools"), "1");
       EXPECT_EQ(watch->code(), 200);
       const std::vector<Json> events = watch->events(1);
       ASSERT_EQ(events.size(), 1U);
       EXPECT_EQ(text_at(events[0], "/type"), "ERROR");
       EXPECT_EQ(text_at(events[0], "/object/kind"), "Status");
       EXPECT_EQ(text_at(events[0], "/object/reason"), "Expired");
       EXPECT_EQ(at(events[0], "/object/code"), 410);
       EXPECT_EQ(text_at(events[0], "/object/message").substr(0, 24), "too old resource version");
     }},
    {"watch_from_a_forgotten_version_goes_on_from_a_list",
     [](Bench& b) {
       b.make("datasets", "a");
       b.server().forget();
       const std::vector<Json> events = b.watch_from(b.path("datasets"), "1")->events(1);
       ASSERT_EQ(events.size(), 1U);
       EXPECT_EQ(at(events[0], "/object/code"), 410);
       const auto watch = b.watch_from(b.path("datasets"), b.version_of_list(b.path("datasets")));
       b.make("datasets", "b");
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED b"));
     }},
    {"watch_from_what_is_no_number_is_refused",
     [](Bench& b) { EXPECT_EQ(b.watch_from(b.path("configmaps"), "one")->code(), 500); }},
    {"watch_with_a_selector_that_cannot_be_read_is_refused",
     [](Bench& b) {
       EXPECT_EQ(b.watch_from(b.path("configmaps"), "0", "&labelSelector=a%20b")->code(), 400);
       EXPECT_EQ(b.watch_from(b.path("configmaps"), "0", "&fieldSelector=data.key%3Da")->code(), 400);
     }},
    {"watch_of_an_unknown_kind_is_not_found",
     [](Bench& b) { EXPECT_EQ(b.watch("/apis/lips.dev/v1alpha1/things?watch=true")->code(), 404); }},
    {"watch_has_bookmarks",
     [](Bench& b) {
       const Json made = b.make("configmaps", "a");
       const auto watch = b.watch_from(b.path("configmaps"), b.version_of_list(b.path("configmaps")),
                                       "&allowWatchBookmarks=true&timeoutSeconds=4");
       const Json changed = b.patched(b.path("configmaps", "a"), label("k", "v"));
       EXPECT_THAT(told(watch->events(1)), ElementsAre("MODIFIED a"));
       const Json bookmark = watch->bookmark();
       EXPECT_EQ(text_at(bookmark, "/type"), "BOOKMARK");
       EXPECT_EQ(text_at(bookmark, "/object/kind"), "ConfigMap");
       EXPECT_EQ(text_at(bookmark, "/object/apiVersion"), "v1");
       EXPECT_EQ(text_at(bookmark, "/object/metadata/name"), "");
       EXPECT_GE(version_of(at(bookmark, "/object")), version_of(changed));
       const auto later = b.watch_from(b.path("configmaps"), text_at(bookmark, "/object/metadata/resourceVersion"));
       mark_end(b);
       EXPECT_THAT(told(later->events(1)), ElementsAre("ADDED zz"));
     }},
    {"watch_of_custom_resources_has_bookmarks",
     [](Bench& b) {
       const auto watch = b.watch_from(b.path("datasets"), b.version_of_list(b.path("datasets")),
                                       "&allowWatchBookmarks=true&timeoutSeconds=4");
       const Json made = b.make("datasets", "a");
       EXPECT_THAT(told(watch->events(1)), ElementsAre("ADDED a"));
       const Json bookmark = watch->bookmark();
       EXPECT_EQ(text_at(bookmark, "/object/kind"), "DataSet");
       EXPECT_EQ(text_at(bookmark, "/object/apiVersion"), "lips.dev/v1alpha1");
       EXPECT_GE(version_of(at(bookmark, "/object")), version_of(made));
     }},
    {"watch_of_namespaces_tells_their_labels",
     [](Bench& b) {
       const std::string all = "/api/v1/namespaces", own = all + '/' + b.name_space();
       EXPECT_EQ(text_at(b.read(own), "/metadata/labels/kubernetes.io~1metadata.name"), b.name_space());
       const auto watch = b.watch_from(all, b.version_of_list(all), "&fieldSelector=metadata.name%3D" + b.name_space());
       b.patched(own, label("team", "a"));
       b.patched(own, label("kubernetes.io/metadata.name", nullptr));  // this label stays
       b.patched(own, label("team", nullptr));
       const std::vector<Json> events = watch->events(2);
       ASSERT_THAT(told(events), ElementsAre("MODIFIED " + b.name_space(), "MODIFIED " + b.name_space()));
       const Json name{{"kubernetes.io/metadata.name", b.name_space()}};
       Json labelled = name;
       labelled["team"] = "a";
       EXPECT_EQ(at(events[0], "/object/metadata/labels"), labelled);
       EXPECT_EQ(at(events[1], "/object/metadata/labels"), name);
     }},
    {"watch_of_events_and_leases",
     [](Bench& b) {
       const auto events = b.watch_from(b.path("events"), b.version_of_list(b.path("events")));
       const auto leases = b.watch_from(b.path("leases"), b.version_of_list(b.path("leases")));
       b.make("events", "a");
       Json lease = b.make("leases", "l");
       lease["spec"]["holderIdentity"] = "two";
       EXPECT_EQ(b.put(b.path("leases", "l"), lease).code, 200);
       EXPECT_THAT(told(events->events(1)), ElementsAre("ADDED a"));
       EXPECT_THAT(told(leases->events(2)), ElementsAre("ADDED l", "MODIFIED l"));
     }},
};

}  // namespace

std::span<const Check> checks_of_watches() { return table_of_watches; }

}  // namespace lips::virtual_cluster
