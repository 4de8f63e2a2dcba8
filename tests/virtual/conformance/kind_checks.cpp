#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Every object answered and stored is the same.
void fills_metadata(Bench& b, const Kind& kind) {
  const Replied reply = b.post(b.path(kind), b.object(kind, "a"));
  ASSERT_EQ(reply.code, 201) << reply.body;
  const Json& made = reply.body;
  EXPECT_EQ(text_at(made, "/kind"), kind.name);
  EXPECT_EQ(at(made, "/apiVersion"), b.object(kind, "a")["apiVersion"]);
  EXPECT_EQ(text_at(made, "/metadata/name"), b.name(kind, "a"));
  EXPECT_EQ(text_at(made, "/metadata/namespace"), kind.namespaced ? b.name_space() : "");
  EXPECT_EQ(uid_of(made).size(), 36U);
  EXPECT_GT(version_of(made), 0U);
  EXPECT_LE(std::abs(b.server().now() - seconds_at(made, "/metadata/creationTimestamp")), 2);
  EXPECT_EQ(at(made, "/metadata/generation"), kind.generation ? Json(1) : Json());
  EXPECT_EQ(b.read(b.path(kind, "a")), made);
}

void refuses_the_name_of_another(Bench& b, const Kind& kind) {
  b.make(kind.plural, "a");
  const std::string words = std::string(kind.in_words) + " \"" + b.name(kind, "a") + "\" already exists";
  expect_refusal(b.post(b.path(kind), b.object(kind, "a")), 409, "AlreadyExists", words);
}

void says_what_is_not_found(Bench& b, const Kind& kind) {
  const std::string words = std::string(kind.in_words) + " \"" + b.name(kind, "none") + "\" not found";
  expect_refusal(b.get(b.path(kind, "none")), 404, "NotFound", words);
  expect_refusal(b.patch(b.path(kind, "none"), label("k", "v")), 404, "NotFound", words);
  expect_refusal(b.remove(b.path(kind, "none")), 404, "NotFound", words);
}

void updates_the_newest_version_only(Bench& b, const Kind& kind) {
  const Json first = b.make(kind.plural, "a");
  Json wanted = first;
  wanted.merge_patch(Json::parse(kind.other));
  const Replied second = b.put(b.path(kind, "a"), wanted);
  ASSERT_EQ(second.code, 200) << second.body;
  EXPECT_GT(version_of(second.body), version_of(first));
  EXPECT_EQ(uid_of(second.body), uid_of(first));
  const Json changed = Json::parse(kind.other);
  if (changed.contains("spec") && kind.generation) {
    EXPECT_EQ(at(second.body, "/metadata/generation"), 2);
  }
  wanted.merge_patch(label("k", "late"));
  expect_refusal(b.put(b.path(kind, "a"), wanted), 409, "Conflict", "the object has been modified");
  EXPECT_EQ(b.read(b.path(kind, "a")), second.body);
}

void updates_without_a_version(Bench& b, const Kind& kind) {
  Json object = b.make(kind.plural, "a");
  object["metadata"].erase("resourceVersion");
  object.merge_patch(label("k", "v"));
  const Replied reply = b.put(b.path(kind, "a"), object);
  if (kind.update_needs_version) return expect_refusal(reply, 422, "Invalid", "metadata.resourceVersion");
  EXPECT_EQ(reply.code, 200) << reply.body;
  EXPECT_EQ(text_at(reply.body, "/metadata/labels/k"), "v");
}

void updates_what_is_missing(Bench& b, const Kind& kind) {
  const Replied reply = b.put(b.path(kind, "a"), b.object(kind, "a"));
  if (!kind.update_creates) return expect_refusal(reply, 404, "NotFound", "not found");
  EXPECT_EQ(reply.code, 201) << reply.body;
  EXPECT_EQ(b.read(b.path(kind, "a")), reply.body);
}

void updates_what_somebody_deleted(Bench& b, const Kind& kind) {
  const Json made = b.make(kind.plural, "a");
  b.remove(b.path(kind, "a"), {{"gracePeriodSeconds", 0}});
  if (b.get(b.path(kind, "a")).code == 200) return;  // it waits for something
  const Replied reply = b.put(b.path(kind, "a"), made);
  if (!kind.update_creates) return expect_refusal(reply, 404, "NotFound", "not found");
  expect_refusal(reply, 409, "Conflict", "UID in precondition");
}

void keeps_the_version_if_nothing_changes(Bench& b, const Kind& kind) {
  // The first update makes its writer the owner of what was filled in.
  const Json made = b.put(b.path(kind, "a"), b.make(kind.plural, "a")).body;
  const Replied again = b.put(b.path(kind, "a"), made);
  EXPECT_EQ(again.code, 200) << again.body;
  EXPECT_EQ(version_of(again.body), version_of(made));
  EXPECT_EQ(version_of(b.patched(b.path(kind, "a"), Json::object())), version_of(made));
}

void takes_labels_by_merge_patch(Bench& b, const Kind& kind) {
  const Json made = b.make(kind.plural, "a");
  const Json labelled = b.patched(b.path(kind, "a"), label("k", "v"));
  EXPECT_EQ(text_at(labelled, "/metadata/labels/k"), "v");
  EXPECT_GT(version_of(labelled), version_of(made));
  EXPECT_EQ(at(labelled, "/metadata/generation"), at(made, "/metadata/generation"));
  const Json without = b.patched(b.path(kind, "a"), label("k", nullptr));
  EXPECT_EQ(text_at(without, "/metadata/labels/k"), "");
  EXPECT_GT(version_of(without), version_of(labelled));
}

void takes_a_strategic_merge_patch(Bench& b, const Kind& kind) {
  b.make(kind.plural, "a");
  const Replied reply = b.patch(b.path(kind, "a"), label("k", "v"), kubernetes::strategic_merge_patch);
  if (kind.custom) return expect_refusal(reply, 415, "UnsupportedMediaType");
  EXPECT_EQ(reply.code, 200) << reply.body;
  EXPECT_EQ(text_at(reply.body, "/metadata/labels/k"), "v");
}

void takes_a_json_patch(Bench& b, const Kind& kind) {
  b.make(kind.plural, "a");
  const Json patch = Json::array({{{"op", "add"}, {"path", "/metadata/labels"}, {"value", {{"k", "v"}}}}});
  EXPECT_EQ(text_at(b.patched(b.path(kind, "a"), patch, json_patch_content), "/metadata/labels/k"), "v");
}

void has_a_status_of_its_own_or_none(Bench& b, const Kind& kind) {
  const Json made = b.make(kind.plural, "a");
  const Replied reply = b.get(b.path(kind, "a") + "/status");
  EXPECT_EQ(reply.code, kind.status_part ? 200 : 404) << reply.body;
  if (kind.status_part) {
    EXPECT_EQ(reply.body, made);
  }
}

void lists_and_watches(Bench& b, const Kind& kind) {
  const std::string list = b.path(kind) + "?labelSelector=of%3D" + b.name_space();
  const Json empty = b.read(list);
  EXPECT_EQ(text_at(empty, "/kind"), std::string(kind.name) + "List");
  EXPECT_EQ(at(empty, "/apiVersion"), b.object(kind, "a")["apiVersion"]);
  EXPECT_EQ(at(empty, "/items"), Json::array());
  const auto watch = b.watch(list + "&watch=true&resourceVersion=" + text_at(empty, "/metadata/resourceVersion"));
  const Json made = b.make(kind.plural, "a", label("of", b.name_space()));
  const Json changed = b.patched(b.path(kind, "a"), label("k", "v"));
  EXPECT_THAT(b.names_of_list(list), ElementsAre(b.name(kind, "a")));
  b.remove(b.path(kind, "a"), {{"propagationPolicy", "Background"}});
  EXPECT_THAT(b.names_of_list(list), IsEmpty());
  const std::string name = b.name(kind, "a");
  std::vector<std::string> expected{"ADDED " + name, "MODIFIED " + name, "DELETED " + name};
  if (kind.deletion_is_a_change) expected.insert(expected.begin() + 1, "MODIFIED " + name);
  const std::vector<Json> events = watch->events(expected.size());
  ASSERT_EQ(told(events), expected);
  EXPECT_EQ(events[0]["object"], made);
  EXPECT_EQ(events[1]["object"], changed);
  EXPECT_GT(version_of(events.back()["object"]), version_of(changed));
  EXPECT_EQ(text_at(events.back(), "/object/kind"), kind.name);
}

void is_deleted(Bench& b, const Kind& kind) {
  const Json made = b.make(kind.plural, "a");
  const Replied reply = b.remove(b.path(kind, "a"), {{"propagationPolicy", "Background"}});
  EXPECT_EQ(reply.code, 200) << reply.body;
  EXPECT_EQ(text_at(reply.body, "/kind"), kind.deletion_answers_object ? kind.name : "Status") << reply.body;
  if (!kind.deletion_answers_object) {
    EXPECT_EQ(text_at(reply.body, "/status"), "Success");
    EXPECT_EQ(text_at(reply.body, "/details/name"), b.name(kind, "a"));
    EXPECT_EQ(text_at(reply.body, "/details/uid"), uid_of(made));
  }
  EXPECT_EQ(b.get(b.path(kind, "a")).code, 404);
  EXPECT_NE(uid_of(b.make(kind.plural, "a")), uid_of(made));
}

void is_discovered(Bench& b, const Kind& kind) {
  const Json resources = b.read(kind.root);
  EXPECT_EQ(text_at(resources, "/kind"), "APIResourceList");
  EXPECT_EQ(at(resources, "/groupVersion"), b.object(kind, "a")["apiVersion"]);
  std::vector<std::string> names;
  for (const Json& resource : at(resources, "/resources")) {
    names.push_back(text_at(resource, "/name"));
    if (names.back() != kind.plural) continue;
    EXPECT_EQ(text_at(resource, "/kind"), kind.name);
    EXPECT_EQ(at(resource, "/namespaced"), kind.namespaced);
  }
  EXPECT_THAT(names, Contains(kind.plural));
  if (kind.status_part) {
    EXPECT_THAT(names, Contains(std::string(kind.plural) + "/status"));
  }
}

constexpr KindCheck table_of_kinds[] = {
    {"fills_metadata", fills_metadata},
    {"refuses_the_name_of_another", refuses_the_name_of_another},
    {"says_what_is_not_found", says_what_is_not_found},
    {"updates_the_newest_version_only", updates_the_newest_version_only},
    {"updates_without_a_version", updates_without_a_version},
    {"updates_what_is_missing", updates_what_is_missing},
    {"updates_what_somebody_deleted", updates_what_somebody_deleted},
    {"keeps_the_version_if_nothing_changes", keeps_the_version_if_nothing_changes},
    {"takes_labels_by_merge_patch", takes_labels_by_merge_patch},
    {"takes_a_strategic_merge_patch", takes_a_strategic_merge_patch},
    {"takes_a_json_patch", takes_a_json_patch},
    {"has_a_status_of_its_own_or_none", has_a_status_of_its_own_or_none},
    {"lists_and_watches", lists_and_watches},
    {"is_deleted", is_deleted},
    {"is_discovered", is_discovered},
};

}  // namespace

std::span<const KindCheck> checks_of_kinds() { return table_of_kinds; }

}  // namespace lips::virtual_cluster
