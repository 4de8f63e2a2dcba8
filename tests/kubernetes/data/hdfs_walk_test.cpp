#include "kubernetes/data/hdfs_walk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/data/data_names.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DiscoveryRequest table(const std::string& path = "/warehouse/events") {
  DiscoveryRequest request;
  request.url = "http://nn:9870";
  request.path = path;
  return request;
}

std::string entry(const std::string& type, const std::string& name, std::int64_t size = 10) {
  return fmt::format(R"({{"type":"{}","pathSuffix":"{}","length":{}}})", type, name, type == "FILE" ? size : 0);
}
std::string folder(const std::string& name) { return entry("DIRECTORY", name); }
std::string file(const std::string& name) { return entry("FILE", name); }
std::string listing(const std::vector<std::string>& entries) {
  return fmt::format("{{\"FileStatuses\":{{\"FileStatus\":[{}]}}}}\n", fmt::join(entries, ","));
}

std::vector<std::string> paths(const std::vector<DataFile>& files) {
  std::vector<std::string> result;
  for (const DataFile& one : files) result.push_back(one.path);
  return result;
}

TEST(HdfsWalk, ListsFoldersBelowFoldersAndLeavesOutWhatIsNoData) {
  HdfsWalk walk(table());
  EXPECT_THAT(walk.urls(), ElementsAre("http://nn:9870/webhdfs/v1/warehouse/events?op=LISTSTATUS"));
  ASSERT_TRUE(walk.take(listing({folder("day=2"), folder("day=1"), folder("_temporary"), folder(".hive-staging_1"),
                                 folder("_delta_log"), file("_SUCCESS"), file("part-0"), entry("SYMLINK", "latest")})));
  EXPECT_THAT(walk.urls(), ElementsAre("http://nn:9870/webhdfs/v1/warehouse/events/day%3D2?op=LISTSTATUS",
                                       "http://nn:9870/webhdfs/v1/warehouse/events/day%3D1?op=LISTSTATUS"));
  ASSERT_TRUE(
      walk.take(listing({file("part-0"), folder("_hour=7")}) + listing({entry("FILE", "part-0", 0), file("part-1")})));
  EXPECT_THAT(walk.urls(), ElementsAre(HasSubstr("day%3D2/_hour%3D7")));
  EXPECT_FALSE(walk.done());
  ASSERT_TRUE(walk.take(listing({file("part-9._COPYING_"), file("part-9")})));
  EXPECT_TRUE(walk.done());
  EXPECT_THAT(paths(walk.files()), ElementsAre("warehouse/events/day=1/part-1", "warehouse/events/day=2/_hour=7/part-9",
                                               "warehouse/events/day=2/part-0", "warehouse/events/part-0"));
}

TEST(HdfsWalk, LeavesOutTheMetadataOfAnIcebergTable) {
  HdfsWalk walk(table());
  ASSERT_TRUE(walk.take(listing({folder("data"), folder("metadata")})));
  ASSERT_TRUE(walk.take(listing({file("00000-0.parquet")}) +
                        listing({file("v1.metadata.json"), file("snap-1.avro"), file("version-hint.text")})));
  EXPECT_THAT(paths(walk.files()), ElementsAre("warehouse/events/data/00000-0.parquet"));
}

TEST(HdfsWalk, OfOneFileIsThatFile) {
  HdfsWalk walk(table("/warehouse/_raw/part-0"));
  ASSERT_TRUE(walk.take(listing({file("")})));
  EXPECT_TRUE(walk.done());
  EXPECT_THAT(paths(walk.files()), ElementsAre("warehouse/_raw/part-0"));
}

TEST(HdfsWalk, HasAnEnd) {
  std::vector<std::string> many;
  for (std::size_t i = 0; i < most_hdfs_folders; ++i) many.push_back(folder(fmt::format("f{}", i)));
  HdfsWalk wide(table());
  EXPECT_THAT(wide.take(listing(many)).error().message,
              HasSubstr("found 5001 folders below /warehouse/events; allowed: 5000"));
  HdfsWalk deep(table());
  for (int level = 0; level < most_hdfs_levels; ++level) ASSERT_TRUE(deep.take(listing({folder("f")}))) << level;
  EXPECT_THAT(deep.take(listing({folder("f")})).error().message, HasSubstr("found 13 levels of folders"));
  std::vector<std::string> files;
  for (std::size_t i = 0; i <= most_discovered_files; ++i) files.push_back(file(fmt::format("f{}", i)));
  HdfsWalk full(table());
  EXPECT_THAT(full.take(listing(files)).error().message, HasSubstr("found 10001 files; allowed: 10000"));
}

TEST(HdfsWalk, SaysOfWhichFolderHdfsTellsNothing) {
  HdfsWalk walk(table());
  ASSERT_TRUE(walk.take(listing({folder("a"), folder("b")})));
  EXPECT_THAT(walk.take(listing({}) + R"({"RemoteException":{"exception":"AccessControlException"}})").error().message,
              HasSubstr("/b: access is denied"));
}

TEST(DataNames, AreThoseThatSparkReads) {
  for (const char* good : {"part-0.parquet", "day=1", "_day=1", "a_b", "metadata", "x.metadata.json"})
    EXPECT_TRUE(names_data(good)) << good;
  for (const char* bad : {"_SUCCESS", "_temporary", ".hidden", "._day=1", "_metadata", "part-0._COPYING_", "."})
    EXPECT_FALSE(names_data(bad)) << bad;
}

TEST(DataNames, OfAllFoldersBelowTheOneThatIsNamedCount) {
  const auto left = [](const std::vector<std::string>& paths_of, const std::string& root) {
    std::vector<DataFile> files;
    for (const std::string& path : paths_of) files.push_back({path, 1, ""});
    leave_only_data(files, root);
    return paths(files);
  };
  EXPECT_THAT(left({"_lake/t/a", "_lake/t/_x/a", "_lake/t/.b"}, "_lake/t"), ElementsAre("_lake/t/a"));
  EXPECT_THAT(left({"t/data/a", "t/metadata/v1.metadata.json", "t/metadata/sub/x", "u/metadata/a"}, ""),
              ElementsAre("t/data/a", "u/metadata/a"));
  EXPECT_THAT(left({"t/metadata/v1.metadata.json"}, "t/metadata"), ElementsAre("t/metadata/v1.metadata.json"))
      << "somebody wants just that";
  EXPECT_THAT(left({}, "t"), IsEmpty());
}

}  // namespace
}  // namespace lips::kubernetes
