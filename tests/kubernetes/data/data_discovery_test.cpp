#include "kubernetes/data/data_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// The server keeps what is created and patched; the test tells the catalog.
class DataDiscoveryTest : public testing::Test {
 protected:
  void add(std::size_t kind, const Json& object) {
    const Json& meta = object["metadata"];
    catalog_.informers()[kind].sink->changed(
        {meta.value("namespace", ""), meta["name"], meta["uid"], meta["resourceVersion"]}, object.dump());
    catalog_.poll();
  }
  static Json meta(const std::string& name, const Json& more = Json::object()) {
    Json result = {{"name", name}, {"uid", "uid-" + name}, {"resourceVersion", "1"}, {"generation", 1}};
    result.update(more);
    return result;
  }
  void add_store(const std::string& name) {
    add(1,
        {{"metadata", meta(name)}, {"spec", {{"zone", "z"}, {"nodeDirectory", {{"node", name}, {"path", "/srv"}}}}}});
  }
  void add_set(Json discover) { add_to("d", "logs", std::move(discover)); }
  void add_to(const std::string& name_space, const std::string& name, Json discover) {
    add(0, {{"metadata", meta(name, {{"namespace", name_space}})},
            {"spec", {{"blockSize", 100}, {"discover", std::move(discover)}}}});
  }
  // The Job of that name has succeeded.
  void finish_job(const std::string& job) {
    add(4, {{"metadata",
             meta(job, {{"namespace", "lips"}, {"labels", {{role_label, "list"}, {data_set_label, "uid-logs"}}}})},
            {"status", {{"conditions", {{{"type", "Complete"}, {"status", "True"}}}}}}});
    add(5, {{"metadata", meta(job + "-pod", {{"namespace", "lips"},
                                             {"labels", {{role_label, "list"}}},
                                             {"ownerReferences", {{{"kind", "Job"}, {"name", job}}}}})},
            {"status", {{"phase", "Succeeded"}}}});
  }
  template <class Done>
  bool tick_until(Done done) {
    for (int turn = 0; turn < 5000; ++turn) {
      writes_.collect(now_);
      catalog_.poll();
      discovery_.tick(now_);
      if (done()) return true;
      now_ += std::chrono::milliseconds(100);
      api_.run_for(std::chrono::milliseconds(100));
    }
    return false;
  }
  std::string created() {
    return last_job_.empty() ? "" : Json::parse(last_job_)["metadata"]["name"].get<std::string>();
  }
  Json patched() { return patch_.empty() ? Json() : Json::parse(patch_); }

  std::string last_job_, patch_;
  bool too_large_ = false;  // the server takes no status
  int refused_patches_ = 0;
  std::set<std::string> begun_;              // data sets for which a Job was made, by uid
  std::map<std::string, std::string> logs_;  // by pod
  VirtualApi api_{[this](const ReceivedRequest& request) {
    Reply reply;
    if (request.method == "POST") last_job_ = reply.body = request.body;
    if (request.method == "POST")
      begun_.insert(Json::parse(request.body)["metadata"]["labels"][data_set_label].get<std::string>());
    if (request.method == "PATCH" && too_large_) {
      ++refused_patches_;
      return Reply{500, R"({"message":"etcdserver: request is too large"})", {}, false, nullptr};
    }
    if (request.method == "PATCH") patch_ = reply.body = request.body;
    if (request.path.ends_with("/log")) {
      const std::string pod = request.path.substr(0, request.path.size() - 4);
      reply.body = logs_[pod.substr(pod.rfind('/') + 1)];
    }
    return reply;
  }};
  DataCatalog catalog_{"lips", {1000, 1000, 0, {{"http://nn", {"d"}, {"/in"}, "me"}}}};
  ObjectWrites writes_{api_.client(), [] { return true; }, [] {}};
  EventRecorder events_{api_.client(), {}, [] { return true; }};
  WorkSettings work_{"lips", "image", "IfNotPresent", "", "", 0};
  DataDiscovery discovery_{catalog_, writes_, events_, work_};
  TimePoint now_ = TimePoint(std::chrono::hours(1000));
};

TEST_F(DataDiscoveryTest, ListsAFolderByAJobAndKeepsWhatItsLogSays) {
  add_store("a");
  add_set({{"listing", {{"store", "a"}, {"path", "d/in"}}}});
  ASSERT_TRUE(tick_until([&] { return !created().empty(); }));
  const std::string job = created();
  logs_[job + "-pod"] = R"([{"Path":"x","Name":"x","Size":250,"IsDir":false}])";
  finish_job(job);
  ASSERT_TRUE(tick_until([&] { return !patched().is_null(); }));
  const Json status = patched()["status"];
  EXPECT_EQ(status["blocks"], 3);
  EXPECT_EQ(status["size"], 250);
  EXPECT_EQ(status["files"][0]["path"], "d/in/x");
  EXPECT_EQ(status["replicas"][0], (Json{{"store", "a"}, {"blocks", "0-2"}}));
  EXPECT_EQ(patched()["metadata"]["resourceVersion"], "1") << "bound to the version that was read";
}

// Each look is a Job with a pod in the namespace of moves, whoever asks for it.
TEST_F(DataDiscoveryTest, LooksAtFewDataSetsAtOnceAndAtSomeOfEachNamespace) {
  add_store("a");
  const auto want = [&](const std::string& name_space, const std::string& name) {
    add_to(name_space, name, {{"listing", {{"store", "a"}, {"path", name_space + "/in"}}}});
  };
  for (int i = 0; i < 50; ++i) want("evil", "s" + std::to_string(i));
  want("team", "books");
  ASSERT_TRUE(tick_until([&] { return begun_.size() == 5; })) << "four of the one, and one of the other";
  EXPECT_TRUE(begun_.contains("uid-books"));
  for (int turn = 0; turn < 50; ++turn) {
    writes_.collect(now_);
    discovery_.tick(now_);
    api_.settle();
  }
  EXPECT_EQ(begun_.size(), 5u) << "until one of them has ended";
}

// The schema allows 10,000 files, and etcd 1.5 MiB.
TEST_F(DataDiscoveryTest, SaysThatAListingIsTooLargeAndDoesNotTryAgainForAnHour) {
  add_store("a");
  add_set({{"listing", {{"store", "a"}, {"path", "d/in"}}}});
  ASSERT_TRUE(tick_until([&] { return !created().empty(); }));
  const std::string job = created();
  Json listing = Json::array();
  for (int i = 0; i < 10'000; ++i) {
    const std::string path = "year=2026/" + std::string(140, 'p') + std::to_string(10'000 + i);
    listing.push_back({{"Path", path}, {"Name", path}, {"Size", 100}, {"IsDir", false}});
  }
  logs_[job + "-pod"] = listing.dump();
  finish_job(job);
  ASSERT_TRUE(tick_until([&] { return catalog_.data_set("d/logs")->finding.reason == FindingReason::too_large; }));
  EXPECT_THAT(catalog_.data_set("d/logs")->finding.message,
              testing::AllOf(HasSubstr("the object would have "), HasSubstr("allowed: 1500000"),
                             HasSubstr("several DataSets with a part of the files each")));
  EXPECT_TRUE(patched().is_null() || !patched()["status"].contains("files")) << "nothing is sent in vain";
  begun_.clear();
  for (int turn = 0; turn < 50; ++turn) {
    writes_.collect(now_ += std::chrono::minutes(1));
    discovery_.tick(now_);
  }
  EXPECT_TRUE(begun_.empty());
}

TEST_F(DataDiscoveryTest, SendsNothingAgainThatTheServerFindsTooLarge) {
  add_store("a");
  add_set({{"listing", {{"store", "a"}, {"path", "d/in"}}}});
  ASSERT_TRUE(tick_until([&] { return !created().empty(); }));
  const std::string job = created();
  logs_[job + "-pod"] = R"([{"Path":"x","Name":"x","Size":250,"IsDir":false}])";
  too_large_ = true;
  finish_job(job);
  ASSERT_TRUE(tick_until([&] { return catalog_.data_set("d/logs")->finding.reason == FindingReason::too_large; }));
  EXPECT_THAT(catalog_.data_set("d/logs")->finding.message,
              HasSubstr("the object would be larger than the API server"));
  for (int turn = 0; turn < 50; ++turn) {
    writes_.collect(now_ += std::chrono::minutes(1));
    catalog_.poll();
    discovery_.tick(now_);
  }
  EXPECT_EQ(refused_patches_, 1) << "neither by the client nor by the next look";
}

TEST_F(DataDiscoveryTest, KeepsNothingOfADataSetThatIsGone) {
  add_store("a");
  add_set({{"listing", {{"store", "a"}, {"path", "d/in"}}}});
  ASSERT_TRUE(tick_until([&] { return !created().empty(); }));
  const std::string job = created();
  logs_[job + "-pod"] = "no listing at all";
  finish_job(job);
  ASSERT_TRUE(tick_until([&] { return discovery_.kept() > 0; })) << "a log, and then the pause after a failure";
  catalog_.informers()[0].sink->deleted({"d", "logs", "uid-logs", "2"});
  ASSERT_TRUE(tick_until([&] { return discovery_.kept() == 0; }));
}

TEST_F(DataDiscoveryTest, StartsNoJobForWhatTheNamespaceMayNotAsk) {
  add_store("a");
  const Json hosts = {{{"host", "h1"}, {"store", "a"}}};
  for (const Json& discover :
       {Json{{"listing", {{"store", "a"}, {"path", "hr"}}}}, Json{{"listing", {{"store", "a"}, {"path", "d/../hr"}}}},
        Json{{"hdfs", {{"url", "http://169.254.169.254"}, {"path", "/in"}, {"hosts", hosts}}}},
        Json{{"hdfs", {{"url", "http://nn"}, {"path", "/people"}, {"hosts", hosts}}}},
        Json{{"hdfs", {{"url", "http://nn"}, {"path", "/in/%2e%2e/people"}, {"hosts", hosts}}}},
        Json{{"hdfs", {{"url", "http://nn"}, {"path", "/in"}, {"user", "hdfs"}, {"hosts", hosts}}}},
        Json{{"hdfs", {{"url", "http://nn/\nhttp://169.254.169.254"}, {"path", "/in"}, {"hosts", hosts}}}}}) {
    add_set(discover);
    for (int turn = 0; turn < 20; ++turn) discovery_.tick(now_ += std::chrono::minutes(1));
    EXPECT_FALSE(writes_.anything_under_way()) << discover.dump();
    EXPECT_EQ(created(), "");
  }
}

TEST_F(DataDiscoveryTest, AsksHdfsForFilesAndThenForTheirBlocks) {
  add_store("a");
  add_set({{"hdfs", {{"url", "http://nn"}, {"path", "/in"}, {"hosts", {{{"host", "h1"}, {"store", "a"}}}}}}});
  ASSERT_TRUE(tick_until([&] { return !created().empty(); }));
  const std::string first = created();
  EXPECT_THAT(last_job_, HasSubstr("http://nn/webhdfs/v1/in?op=LISTSTATUS"));
  logs_[first + "-pod"] = R"({"FileStatuses":{"FileStatus":[{"type":"DIRECTORY","pathSuffix":"day=1","length":0}]}})";
  finish_job(first);
  ASSERT_TRUE(tick_until([&] { return created() != first; }));
  const std::string below = created();
  EXPECT_THAT(last_job_, HasSubstr("http://nn/webhdfs/v1/in/day%3D1?op=LISTSTATUS"));
  logs_[below + "-pod"] = R"({"FileStatuses":{"FileStatus":[{"type":"FILE","pathSuffix":"x","length":150}]}})";
  finish_job(below);
  ASSERT_TRUE(tick_until([&] { return created() != below; }));
  const std::string second = created();
  EXPECT_THAT(last_job_, HasSubstr("http://nn/webhdfs/v1/in/day%3D1/x?op=GETFILEBLOCKLOCATIONS"));
  logs_[second + "-pod"] =
      R"({"BlockLocations":{"BlockLocation":[{"offset":0,"length":100,"hosts":["h1"]},{"offset":100,"length":50,"hosts":["h2"]}]}})";
  finish_job(second);
  ASSERT_TRUE(tick_until([&] { return !patched().is_null(); }));
  EXPECT_EQ(patched()["status"]["blocks"], 2);
  EXPECT_EQ(patched()["status"]["replicas"][0], (Json{{"store", "a"}, {"blocks", "0"}}));
}

}  // namespace
}  // namespace lips::kubernetes
