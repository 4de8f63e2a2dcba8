#include "kubernetes/data/move_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/random.h"
#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/resource_codec.h"
#include "tests/kubernetes/data/job_runner.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class MoveJobs : public testing::Test {
 protected:
  void SetUp() override {
    if (JobRunner::rclone().empty()) GTEST_SKIP() << "no rclone: e2e/build-tools rclone makes it";
    // Three blocks in two files, the first of them cut.
    text_a_ = noise(250'000, 1);
    text_b_ = noise(1'000, 2);
    set_ = *decode_data_set(R"({"metadata":{"namespace":"etl","name":"books","uid":"set"},"spec":{"blockSize":150000,
      "files":[{"path":"in/a file","size":250000},{"path":"in/b","size":1000}]}})");
    layout_ = *layout_of(set_);
    move_ = *decode_data_move(
        R"({"metadata":{"name":"m","uid":"moved"},"spec":{"dataSet":{"namespace":"etl","name":"books"}},
      "status":{"attempt":1,"dropAttempt":1}})");
    runner_ = std::make_unique<JobRunner>(testing::TempDir() + "lips-jobs-" + std::to_string(getpid()));
    runner_->secrets = {{"key/accessKeyId", "AKIA"}, {"key/secretAccessKey", "secret"}};
    s3_folder_ = testing::TempDir() + "lips-s3-" + std::to_string(getpid());
  }
  void TearDown() override { std::filesystem::remove_all(s3_folder_); }

  static std::string noise(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    std::string text;
    while (text.size() < size) text += static_cast<char>('a' + random.below(26));
    return text;
  }

  DataStoreResource store(const std::string& name, const std::string& kind) {
    return *decode_data_store(R"({"metadata":{"name":")" + name + R"(","uid":"store-)" + name +
                              R"("},"spec":{"zone":"z",)" + kind + "}}");
  }
  DataStoreResource node(const std::string& name) {
    return store(name, R"("nodeDirectory":{"node":")" + name + R"(","path":"/srv/data"})");
  }
  DataStoreResource volume(const std::string& name) { return store(name, R"("volume":{"claimName":")" + name + "\"}"); }
  DataStoreResource bucket(const std::string& name) {
    if (s3_.empty()) s3_ = runner_->serve_s3(s3_folder_, "AKIA", "secret");
    std::filesystem::create_directories(s3_folder_ + "/bucket");
    return store(
        name, R"("bucket":{"name":"bucket","prefix":")" + name + R"(","secretName":"key","endpoint":")" + s3_ + "\"}");
  }
  std::string folder(const DataStoreResource& at) {
    if (at.spec.kind == StoreKind::node_directory) return runner_->node_folder(at.spec.node, at.spec.path);
    if (at.spec.kind == StoreKind::zonal_volume) return runner_->claim_folder(at.spec.claim);
    return s3_folder_ + "/bucket/" + at.spec.prefix;
  }
  void fill(const DataStoreResource& at) {
    write_file(folder(at) + "/in/a file", text_a_);
    write_file(folder(at) + "/in/b", text_b_);
  }
  CopyWork work(const DataStoreResource& from, const DataStoreResource& to) {
    CopyWork result{&move_, &from, &to, {}, "127.0.0.1"};
    for (std::uint32_t block = 0; block < layout_.count(); ++block)
      result.blocks.push_back({block, original_part(layout_, block), copied_part(set_, layout_, block)});
    return result;
  }
  PodEnd copy(const CopyWork& what, int containers = 100) {
    if (needs_source_pod(what.from->spec, what.to->spec)) {
      PodEnd served = runner_->serve(Json::parse(source_pod_json(what, settings_)));
      if (!served.succeeded) return served;
    }
    return runner_->run(Json::parse(copy_job_json(what, settings_)), containers);
  }
  void expect_copied(const DataStoreResource& to) {
    const std::string copies = folder(to) + "/lips-copies/etl/books/set/";
    EXPECT_EQ(read_file(copies + "block-00000"), text_a_.substr(0, 150'000));
    EXPECT_EQ(read_file(copies + "block-00001"), text_a_.substr(150'000));
    EXPECT_EQ(read_file(copies + "block-00002"), text_b_);
    EXPECT_THAT(files_below(folder(to) + "/lips-copies"),
                ElementsAre("etl/books/set/block-00000", "etl/books/set/block-00001", "etl/books/set/block-00002"));
  }

  std::string text_a_, text_b_, s3_, s3_folder_;
  DataSetResource set_;
  DataLayout layout_;
  DataMoveResource move_;
  WorkSettings settings_{"lips", "image", "IfNotPresent", "", "", 0};
  std::unique_ptr<JobRunner> runner_;
};

TEST_F(MoveJobs, CopyBetweenAnyTwoKindsOfStore) {
  for (int from_kind = 0; from_kind < 3; ++from_kind)
    for (int to_kind = 0; to_kind < 3; ++to_kind) {
      SCOPED_TRACE(std::to_string(from_kind) + " to " + std::to_string(to_kind));
      const std::string pair = std::to_string(from_kind) + std::to_string(to_kind);
      const auto make = [&](int kind, const std::string& name) {
        return kind == 0 ? node(name) : kind == 1 ? volume(name) : bucket(name);
      };
      const DataStoreResource from = make(from_kind, "from" + pair), to = make(to_kind, "to" + pair);
      fill(from);
      const PodEnd end = copy(work(from, to));
      EXPECT_TRUE(end.succeeded) << end.message;
      expect_copied(to);
    }
}

TEST_F(MoveJobs, GoOnAfterTheyWereKilledBetweenCopyingAndVerifying) {
  const DataStoreResource from = node("a"), to = node("b");
  fill(from);
  EXPECT_FALSE(copy(work(from, to), 1).succeeded);
  EXPECT_THAT(files_below(folder(to)), testing::SizeIs(3)) << "temporary files";
  EXPECT_THAT(files_below(folder(to))[0], HasSubstr("lips-copies/moving/moved/1/"));
  move_.status.attempt = 2;
  EXPECT_TRUE(copy(work(from, to)).succeeded);
  expect_copied(to);
  EXPECT_TRUE(copy(work(from, to)).succeeded) << "all is there: verified again";
  expect_copied(to);
}

TEST_F(MoveJobs, RefuseWhatIsNotWhatItShouldBe) {
  const DataStoreResource from = node("a"), to = node("b");
  fill(from);
  CopyWork what = work(from, to);
  what.blocks[2].from.sha256 = std::string(64, 'a');
  const PodEnd end = copy(what);
  EXPECT_FALSE(end.succeeded);
  EXPECT_THAT(end.message, HasSubstr("block 2: the checksum is "));
  what.blocks[2].from.path = "in/nothing";
  EXPECT_THAT(copy(what).message, HasSubstr("block 2: cannot copy in/nothing"));
}

TEST_F(MoveJobs, ReplaceAFileOfTheSameSizeThatIsWrong) {
  const DataStoreResource from = node("a"), to = node("b");
  fill(from);
  write_file(folder(to) + "/lips-copies/etl/books/set/block-00002", std::string(1000, 'x'));
  EXPECT_FALSE(copy(work(from, to)).succeeded);
  move_.status.attempt = 2;
  EXPECT_TRUE(copy(work(from, to)).succeeded);
  expect_copied(to);
}

TEST_F(MoveJobs, DeleteWhatTheyAreToldAndTheFoldersThatAreEmptyThen) {
  for (const DataStoreResource& at : {node("a"), bucket("b")}) {
    fill(at);
    write_file(folder(at) + "/lips-copies/etl/books/set/block-00002", "x");
    write_file(folder(at) + "/lips-copies/moving/moved/1/0", "x");
    const DeleteWork drop{
        &move_, &at, true, {"in/a file", "in/was never there", "lips-copies/etl/books/set/block-00002"}};
    const PodEnd end = runner_->run(Json::parse(delete_job_json(drop, settings_)));
    EXPECT_TRUE(end.succeeded) << end.message;
    EXPECT_THAT(files_below(folder(at)), ElementsAre("in/b"));
    EXPECT_TRUE(at.spec.kind == StoreKind::bucket || !std::filesystem::exists(folder(at) + "/lips-copies"));
  }
}

TEST_F(MoveJobs, PurgeTheCopiesOfADataSetAndNothingElse) {
  const DataStoreResource at = node("a");
  fill(at);
  write_file(folder(at) + "/lips-copies/etl/books/set/block-00002", "x");
  write_file(folder(at) + "/lips-copies/etl/other/set2/block-00002", "x");
  EXPECT_TRUE(runner_->run(Json::parse(purge_job_json(set_, at, settings_))).succeeded);
  EXPECT_THAT(files_below(folder(at)), ElementsAre("in/a file", "in/b", "lips-copies/etl/other/set2/block-00002"));
}

TEST_F(MoveJobs, ListAFolderWithoutCopies) {
  set_.spec.discover.path = "in";
  for (const DataStoreResource& at : {node("a"), bucket("b")}) {
    fill(at);
    write_file(folder(at) + "/lips-copies/x", "x");
    const PodEnd end = runner_->run(Json::parse(list_job_json(set_, at, settings_)));
    ASSERT_TRUE(end.succeeded) << end.message;
    const Json listed = Json::parse(end.log);
    ASSERT_EQ(listed.size(), 2u);
    EXPECT_EQ(listed[0]["Path"], "a file");
    EXPECT_EQ(listed[0]["Size"], 250'000);
  }
  set_.spec.discover = {};
  set_.spec.discover.include = "b*";
  const Json some = Json::parse(runner_->run(Json::parse(list_job_json(set_, node("a"), settings_))).log);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0]["Path"], "in/b");
}

// Answers as a NameNode of Hadoop 3.4 writes them.
TEST_F(MoveJobs, FetchAnAnswerALineWithWhatIsReadOfIt) {
  httplib::Server server;
  server.set_keep_alive_max_count(1);  // each connection that is kept would hold one of its few threads
  server.Get(R"(/webhdfs/v1/(\d+))", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(
        "{\"BlockLocations\":{\"BlockLocation\":[{\"topologyPaths\":[\"/a/10.0.0.1:9866\"],\"corrupt\":false,"
        "\"cachedHosts\":[],\"names\":[\"10.0.0.1:9866\"],\"offset\":" +
            std::string(request.matches[1]) +
            ",\"hosts\":[\"dn1\",\"dn2\"],\n\"length\":1048576,\"storageTypes\":[\"DISK\"]}]}}\n",
        "application/json");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread listener([&] { server.listen_after_bind(); });
  const std::string name_node = "http://127.0.0.1:" + std::to_string(port) + "/webhdfs/v1/";
  std::vector<std::string> urls;
  for (int i = 0; i < 300; ++i)
    urls.push_back(name_node + std::to_string(i) + "?op=GETFILEBLOCKLOCATIONS&user.name=me");
  const PodEnd all = runner_->run(Json::parse(fetch_job_json(set_, "job", urls, settings_)));
  const PodEnd none = runner_->run(Json::parse(fetch_job_json(set_, "job", {}, settings_)));
  const PodEnd absent = runner_->run(Json::parse(fetch_job_json(set_, "job", {urls[0], name_node + "x"}, settings_)));
  server.stop();
  listener.join();
  ASSERT_TRUE(all.succeeded) << all.message;
  std::string expected;
  for (int i = 0; i < 300; ++i)
    expected += R"({"BlockLocations":{"BlockLocation":[{"corrupt":false,"offset":)" + std::to_string(i) +
                R"(,"hosts":["dn1","dn2"],"length":1048576}]}})" + '\n';
  EXPECT_EQ(all.log, expected);
  EXPECT_TRUE(none.succeeded) << none.message;
  EXPECT_EQ(none.log, "");
  EXPECT_FALSE(absent.succeeded);
  EXPECT_THAT(absent.message, HasSubstr("404"));
}

TEST_F(MoveJobs, CarryThousandsOfBlocksInVariablesThatAKernelTakes) {
  const DataStoreResource from = node("a"), to = node("b");
  CopyWork what{&move_, &from, &to, {}, "127.0.0.1"};
  for (std::uint32_t block = 0; block < most_blocks_of_a_move; ++block)
    what.blocks.push_back({block,
                           {std::string(60, 'p') + std::to_string(block), 0, 1, true, std::string(64, 'a')},
                           {"lips-copies/" + std::string(60, 'q') + std::to_string(block), 0, 1, true, ""}});
  const Json job = Json::parse(copy_job_json(what, settings_));
  std::string all;
  for (const Json& variable : job["spec"]["template"]["spec"]["containers"][0]["env"]) {
    const std::string value = variable.value("value", "");
    EXPECT_LT(value.size(), 131'072u);
    if (variable["name"].get<std::string>().starts_with("LIPS_BLOCKS_")) all += value + '\n';
  }
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), most_blocks_of_a_move);
}

}  // namespace
}  // namespace lips::kubernetes
