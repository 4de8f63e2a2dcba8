#include "kubernetes/adapter/data_under_path.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* zonal_lake = R"("bucket":{"name":"lake","scope":"Zonal","prefix":"/wh/"})";
constexpr const char* regional_lake = R"("bucket":{"name":"lake"})";

// Namespace etl has files where stores let it, or below etl/.
class DataUnderPath : public testing::Test {
 protected:
  void change(std::size_t kind, const std::string& name_space, const std::string& name, const std::string& rest) {
    const std::string version = std::to_string(++version_);
    catalog_.informers()[kind].sink->changed(
        {name_space, name, "u-" + name, version},
        fmt::format(R"({{"metadata":{{"namespace":"{}","name":"{}","uid":"u-{}","resourceVersion":"{}",)"
                    R"("creationTimestamp":"2026-01-31T12:00:{}Z"}},{}}})",
                    name_space, name, name, version, 10 + version_ % 50, rest));
    catalog_.poll();
  }
  void store(const std::string& name, const std::string& place, const std::string& allowed = R"("*")") {
    change(1, "", name, fmt::format(R"("spec":{{"zone":"z","allowedNamespaces":[{}],{}}})", allowed, place));
  }
  void data_set(const std::string& name, const std::string& spec, const std::string& name_space = "etl") {
    change(0, name_space, name, "\"spec\":{" + spec + '}');
  }
  // A file of each path; block i is file i.
  static std::string files(const std::vector<std::string>& paths, const std::string& store = "s") {
    std::string list;
    for (const std::string& path : paths) list += fmt::format(R"(,{{"path":"{}","size":5}})", path);
    return fmt::format(R"("files":[{}],"stores":[{{"name":"{}"}}])", list.substr(1), store);
  }
  void hdfs(const std::string& name, const std::string& url, const std::string& folder) {
    change(0, "etl", name,
           fmt::format(R"("spec":{{"blockSize":10,"discover":{{"hdfs":{{"url":"{0}","path":"/{1}"}}}}}},)"
                       R"("status":{{"discoveredAt":"2026-01-31T12:00:00Z","files":[)"
                       R"({{"path":"{1}/part-0","size":15}},{{"path":"{1}/part-1","size":5}}]}})",
                       url, folder));
  }
  Result<std::vector<BlockRun>> find(const std::string& path, const std::string& name_space = "etl") const {
    return data_under(*read_data_path(path), catalog_, name_space);
  }
  std::vector<std::string> runs(const std::string& path, const std::string& name_space = "etl") const {
    std::vector<std::string> result;
    const auto found = find(path, name_space);
    if (!found) return {found.error().message};
    for (const BlockRun& run : *found) result.push_back(fmt::format("{} {}+{}", run.data_set, run.first, run.count));
    return result;
  }

  DataCatalog catalog_{"lips",
                       {1'000'000,
                        100'000,
                        0,
                        {{"http://NameNode.hdfs.svc:9870", {"*"}, {}, ""}, {"http://other:9870", {"*"}, {}, ""}}}};
  int version_ = 0;
};

TEST_F(DataUnderPath, AreTheBlocksOfFilesInTheFolder) {
  store("s", zonal_lake);
  data_set("events", files({"events/day=1/a", "events/day=1/b", "events/day=10/a", "events/day=2/a"}));
  data_set("users", files({"users/a"}));
  EXPECT_THAT(runs("s3a://lake/wh/events"), ElementsAre("etl/events 0+4"));
  EXPECT_THAT(runs("s3://lake/wh/events/day=1/"), ElementsAre("etl/events 0+2")) << "and not day=10";
  EXPECT_THAT(runs("s3n://lake/wh/events/day=2/a"), ElementsAre("etl/events 3+1"));
  EXPECT_THAT(runs("s3a://lake/wh"), ElementsAre("etl/events 0+4", "etl/users 0+1"));
  EXPECT_THAT(runs("s3a://lake"), ElementsAre("etl/events 0+4", "etl/users 0+1"));
  for (const char* nothing :
       {"s3a://lake/w", "s3a://lake/whx", "s3a://lake/wh/event", "s3a://lake/wh/events/day=1/a/x",
        "s3a://lake/wh/even%74s", "s3a://pond/wh/events", "gs://lake/wh/events", "hdfs://lake/wh"})
    EXPECT_FALSE(find(nothing)) << nothing;
}

TEST_F(DataUnderPath, AreSeparateRunsWhereOtherFilesLieBetween) {
  store("s", zonal_lake);
  data_set("mixed", files({"b/1", "a/1", "b/2", "b/3"}));
  EXPECT_THAT(runs("s3a://lake/wh/b"), ElementsAre("etl/mixed 0+1", "etl/mixed 2+2"));
}

TEST_F(DataUnderPath, AreBlocksWithoutAListToo) {
  store("s", zonal_lake);
  data_set("books", R"("blocks":4,"blockSize":10,"path":"shelf/books","stores":[{"name":"s"}])");
  EXPECT_THAT(runs("s3a://lake/wh/shelf"), ElementsAre("etl/books 0+4"));
  EXPECT_THAT(runs("s3a://lake/wh/shelf/books/block-00002"), ElementsAre("etl/books 2+1"));
  EXPECT_FALSE(find("s3a://lake/wh/shelf/books/block-00004"));
}

TEST_F(DataUnderPath, AreOnlyWhatTheNamespaceMayRead) {
  store("s", zonal_lake);
  data_set("mine", files({"all/mine"}));
  data_set("theirs", files({"all/theirs"}), "hr");
  data_set("shared", files({"all/shared"}) + R"(,"readers":["etl"])", "hr");
  EXPECT_THAT(runs("s3a://lake/wh/all"), ElementsAre("etl/mine 0+1", "hr/shared 0+1"));
  const auto hidden = find("s3a://lake/wh/all/theirs"), absent = find("s3a://lake/wh/all/nobodys");
  ASSERT_FALSE(hidden);
  EXPECT_EQ(hidden.error().code, ErrorCode::not_found);
  EXPECT_EQ(hidden.error().message, absent.error().message) << "nobody learns what there is elsewhere";
}

TEST_F(DataUnderPath, AreNotKnownWhereADataSetMayNotUseTheStore) {
  store("s", zonal_lake, R"("hr")");
  data_set("salaries", files({"hr/salaries"}));
  EXPECT_FALSE(find("s3a://lake/wh/hr/salaries")) << "its folder is another namespace's, so the set is not used";
}

TEST_F(DataUnderPath, AreNotWhatMovesHaveCopiedThere) {
  store("s", zonal_lake);
  store("n", R"("nodeDirectory":{"node":"n","path":"/srv"})");
  change(0, "etl", "books",
         R"("spec":{"blocks":1,"blockSize":10,"path":"shelf","stores":[{"name":"n"}]},)"
         R"("status":{"replicas":[{"store":"n","blocks":"0"},{"store":"s","blocks":"0","copies":"0"}]})");
  EXPECT_FALSE(find("s3a://lake/wh/shelf"));
}

TEST_F(DataUnderPath, NeedNoDescriptionInABucketOfARegion) {
  store("s", regional_lake);
  EXPECT_THAT(runs("s3a://lake/warehouse/events"), IsEmpty());
  EXPECT_THAT(runs("s3a://lake"), IsEmpty());
  data_set("events", files({"warehouse/events/a"}));
  EXPECT_THAT(runs("s3a://lake/warehouse"), ElementsAre("etl/events 0+1"));
  EXPECT_THAT(runs("s3a://lake/warehouse/users"), IsEmpty());
}

TEST_F(DataUnderPath, NeedADescriptionInABucketOfARegionThatIsNotForTheNamespace) {
  store("s", regional_lake, R"("hr")");
  EXPECT_FALSE(find("s3a://lake/warehouse/events"));
  EXPECT_FALSE(find("s3a://lake"));
  EXPECT_THAT(runs("s3a://lake/etl/events"), IsEmpty()) << "its own folder";
  EXPECT_FALSE(find("s3a://lake/etlx/events"));
  EXPECT_THAT(runs("s3a://lake/warehouse/events", "hr"), IsEmpty());
}

TEST_F(DataUnderPath, OfGoogleBeginWithGs) {
  store("s", R"("bucket":{"name":"lake","provider":"GCS"})");
  store("t", R"("bucket":{"name":"pond","scope":"Zonal","endpoint":"https://storage.googleapis.com"})");
  data_set("events", files({"a"}, "t"));
  EXPECT_THAT(runs("gs://lake/x"), IsEmpty());
  EXPECT_THAT(runs("gs://pond"), ElementsAre("etl/events 0+1"));
  EXPECT_FALSE(find("s3a://lake/x"));
}

TEST_F(DataUnderPath, OfTwoServersWithTheSameBucketAreRefused) {
  for (const char* name : {"s", "t"})
    store(name, fmt::format(R"("bucket":{{"name":"lake","endpoint":"http://{}:9000"}})", name));
  data_set("one", files({"a/one"}, "s"));
  data_set("two", files({"a/two"}, "t"));
  EXPECT_THAT(runs("s3a://lake/a/two"), ElementsAre("etl/two 0+1"));
  const auto both = find("s3a://lake/a");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, ErrorCode::invalid_input);
  EXPECT_THAT(both.error().message, HasSubstr("2 servers"));
}

TEST_F(DataUnderPath, InHdfsAreThoseOfItsNameNode) {
  hdfs("events", "http://NameNode.hdfs.svc:9870", "warehouse/events");
  hdfs("users", "http://other:9870", "warehouse/users");
  EXPECT_THAT(runs("hdfs://namenode.hdfs.svc:8020/warehouse/events"), ElementsAre("etl/events 0+3"));
  EXPECT_THAT(runs("hdfs://namenode/warehouse/events/part-1"), ElementsAre("etl/events 2+1"));
  EXPECT_THAT(runs("hdfs://namenode.hdfs.svc.cluster.local/warehouse"), ElementsAre("etl/events 0+3"));
  EXPECT_THAT(runs("hdfs:///warehouse/users"), ElementsAre("etl/users 0+3"));
  for (const char* nothing : {"hdfs://namenode2/warehouse/events", "hdfs://name/warehouse/events",
                              "hdfs://other/warehouse/events", "s3a://namenode/warehouse/events"})
    EXPECT_FALSE(find(nothing)) << nothing;
  EXPECT_THAT(runs("hdfs:///warehouse"), ElementsAre(HasSubstr("2 servers")));
}

TEST_F(DataUnderPath, InTooManyPartsAreRefused) {
  store("s", zonal_lake);
  std::vector<std::string> paths;
  for (int i = 0; i < 101; ++i) {
    paths.push_back(fmt::format("b/{}", i));
    paths.push_back(fmt::format("a/{}", i));
  }
  data_set("mixed", files(paths));
  EXPECT_THAT(runs("s3a://lake/wh/a"), ElementsAre(HasSubstr("101 separate parts of data sets; allowed: 100")));
  EXPECT_THAT(runs("s3a://lake/wh"), ElementsAre("etl/mixed 0+202"));
}

}  // namespace
}  // namespace lips::kubernetes
