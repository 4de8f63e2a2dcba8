#include "kubernetes/data/discovered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DataSetSpec listing_spec() {
  DataSetSpec spec;
  spec.block_size = 100;
  spec.discover.store = "node-a";
  spec.discover.path = "in/";
  return spec;
}

DataSetSpec hdfs_spec() {
  DataSetSpec spec;
  spec.block_size = 134217728;
  spec.discover.url = "http://namenode:9870/";
  spec.discover.user = "etl";
  spec.discover.path = "/warehouse/my logs";
  spec.discover.hosts = {{"dn1.example", "node-a"}, {"dn2.example", "node-b"}};
  return spec;
}

// As rclone 1.72 writes it.
TEST(Discovered, ReadsAListing) {
  const auto found = read_listing(R"([
{"Path":"b/part-1","Name":"part-1","Size":250,"IsDir":false,"Tier":"STANDARD"},
{"Path":"a","Name":"a","Size":100,"IsDir":false},
{"Path":"_SUCCESS","Name":"_SUCCESS","Size":0,"IsDir":false},
{"Path":"b/_temporary/0/part-2","Name":"part-2","Size":7,"IsDir":false}
])",
                                  listing_spec());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->files, ElementsAre(DataFile{"in/a", 100, ""}, DataFile{"in/b/part-1", 250, ""}));
  ASSERT_EQ(found->stores.size(), 1u);
  EXPECT_EQ(found->stores[0].store, "node-a");
  EXPECT_EQ(found->stores[0].blocks->text(), "0-3");
  EXPECT_THAT(read_listing("[\n2026/11/21 ERROR", listing_spec()).error().message, HasSubstr("not understood"));
  EXPECT_FALSE(read_listing(R"([{"Path":"a"}])", listing_spec()));
}

// As Hadoop 3.3 answers.
const char* const statuses = R"({"FileStatuses":{"FileStatus":[
{"accessTime":1700000000000,"blockSize":134217728,"childrenNum":0,"fileId":16390,"group":"supergroup","length":150000000,"modificationTime":1700000001000,"owner":"hdfs","pathSuffix":"part-00000","permission":"644","replication":3,"storagePolicy":0,"type":"FILE"},
{"accessTime":0,"blockSize":0,"childrenNum":2,"fileId":16391,"group":"supergroup","length":0,"modificationTime":1700000001000,"owner":"hdfs","pathSuffix":"deeper","permission":"755","replication":0,"storagePolicy":0,"type":"DIRECTORY"},
{"accessTime":1700000000000,"blockSize":134217728,"childrenNum":0,"fileId":16392,"group":"supergroup","length":0,"modificationTime":1700000001000,"owner":"hdfs","pathSuffix":"_SUCCESS","permission":"644","replication":3,"storagePolicy":0,"type":"FILE"},
{"accessTime":1700000000000,"blockSize":134217728,"childrenNum":0,"fileId":16393,"group":"supergroup","length":12,"modificationTime":1700000001000,"owner":"hdfs","pathSuffix":"part-00001","permission":"644","replication":3,"storagePolicy":0,"type":"FILE"}]}})";

std::string location(const std::string& blocks) { return R"({"BlockLocations":{"BlockLocation":[)" + blocks + "]}}\n"; }
std::string block(std::int64_t offset, std::int64_t length, const std::string& hosts, const char* corrupt = "false") {
  return R"({"cachedHosts":[],"corrupt":)" + std::string(corrupt) + R"(,"hosts":[)" + hosts + R"(],"length":)" +
         std::to_string(length) + R"(,"names":["10.0.0.1:9866"],"offset":)" + std::to_string(offset) +
         R"(,"storageTypes":["DISK"],"topologyPaths":["/default-rack/10.0.0.1:9866"]})";
}

// rclone lists them under names that no object of the bucket has.
TEST(Discovered, RefusesAListingWithNamesThatNobodyCouldRead) {
  for (const char* name :
       {"new\u240Aline", "tab\u2409here", "day\uFF0E/\uFF0E/x", "\uFF0E\uFF0E/x", "no\u201BFFcharacter"}) {
    const auto found = read_listing(R"([{"Path":")" + std::string(name) + R"(","Size":1}])", listing_spec());
    ASSERT_FALSE(found) << name;
    EXPECT_THAT(found.error().message, HasSubstr(name));
  }
  for (const char* name : {"a.b", "\uFF0Ehidden", "\u201Cquoted\u201D"})
    EXPECT_TRUE(read_listing(R"([{"Path":")" + std::string(name) + R"(","Size":1}])", listing_spec())) << name;
}

TEST(Discovered, ReadsWhereHdfsKeepsBlocks) {
  const DataSetSpec spec = hdfs_spec();
  const auto files = read_hdfs_status(statuses, spec.discover.path);
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(files->folders, ElementsAre("warehouse/my logs/deeper"));
  EXPECT_THAT(files->files, ElementsAre(DataFile{"warehouse/my logs/part-00000", 150'000'000, ""},
                                        DataFile{"warehouse/my logs/part-00001", 12, ""}));
  const std::string locations = location(block(0, 134217728, R"("dn1.example","dn2.example","dn9.example")") + ',' +
                                         block(134217728, 15782272, R"("dn2.example")")) +
                                location(block(0, 12, R"("dn1.example")"));
  const auto found = read_hdfs_blocks(files->files, locations, spec);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->stores.size(), 2u);
  EXPECT_EQ(found->stores[0].store + ' ' + found->stores[0].blocks->text(), "node-a 0,2");
  EXPECT_EQ(found->stores[1].store + ' ' + found->stores[1].blocks->text(), "node-b 0-1");
}

TEST(Discovered, LeavesCorruptReplicasOut) {
  const std::vector<DataFile> files{{"a", 12, ""}};
  const auto found = read_hdfs_blocks(files, location(block(0, 12, R"("dn1.example")", "true")), hdfs_spec());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->stores.empty());
}

// As Hadoop 3.4 answers while somebody writes: listed is what is complete, and the block that was just begun has no
// bytes.
TEST(Discovered, TakesOfAFileThatIsBeingWrittenWhatIsListed) {
  DataSetSpec spec = hdfs_spec();
  spec.block_size = 100;
  const std::vector<DataFile> files{{"a", 100, ""}, {"b", 150, ""}, {"c", 10, ""}};
  const std::string whole = block(0, 100, R"("dn1.example")");
  const auto found = read_hdfs_blocks(files,
                                      location(whole + ',' + block(100, 0, R"("dn2.example")")) +
                                          location(whole + ',' + block(100, 70, R"("dn1.example")")) +
                                          location(block(0, 10, R"("dn1.example")")),
                                      spec);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->files, files);
  ASSERT_EQ(found->stores.size(), 1u);
  EXPECT_EQ(found->stores[0].store + ' ' + found->stores[0].blocks->text(), "node-a 0-3");
}

TEST(Discovered, RefusesWhatHdfsKeepsErasureCoded) {
  const auto files = read_hdfs_status(
      R"({"FileStatuses":{"FileStatus":[{"blockSize":1048576,"ecBit":true,"ecPolicy":"XOR-2-1-1024k","length":2621440,"pathSuffix":"x","replication":1,"type":"FILE"}]}})",
      "/ec");
  EXPECT_THAT(files.error().message, HasSubstr("/ec/x is erasure-coded in HDFS"));
}

TEST(Discovered, SaysWhenHdfsCutsOtherBlocks) {
  const std::vector<DataFile> files{{"a", 150'000'000, ""}};
  const auto found = read_hdfs_blocks(files, location(block(0, 67108864, R"("dn1.example")")), hdfs_spec());
  EXPECT_THAT(found.error().message, HasSubstr("spec.blockSize: 134217728 bytes do not fit a block of 67108864 bytes"));
  const auto longer = read_hdfs_blocks(files, location(block(0, 150'000'000, R"("dn1.example")")), hdfs_spec());
  EXPECT_THAT(longer.error().message, HasSubstr("do not fit a block of 150000000 bytes at 0 of /a"));
}

TEST(Discovered, SaysWhatHdfsAnsweredInstead) {
  const auto files = read_hdfs_status(
      R"({"RemoteException":{"exception":"FileNotFoundException","javaClassName":"java.io.FileNotFoundException","message":"File /x does not exist."}})",
      "/x");
  EXPECT_EQ(files.error().message, "HDFS LISTSTATUS of /x: there is no such file or folder");
  EXPECT_FALSE(read_hdfs_blocks({{"a", 1, ""}}, "<html>", hdfs_spec()));
  EXPECT_FALSE(read_hdfs_blocks({{"a", 1, ""}}, "", hdfs_spec()));
}

TEST(Discovered, RepeatsNothingOfWhatAServiceAnswered) {
  const std::string secret = "AKIA-secret-of-169.254.169.254";
  for (const std::string& body :
       {secret, R"({"key":")" + secret + "\"}",
        R"({"RemoteException":{"exception":")" + secret + R"(","message":")" + secret + "\"}}",
        R"({"FileStatuses":{"FileStatus":[{"type":")" + secret + R"("}]}})",
        R"({"BlockLocations":{"BlockLocation":[{"offset":")" + secret + R"("}]}})",
        R"([{"Path":7,"Name":")" + secret + R"("}])"}) {
    for (const std::string& told :
         {read_listing(body, listing_spec()).error().message, read_hdfs_status(body, "/x").error().message,
          read_hdfs_blocks({{"a", 1, ""}}, body, hdfs_spec()).error().message}) {
      EXPECT_NE(told, "");
      EXPECT_EQ(told.find("AKIA"), std::string::npos) << told;
    }
  }
}

TEST(Discovered, AsksWithPathsAsUrlsHaveThem) {
  const DataSetSpec spec = hdfs_spec();
  EXPECT_EQ(hdfs_status_url(spec.discover, spec.discover.path),
            "http://namenode:9870/webhdfs/v1/warehouse/my%20logs?op=LISTSTATUS&user.name=etl");
  EXPECT_EQ(hdfs_blocks_url(spec.discover, {"warehouse/my logs/a", 1, ""}),
            "http://namenode:9870/webhdfs/v1/warehouse/my%20logs/a?op=GETFILEBLOCKLOCATIONS&user.name=etl");
}

TEST(Discovered, KnowsWhenBlocksKeepTheirNumbers) {
  const DataFile a{"a", 1, ""}, b{"b", 1, ""}, longer{"a", 2, ""};
  EXPECT_TRUE(only_added({a}, {a, b}));
  EXPECT_TRUE(only_added({}, {a}));
  EXPECT_FALSE(only_added({a}, {longer}));
  EXPECT_FALSE(only_added({a, b}, {a}));
}

}  // namespace
}  // namespace lips::kubernetes
