#include "kubernetes/data/move_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <thread>

#include "base/random.h"
#include "config/operator_config.h"
#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/discovered.h"
#include "kubernetes/data/move_scripts.h"
#include "kubernetes/data/mover_options.h"
#include "kubernetes/data/resource_codec.h"
#include "kubernetes/data/store_key.h"
#include "kubernetes/data/unowned_copies.h"
#include "tests/kubernetes/api/first_request.h"
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
    runner_->secrets = {{"key/accessKeyId", "AKIA"},
                        {"key/secretAccessKey", "secret"},
                        {"lips-moved-source/word", key_.seal("move/moved")}};
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
  const StoreKey key_{"0123456789abcdef0123456789abcdef"};
  WorkSettings settings_ = [] {
    WorkSettings settings{"lips", "image", "IfNotPresent", "", "", 0};
    settings.run_as_user = 1234;
    settings.resources = {0, 0.5, Mebibytes(0), Mebibytes(256)};
    return settings;
  }();
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

TEST_F(MoveJobs, ServeAFolderToWhoeverHasItsPasswordAndToNobodyElse) {
  const DataStoreResource at = node("a");
  fill(at);
  write_file(folder(at) + "/other/secret", "hr");
  runner_->secrets["serving/word"] = key_.of_store("store-a").text();
  ASSERT_TRUE(runner_->serve(Json::parse(serve_pod_json(at, "serving", settings_))).succeeded);
  const auto get = [&](const std::string& user, const std::string& path) {
    httplib::Client client("127.0.0.1", runner_->port());
    const std::size_t colon = user.find(':');
    if (!user.empty()) client.set_basic_auth(user.substr(0, colon), user.substr(colon + 1));
    const auto answer = client.Get(path);
    return answer ? std::to_string(answer->status) + ' ' + (answer->status == 200 ? answer->body : "") : "none";
  };
  const std::string in = key_.credentials("store-a", "in");
  EXPECT_EQ(get(in, "/b"), "200 " + text_b_);
  EXPECT_EQ(get(in, "/a%20file"), "200 " + text_a_);
  EXPECT_EQ(get(in, "/../other/secret").substr(0, 2), "40");
  EXPECT_EQ(get(in, "/%2e%2e/other/secret").substr(0, 2), "40");
  EXPECT_EQ(get(key_.credentials("store-a", ""), "/other/secret"), "200 hr");
  EXPECT_EQ(get("", "/b"), "401 ");
  EXPECT_EQ(get("lips:moved", "/b"), "401 ");
  for (const std::string& wrong :
       {key_.credentials("store-b", "in"), StoreKey("other").credentials("store-a", "in"), in + "0",
        folder_as_user("other") + in.substr(in.find(':')), folder_as_user("other") + ':', std::string("folder-:")})
    EXPECT_EQ(get(wrong, "/b"), "401 ") << wrong;
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
        &move_, &at, false, {"in/a file", "in/was never there", "lips-copies/etl/books/set/block-00002"}};
    PodEnd end = runner_->run(Json::parse(delete_job_json(drop, settings_)));
    EXPECT_TRUE(end.succeeded) << end.message;
    EXPECT_THAT(files_below(folder(at)), ElementsAre("in/b", "lips-copies/moving/moved/1/0"));
    end = runner_->run(Json::parse(delete_job_json({&move_, &at, true, {}}, settings_)));
    EXPECT_TRUE(end.succeeded) << end.message;
    EXPECT_THAT(files_below(folder(at)), ElementsAre("in/b"));
    EXPECT_TRUE(is_bucket(at.spec.kind) || !std::filesystem::exists(folder(at) + "/lips-copies"));
  }
}

// A restored backup may call a move unfinished whose source is long deleted: what it would clean is the last copy.
TEST_F(MoveJobs, CleanOnlyWhatCanBeReadAtItsSource) {
  for (const bool cut : {false, true})
    for (const auto& [from, to] : std::vector<std::pair<DataStoreResource, DataStoreResource>>{
             {bucket(cut ? "old1" : "old"), node(cut ? "new1" : "new")},
             {node(cut ? "old2" : "old3"), bucket(cut ? "new2" : "new3")}}) {
      fill(from);
      const CopyWork work = this->work(from, to);
      ASSERT_TRUE(copy(work).succeeded);
      // Only the first block of the first file is left, or nothing; the other file is there.
      if (cut)
        write_file(folder(from) + "/in/a file", text_a_.substr(0, 150'000));
      else
        std::filesystem::remove(folder(from) + "/in/a file");
      DeleteWork clean{&move_, &to, true, {}, &from, work.blocks};
      for (const CarriedBlock& block : work.blocks) clean.paths.push_back(block.to.path);
      clean.paths.emplace_back("lips-copies/etl/books/set/of-no-known-source");
      write_file(folder(to) + "/lips-copies/etl/books/set/of-no-known-source", "x");
      const PodEnd end = runner_->run(Json::parse(delete_job_json(clean, settings_)));
      EXPECT_TRUE(end.succeeded) << end.message;
      const std::vector<std::string> left = files_below(folder(to) + "/lips-copies/etl/books/set");
      if (cut)
        EXPECT_THAT(left, ElementsAre("block-00001", "of-no-known-source"));
      else
        EXPECT_THAT(left, ElementsAre("block-00000", "block-00001", "of-no-known-source"));
    }
}

// After a restored backup a status may promise a replica that is long deleted.
TEST_F(MoveJobs, DropNothingWhoseOtherReplicaCannotBeRead) {
  for (const auto& [from, to] : std::vector<std::pair<DataStoreResource, DataStoreResource>>{
           {node("left1"), bucket("right1")}, {bucket("left2"), node("right2")}}) {
    fill(from);
    const CopyWork work = this->work(from, to);
    ASSERT_TRUE(copy(work).succeeded);
    DeleteWork drop{&move_, &from, false, {"in/a file", "in/b"}, &to, {}};
    for (const CarriedBlock& block : work.blocks) drop.blocks.push_back({block.number, block.to, {}});
    const std::string last = folder(to) + '/' + work.blocks.back().to.path;
    const std::string bytes = read_file(last);
    std::filesystem::remove(last);
    PodEnd end = runner_->run(Json::parse(delete_job_json(drop, settings_)));
    EXPECT_FALSE(end.succeeded);
    EXPECT_THAT(end.message,
                HasSubstr("nothing is deleted: the other replica cannot be read: " + work.blocks.back().to.path));
    EXPECT_THAT(files_below(folder(from)), ElementsAre("in/a file", "in/b"));
    write_file(last, bytes);
    end = runner_->run(Json::parse(delete_job_json(drop, settings_)));
    EXPECT_TRUE(end.succeeded) << end.message;
    EXPECT_THAT(files_below(folder(from)), testing::IsEmpty());
  }
}

// A DataStore is a name that a person gave a place. One may give it two: a bucket twice, or a bucket and its mount.
TEST_F(MoveJobs, DeleteNothingWhoseOtherReplicaIsTheSameFileUnderAnotherName) {
  DataStoreResource again = bucket("twice");
  again.meta.object.name = "again";
  const DataStoreResource mount = node("mount");
  std::filesystem::create_directories(folder(bucket("twice")));
  std::filesystem::create_directories(std::filesystem::path(folder(mount)).parent_path());
  std::filesystem::remove(folder(mount));
  std::filesystem::create_directory_symlink(folder(bucket("twice")), folder(mount));
  for (const auto& [at, other] : std::vector<std::pair<DataStoreResource, DataStoreResource>>{
           {bucket("twice"), again}, {mount, bucket("twice")}, {bucket("twice"), mount}}) {
    fill(at);
    const CopyWork work = this->work(at, other);
    ASSERT_TRUE(copy(work).succeeded);
    const std::vector<std::string> before = files_below(folder(at));
    DeleteWork drop{&move_, &at, false, {}, &other, {}}, clean{&move_, &other, true, {}, &at, work.blocks};
    for (const CarriedBlock& block : work.blocks) {
      drop.paths.push_back(block.to.path), drop.blocks.push_back({block.number, block.to, {}});
      clean.paths.push_back(block.to.path);
    }
    const PodEnd dropped = runner_->run(Json::parse(delete_job_json(drop, settings_)));
    EXPECT_FALSE(dropped.succeeded);
    EXPECT_THAT(dropped.message,
                HasSubstr("nothing is deleted: the other replica is the same file under another name"));
    EXPECT_EQ(files_below(folder(at)), before);
    const PodEnd cleaned = runner_->run(Json::parse(delete_job_json(clean, settings_)));
    EXPECT_TRUE(cleaned.succeeded) << cleaned.message;
    EXPECT_THAT(cleaned.message, HasSubstr("files stay"));
    EXPECT_EQ(files_below(folder(at)), before);
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

TEST_F(MoveJobs, SumUpTheCopiesInAStoreByTheirOwners) {
  for (const DataStoreResource& at : {node("a"), volume("v"), bucket("b")}) {
    const auto look = [&] { return runner_->run(Json::parse(look_job_json(at, "look", settings_))); };
    fill(at);
    PodEnd end = look();
    ASSERT_TRUE(end.succeeded) << at.meta.object.name << ": " << end.message;
    EXPECT_TRUE(read_copy_folders(end.log)->empty()) << end.log;
    const std::string copies = folder(at) + "/lips-copies/";
    for (int block = 0; block < 20; ++block)
      write_file(copies + "etl/books/set/block-" + std::to_string(block), std::string(1000, 'x'));
    write_file(copies + "etl/books/set2/block-00000", "xy");
    write_file(copies + "moving/m1/2/17", "xyz");
    write_file(copies + "of somebody", "x");
    end = look();
    ASSERT_TRUE(end.succeeded) << at.meta.object.name << ": " << end.message;
    const auto folders = read_copy_folders(end.log);
    ASSERT_TRUE(folders) << folders.error().message;
    std::vector<std::string> lines;
    for (const CopyFolder& each : *folders)
      lines.push_back(each.path + ' ' + std::to_string(each.files) + ' ' + std::to_string(each.bytes));
    EXPECT_THAT(lines,
                ElementsAre("etl/books/set 20 20000", "etl/books/set2 1 2", "moving/m1/2 1 3", "of somebody 1 1"))
        << at.meta.object.name;
    EXPECT_EQ(files_below(folder(at)).size(), 25u) << "nothing is written or deleted";
  }
}

// As S3 answers ListObjectsV2 for a bucket with one object of each of these keys.
std::string listed_as_s3(const std::vector<std::string>& keys, const std::string& prefix,
                         const std::string& delimiter) {
  std::string contents;
  std::set<std::string> folders;
  for (const std::string& key : keys) {
    if (!key.starts_with(prefix)) continue;
    const std::size_t end = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
    if (end == std::string::npos)
      contents += "<Contents><Key>" + key +
                  "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>\"a\"</ETag><Size>7</Size>"
                  "<StorageClass>STANDARD</StorageClass></Contents>";
    else
      folders.insert(key.substr(0, end + 1));
  }
  for (const std::string& folder : folders)
    contents += "<CommonPrefixes><Prefix>" + folder + "</Prefix></CommonPrefixes>";
  return "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
         "<Name>bucket</Name><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>" +
         contents + "</ListBucketResult>";
}

TEST_F(MoveJobs, ListNothingWhereAPartOfTheDataWouldBeMissing) {
  answer_first_request();
  httplib::Server server;
  std::vector<std::string> keys;
  server.Get(".*", [&](const httplib::Request& request, httplib::Response& response) {
    if (request.method == "HEAD")
      response.status = 404;
    else
      response.set_content(listed_as_s3(keys, request.get_param_value("prefix"), request.get_param_value("delimiter")),
                           "application/xml");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread listener([&] { server.listen_after_bind(); });
  const DataStoreResource lake =
      store("lake", R"("bucket":{"name":"bucket","secretName":"key","endpoint":"http://127.0.0.1:)" +
                        std::to_string(port) + "\"}");
  set_.spec.discover.path = "in";
  const auto list = [&](const std::string& key) {
    keys = {"in/a", key};
    return runner_->run(Json::parse(list_job_json(set_, lake, settings_)));
  };
  const PodEnd twice = list("in/day=1//part"), dot = list("in/./part"), up = list("in/../part"), well = list("in/b/c");
  server.stop();
  listener.join();
  EXPECT_FALSE(twice.succeeded) << twice.log;
  EXPECT_THAT(twice.message, HasSubstr("the list would be without a part of the data: "));
  EXPECT_THAT(twice.message, HasSubstr("day=1/"));
  for (const PodEnd* end : {&dot, &up}) {
    ASSERT_TRUE(end->succeeded) << end->message;
    const auto found = read_listing(end->log, set_.spec);
    ASSERT_FALSE(found) << end->log;
    EXPECT_THAT(found.error().message, HasSubstr("without parts '.' and '..'"));
  }
  ASSERT_TRUE(well.succeeded) << well.message;
  EXPECT_EQ(read_listing(well.log, set_.spec)->files.size(), 2u);
}

TEST_F(MoveJobs, ListNoDirectoryWithALinkThatTheyDoNotFollow) {
  const DataStoreResource at = node("a");
  fill(at);
  std::filesystem::create_symlink("b", folder(at) + "/in/c");
  Json job = Json::parse(list_job_json(set_, at, settings_));
  Json& environment = job["spec"]["template"]["spec"]["containers"][0]["env"];
  environment.push_back({{"name", "RCLONE_COPY_LINKS"}, {"value", "false"}});
  const PodEnd end = runner_->run(job);
  EXPECT_FALSE(end.succeeded) << end.log;
  EXPECT_THAT(end.message, HasSubstr("in/c: Can't follow symlink"));
}

// Answers as a NameNode of Hadoop 3.4 writes them.
TEST_F(MoveJobs, FetchAnAnswerALineWithWhatIsReadOfIt) {
  answer_first_request();
  httplib::Server server;
  server.set_keep_alive_max_count(1);  // each connection that is kept would hold one of its few threads
  server.Get(R"(/webhdfs/v1/(\d+))", [](const httplib::Request& request, httplib::Response& response) {
    const std::string offset = request.matches[1];
    response.body = R"({"BlockLocations":{"BlockLocation":[{"topologyPaths":["/a/10.0.0.1:9866"],"corrupt":false,)"
                    R"("cachedHosts":[],"names":["10.0.0.1:9866"],"offset":)" +
                    offset + ",\"hosts\":[\"dn1\",\"dn2\"],\n\"length\":1048576,\"storageTypes\":[\"DISK\"]}]}}\n";
  });
  server.Get("/webhdfs/v1/standby", [](const httplib::Request&, httplib::Response& response) {
    response.status = 403, response.body = R"({"RemoteException":{"exception":"StandbyException","message":"secret"}})";
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
  const PodEnd standby = runner_->run(Json::parse(fetch_job_json(set_, "job", {name_node + "standby"}, settings_)));
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
  EXPECT_THAT(standby.message, HasSubstr("403 Forbidden: this name node stands by"));
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
