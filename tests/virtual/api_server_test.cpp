#include "virtual/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "virtual/virtual_loop.h"

namespace lips::virtual_cluster {
namespace {

using kubernetes::ApiRequest;
using kubernetes::Verb;
using testing::ElementsAre;
using testing::HasSubstr;

class Server : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* kind : {"/api/v1/pods", "/api/v1/configmaps", "/apis/batch/v1/jobs"}) server_.serve(kind);
  }
  ApiResponse ask(Verb verb, const std::string& path, const Json& body = Json(),
                  const std::string& kind = kubernetes::json_content) {
    ApiRequest request;
    request.verb = verb;
    request.path = path;
    if (!body.is_null()) request.body = body.dump();
    request.content_type = kind;
    return server_.handle(request);
  }
  Json get(const std::string& path) { return Json::parse(ask(Verb::get, path).body); }
  int make_pod(const std::string& name, Json spec = Json::object()) {
    return ask(Verb::create, "/api/v1/namespaces/n/pods", {{"metadata", {{"name", name}}}, {"spec", std::move(spec)}})
        .code;
  }

  VirtualLoop loop_{TimePoint(std::chrono::hours(24))};
  ApiServer server_{loop_, 1};
  const std::string pods_ = "/api/v1/namespaces/n/pods";
};

TEST_F(Server, KeepsWhatItIsGivenAndCountsVersions) {
  EXPECT_EQ(make_pod("a"), 201);
  EXPECT_EQ(make_pod("a"), 409);
  EXPECT_EQ(make_pod("b"), 201);
  const Json a = get(pods_ + "/a"), b = get(pods_ + "/b");
  EXPECT_EQ(a["metadata"]["namespace"], "n");
  EXPECT_EQ(a["metadata"]["creationTimestamp"], "1970-01-02T00:00:00Z");
  EXPECT_EQ(a["status"]["phase"], "Pending");
  EXPECT_NE(a["metadata"]["uid"], b["metadata"]["uid"]);
  EXPECT_LT(std::stoi(a["metadata"]["resourceVersion"].get<std::string>()),
            std::stoi(b["metadata"]["resourceVersion"].get<std::string>()));
  EXPECT_EQ(ask(Verb::get, pods_ + "/c").code, 404);
  EXPECT_EQ(ask(Verb::get, "/apis/no.such/v1/things").code, 404);
  EXPECT_EQ(ask(Verb::remove, pods_ + "/a").code, 200);
  EXPECT_EQ(ask(Verb::get, pods_ + "/a").code, 404);
}

TEST_F(Server, ListsInPagesOfOneMoment) {
  for (const char* name : {"a", "b", "c"}) make_pod(name);
  const Json first = get("/api/v1/pods?limit=2");
  make_pod("d");
  ask(Verb::remove, pods_ + "/c");
  const Json rest = get("/api/v1/pods?limit=2&continue=" + first["metadata"]["continue"].get<std::string>());
  EXPECT_EQ(first["items"].size(), 2U);
  ASSERT_EQ(rest["items"].size(), 1U);
  EXPECT_EQ(rest["items"][0]["metadata"]["name"], "c");
  EXPECT_EQ(rest["metadata"]["continue"], "");
  EXPECT_EQ(rest["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
  EXPECT_EQ(ask(Verb::list, "/api/v1/pods?continue=unknown").code, 400);
  server_.objects().compact();
  EXPECT_EQ(ask(Verb::list, "/api/v1/pods?continue=page-1").code, 410);
  EXPECT_EQ(get("/api/v1/namespaces/other/pods")["items"].size(), 0U);
  EXPECT_EQ(get("/api/v1/pods?fieldSelector=metadata.name%3Da")["items"].size(), 1U);
}

// The words are those of kube-apiserver's registry of pods; the operator reads them.
TEST_F(Server, BindsAPodOnceAndSaysWhereItIs) {
  make_pod("a");
  const std::string uid = get(pods_ + "/a")["metadata"]["uid"];
  const auto bind = [&](const std::string& of, const std::string& node) {
    return ask(
        Verb::create, pods_ + "/a/binding",
        {{"metadata", {{"name", "a"}, {"uid", of}, {"annotations", {{"x", "y"}}}}}, {"target", {{"name", node}}}});
  };
  EXPECT_THAT(bind("other", "one").body, HasSubstr("UID in precondition"));
  EXPECT_EQ(bind(uid, "one").code, 201);
  const ApiResponse again = bind(uid, "two");
  EXPECT_EQ(again.code, 409);
  EXPECT_THAT(again.body, HasSubstr("already assigned to node \\\"one\\\""));
  const Json pod = get(pods_ + "/a");
  EXPECT_EQ(pod["spec"]["nodeName"], "one");
  EXPECT_EQ(pod["metadata"]["annotations"]["x"], "y");
  EXPECT_EQ(pod["status"]["conditions"][0]["status"], "True");
  make_pod("gated", {{"schedulingGates", Json::array({{{"name", "lips.dev/zone"}}})}});
  EXPECT_EQ(
      ask(Verb::create, pods_ + "/gated/binding", {{"metadata", {{"name", "gated"}}}, {"target", {{"name", "one"}}}})
          .code,
      409);
}

TEST_F(Server, PatchesAsTheApiDoes) {
  make_pod("a", {{"schedulingGates", Json::array({{{"name", "lips.dev/zone"}}, {{"name", "other"}}})}});
  const Json ungate{{"spec",
                     {{"schedulingGates", Json::array({{{"$patch", "delete"}, {"name", "lips.dev/zone"}}})},
                      {"nodeSelector", {{"zone", "a"}}}}},
                    {"status", {{"phase", "Running"}}}};
  EXPECT_EQ(ask(Verb::patch, pods_ + "/a", ungate, kubernetes::strategic_merge_patch).code, 200);
  Json pod = get(pods_ + "/a");
  EXPECT_EQ(pod["spec"]["schedulingGates"], Json::array({{{"name", "other"}}}));
  EXPECT_EQ(pod["spec"]["nodeSelector"]["zone"], "a");
  EXPECT_EQ(pod["status"]["phase"], "Pending") << "the status is a subresource";
  EXPECT_EQ(pod["metadata"]["generation"], 2);
  const std::string version = pod["metadata"]["resourceVersion"];
  ask(Verb::patch, pods_ + "/a", {{"metadata", {{"labels", {{"k", "v"}}}}}}, kubernetes::merge_patch);
  EXPECT_EQ(get(pods_ + "/a")["metadata"]["generation"], 2);
  const Json late{{"metadata", {{"resourceVersion", version}, {"labels", {{"k", "w"}}}}}};
  EXPECT_EQ(ask(Verb::patch, pods_ + "/a", late, kubernetes::merge_patch).code, 409);
  const std::string same = get(pods_ + "/a")["metadata"]["resourceVersion"];
  ask(Verb::patch, pods_ + "/a", {{"metadata", {{"labels", {{"k", "v"}}}}}}, kubernetes::merge_patch);
  EXPECT_EQ(get(pods_ + "/a")["metadata"]["resourceVersion"], same) << "a write that changes nothing is no change";
}

TEST_F(Server, KeepsWhatHasAFinalizerUntilItIsGone) {
  make_pod("a");
  ask(Verb::patch, pods_ + "/a", {{"metadata", {{"finalizers", Json::array({"lips.dev/keep"})}}}},
      kubernetes::merge_patch);
  EXPECT_EQ(ask(Verb::remove, pods_ + "/a").code, 200);
  EXPECT_TRUE(get(pods_ + "/a")["metadata"].contains("deletionTimestamp"));
  ask(Verb::patch, pods_ + "/a", {{"metadata", {{"finalizers", nullptr}}}}, kubernetes::merge_patch);
  EXPECT_EQ(ask(Verb::get, pods_ + "/a").code, 404);
}

TEST_F(Server, TellsAWatchEveryLaterChangeOnceAndThatAVersionIsTooOld) {
  make_pod("a");
  const std::string version = get("/api/v1/pods")["metadata"]["resourceVersion"];
  make_pod("b");
  std::vector<std::string> told;
  const auto watch = server_.watch("/api/v1/pods?watch=true&resourceVersion=" + version,
                                   [&](const std::string& line) { told.push_back(Json::parse(line)["type"]); });
  ASSERT_EQ(watch.lines.size(), 1U);
  EXPECT_THAT(watch.lines[0], HasSubstr(R"("name":"b")"));
  ask(Verb::patch, pods_ + "/a", {{"metadata", {{"labels", {{"k", "v"}}}}}}, kubernetes::merge_patch);
  ask(Verb::remove, pods_ + "/b");
  EXPECT_THAT(told, ElementsAre("MODIFIED", "MODIFIED", "DELETED")) << "the time of its deletion is a change";
  server_.stop(watch);
  make_pod("c");
  EXPECT_EQ(told.size(), 3U);
  server_.objects().compact();
  const auto late = server_.watch("/api/v1/pods?watch=true&resourceVersion=1", [](const std::string&) {});
  EXPECT_TRUE(late.refused);
  EXPECT_THAT(late.lines.at(0), HasSubstr("410"));
}

TEST(ApiPath, IsTakenApart) {
  const auto pod = parse_api_path("/api/v1/namespaces/n/pods/p%2Dq/binding?a=b%20c&d=");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->group, "/api/v1");
  EXPECT_EQ(pod->resource, "pods");
  EXPECT_EQ(pod->name_space, "n");
  EXPECT_EQ(pod->name, "p-q");
  EXPECT_EQ(pod->part, "binding");
  EXPECT_EQ(pod->query_value("a"), "b c");
  const auto name_space = parse_api_path("/api/v1/namespaces/n");
  ASSERT_TRUE(name_space);
  EXPECT_EQ(name_space->resource, "namespaces");
  EXPECT_EQ(name_space->name, "n");
  EXPECT_EQ(parse_api_path("/apis/batch/v1/jobs")->group, "/apis/batch/v1");
  EXPECT_FALSE(parse_api_path("/healthz"));
  EXPECT_FALSE(parse_api_path("/apis/batch"));
  EXPECT_FALSE(parse_api_path("/api/v1/namespaces/n/pods/p/log/more"));
}

TEST(VirtualLoop, PassesTimeOnlyWhenNothingIsLeftToDo) {
  VirtualLoop loop{TimePoint(Duration(0))};
  std::vector<std::string> done;
  const auto at = [&](std::int64_t when, const std::string& name) {
    return loop.at(TimePoint(Duration(when)),
                   [&, name] { done.push_back(name + '@' + std::to_string(loop.now().time_since_epoch().count())); });
  };
  at(30, "late");
  at(10, "first");
  at(10, "second");
  loop.cancel(at(5, "cancelled"));
  loop.post([&] { done.emplace_back("posted"); });
  loop.run(Duration(100));
  EXPECT_THAT(done, ElementsAre("posted"));
  loop.run(Duration(100));
  EXPECT_THAT(done, ElementsAre("posted", "first@10", "second@10"));
  loop.run(Duration(5));
  EXPECT_EQ(loop.now(), TimePoint(Duration(15)));
  loop.run(Duration(100));
  EXPECT_EQ(done.back(), "late@30");
}

}  // namespace
}  // namespace lips::virtual_cluster
