#include "kubernetes/data/task_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/resource_codec.h"
#include "model/degraded_input.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

CatalogDataSet catalogued(const std::string& spec, const std::string& replicas) {
  CatalogDataSet set;
  set.object = *decode_data_set(
      R"({"metadata":{"namespace":"etl","name":"books","uid":"u1"},"spec":)" + spec +
      R"(,"status":{"discoveredAt":"2026-01-31T12:00:00Z","files":[{"path":"in/x","size":30}],"replicas":)" + replicas +
      "}}");
  set.layout = layout_of(set.object);
  return set;
}

DataStoreResource store_of(const std::string& name, const std::string& spec) {
  return *decode_data_store(R"({"metadata":{"name":")" + name + R"(","uid":"uid-)" + name + R"("},"spec":)" + spec +
                            "}");
}

struct Stores {
  DataStoreResource node = store_of("a", R"({"zone":"z","nodeDirectory":{"node":"n1","path":"/srv/data/"}})");
  DataStoreResource volume = store_of("v", R"({"zone":"z","volume":{"claimName":"c","mountPath":"/data"}})");
  DataStoreResource bucket = store_of("s3", R"({"zone":"z","bucket":{"name":"bucket","prefix":"p"}})");
};

const StoreKey key("0123456789abcdef0123456789abcdef");

// As a pod that serves the store of that uid lets the folder be read.
std::string opened(const std::string& uid, const std::string& folder) {
  return "http://" + key.credentials(uid, folder) + "@10.1.0.7:8080/";
}

const std::string parts = R"({"blockSize":10,"files":[{"path":"my file","size":25}]})";

std::string input(const CatalogDataSet& set, std::uint32_t block, const DataStoreResource& store,
                  const std::string& node = "n2") {
  InputRequest request{&set, block, &store, node, nullptr, &key, ""};
  const auto result = task_input(request);
  return result ? *result : "error: " + result.error().message;
}

TEST(TaskInput, IsAPathOnTheNodeOfTheStoreAndAUrlElsewhere) {
  Stores stores;
  const auto set = catalogued(R"({"blocks":3,"blockSize":10})", R"([{"store":"a","blocks":"0-2","copies":"1"}])");
  EXPECT_EQ(input(set, 0, stores.node, "n1"), "/srv/data/etl/books/block-00000");
  EXPECT_EQ(input(set, 1, stores.node, "n1"), "/srv/data/lips-copies/etl/books/u1/block-00001");
  EXPECT_THAT(input(set, 0, stores.node), HasSubstr("DataStore a is not served"));
  stores.node.status.endpoint = "http://10.1.0.7:8080";
  EXPECT_EQ(input(set, 0, stores.node), opened("uid-a", "etl/books") + "block-00000");
  EXPECT_EQ(input(set, 1, stores.node), opened("uid-a", "lips-copies/etl/books/u1") + "block-00001");
  EXPECT_THAT(input(set, 3, stores.node, "n1"), HasSubstr("holds no block 3"));
}

TEST(TaskInput, SaysWhichBytesOfAFileAreTheBlock) {
  Stores stores;
  stores.node.spec.endpoint = "http://files/";
  const auto set = catalogued(parts, R"([{"store":"a","blocks":"0-2","copies":"1"},{"store":"s3","blocks":"0-2"}])");
  EXPECT_EQ(input(set, 2, stores.node, "n1"), "/srv/data/my file#bytes=20-24");
  EXPECT_EQ(input(set, 0, stores.node), "http://files/my%20file#bytes=0-9");
  EXPECT_EQ(input(set, 1, stores.node), "http://files/lips-copies/etl/books/u1/block-00001");
  EXPECT_EQ(input(set, 0, stores.bucket), "s3://bucket/p/my file#bytes=0-9");
}

TEST(TaskInput, IsAPathWhereThePodMountsTheVolume) {
  Stores stores;
  const auto set = catalogued(R"({"blocks":1,"blockSize":10})", R"([{"store":"v","blocks":"0"}])");
  const std::vector<std::string> claims{"c"};
  InputRequest request{&set, 0, &stores.volume, "n1", &claims, &key, ""};
  EXPECT_EQ(*task_input(request), "/data/etl/books/block-00000");
  request.mounted_at = "/mnt";
  EXPECT_EQ(*task_input(request), "/mnt/etl/books/block-00000");
}

TEST(TaskInput, OpensTheFolderOfTheFileThatIsReadAndNoOther) {
  Stores stores;
  stores.node.status.endpoint = "http://10.1.0.7:8080";
  const auto set = catalogued(R"({"files":[{"path":"etl/a b/x","size":1},{"path":"y","size":1}]})",
                              R"([{"store":"a","blocks":"0-1"}])");
  EXPECT_EQ(input(set, 0, stores.node), opened("uid-a", "etl/a b") + "x");
  EXPECT_EQ(input(set, 1, stores.node), opened("uid-a", "") + "y");
  InputRequest without{&set, 0, &stores.node, "n2", nullptr, nullptr, ""};
  EXPECT_THAT(task_input(without).error().message, HasSubstr("is not served"));
}

TEST(StoreKeys, MakeAnotherPasswordForEachStoreFolderAndKey) {
  std::set<std::string> passwords;
  for (const StoreKey& each : {key, StoreKey("another"), StoreKey::random(), StoreKey::random()})
    for (const char* uid : {"s", "t"})
      for (const char* folder : {"", "a", "a/b", "a/", "b"})
        passwords.insert(each.credentials(uid, folder).substr(each.credentials(uid, folder).find(':')));
  EXPECT_EQ(passwords.size(), 40u);
  EXPECT_EQ(key.seal("x").size(), 64u);
  const StoreKey of_s = key.of_store("s");
  EXPECT_EQ(folder_as_user("a") + ':' + of_s.seal(folder_as_user("a")), key.credentials("s", "a")) << "who serves it";
  for (const char* uid : {"s", "t"}) EXPECT_NE(of_s.credentials(uid, "a"), key.credentials(uid, "a"));
  EXPECT_EQ(folder_as_user("a?>b"), "folder-YT8-Yg");
}

TEST(TaskInput, AsksHdfsForWhatIsThere) {
  Stores stores;
  const auto set = catalogued(
      R"({"blockSize":10,"discover":{"hdfs":{"url":"http://nn:9870","user":"me","path":"/in","hosts":[{"host":"d","store":"a"}]}}})",
      R"([{"store":"a","blocks":"0-2"}])");
  EXPECT_EQ(input(set, 1, stores.node, "n1"),
            "http://nn:9870/webhdfs/v1/in/x?op=OPEN&offset=10&length=10&user.name=me");
}

// Three native blocks and, for each two of them, one of parity: block 3 of stripe 0, 4 of stripe 1.
TEST(TaskInput, OfALostBlockNamesWhatItIsDecodedFrom) {
  Stores stores;
  stores.node.status.endpoint = "http://10.1.0.7:8080";
  const auto set = catalogued(R"({"blocks":3,"blockSize":10,"erasureCode":{"n":3,"k":2}})",
                              R"([{"store":"a","blocks":"1,3"},{"store":"v","blocks":"2,4"}])");
  const std::vector<std::string> claims{"c"};
  const InputRequest lost{&set, 0, nullptr, "n2", &claims, &key, ""};
  const auto text = degraded_task_input(lost, {{1, &stores.node}, {3, &stores.node}});
  ASSERT_TRUE(text) << text.error().message;
  const Result<DegradedInput> read = parse_degraded_input(*text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->code.n, 3);
  EXPECT_EQ(read->natives, 2u);
  EXPECT_EQ(read->row, 0u);
  EXPECT_EQ(read->bytes, 10u);
  ASSERT_EQ(read->sources.size(), 2u);
  EXPECT_EQ(read->sources[0], std::pair(1u, opened("uid-a", "etl/books") + "block-00001"));
  EXPECT_EQ(read->sources[1].first, 2u) << "parity is the row after the native ones";
  EXPECT_THAT(degraded_task_input(lost, {{1, nullptr}, {3, &stores.node}}).error().message,
              HasSubstr("a store of its stripe is gone"));
}

TEST(TaskInput, OfSeveralBlocksIsALineForEachFile) {
  Stores stores;
  const auto set = catalogued(parts, R"([{"store":"a","blocks":"0-2","copies":"2"}])");
  const InputRequest request{&set, 0, &stores.node, "n1", nullptr, &key, ""};
  EXPECT_EQ(*task_inputs(request, 2), "/srv/data/my file#bytes=0-19");
  EXPECT_EQ(*task_inputs(request, 3), "/srv/data/my file#bytes=0-19\n/srv/data/lips-copies/etl/books/u1/block-00002");
  EXPECT_FALSE(task_inputs(request, 4));
}

}  // namespace
}  // namespace lips::kubernetes
