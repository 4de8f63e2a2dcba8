#include "kubernetes/data/data_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string told(const CatalogChange& change) {
  struct {
    std::string operator()(const StoreChanged& c) const { return "store " + c.store; }
    std::string operator()(const StoreGone& c) const { return "no store " + c.store; }
    std::string operator()(const PoolChanged& c) const { return "pool " + c.pool; }
    std::string operator()(const PoolGone& c) const { return "no pool " + c.pool; }
    std::string operator()(const DataSetChanged& c) const { return "set " + c.data_set; }
    std::string operator()(const DataSetGone& c) const { return "no set " + c.data_set; }
    std::string operator()(const ReplicasAppeared& c) const {
      return c.data_set + ' ' + c.blocks.text() + (c.extra ? " extra" : "") + " in " + c.store;
    }
    std::string operator()(const ReplicasGone& c) const {
      return c.data_set + ' ' + c.blocks.text() + " not in " + c.store;
    }
  } teller;
  return std::visit(teller, change);
}

class DataCatalogTest : public testing::Test {
 protected:
  void change(std::size_t kind, const std::string& name_space, const std::string& name, const std::string& rest) {
    const std::string version = std::to_string(++version_);
    const std::string meta = R"({"metadata":{"namespace":")" + name_space + R"(","name":")" + name + R"(","uid":"u-)" +
                             name + R"(","resourceVersion":")" + version +
                             R"(","creationTimestamp":"2026-01-31T12:00:)" + std::to_string(10 + version_ % 50) +
                             "Z\"},";
    catalog.informers()[kind].sink->changed({name_space, name, "u-" + name, version}, meta + rest + '}');
  }
  void data_set(const std::string& name, const std::string& rest) { change(0, "d", name, rest); }
  void store(const std::string& name, const std::string& path = "/srv") {
    change(1, "", name, R"("spec":{"zone":"z","nodeDirectory":{"node":")" + name + R"(","path":")" + path + R"("}})");
  }
  void pool(const std::string& name, const std::string& spec) { change(2, "", name, "\"spec\":{" + spec + '}'); }
  void remove(std::size_t kind, const std::string& name_space, const std::string& name) {
    catalog.informers()[kind].sink->deleted({name_space, name, "u-" + name, "99999"});
  }
  std::vector<std::string> poll() {
    std::vector<std::string> result;
    for (const CatalogChange& each : catalog.poll()) result.push_back(told(each));
    return result;
  }
  std::string finding_of(const std::string& name) {
    std::string result = "nothing";
    for (const ObjectFinding& each : catalog.take_findings())
      if (each.meta.object.name == name)
        result = std::string(to_string(each.finding.reason)) + ": " + each.finding.message;
    return result;
  }

  DataCatalog catalog{"lips", {10, 2, 100, {}, 20}};
  int version_ = 0;
};

const std::string four_blocks = R"("spec":{"blocks":4,"blockSize":10})";

TEST_F(DataCatalogTest, TellsStoresBeforeTheDataSetsThatNameThem) {
  data_set("books", four_blocks + R"(,"status":{"replicas":[{"store":"a","blocks":"0-3","extra":"1"}]})");
  store("a");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books", "d/books 0,2-3 in a", "d/books 1 extra in a"));
  EXPECT_THAT(poll(), IsEmpty());
  EXPECT_EQ(catalog.data_set("d/books")->layout->count(), 4u);
}

TEST_F(DataCatalogTest, TellsANewReplicaBeforeTheOldOneGoesAndALeavingOneAsGone) {
  store("a");
  store("b");
  data_set("books", four_blocks + R"(,"status":{"replicas":[{"store":"b","blocks":"0-3"}]})");
  poll();
  data_set("books",
           four_blocks +
               R"(,"status":{"replicas":[{"store":"a","blocks":"0-1"},{"store":"b","blocks":"0-3","leaving":"0"}]})");
  EXPECT_THAT(poll(), ElementsAre("d/books 0-1 in a", "d/books 0 not in b"));
  data_set("books",
           four_blocks + R"(,"status":{"replicas":[{"store":"a","blocks":"0-1"},{"store":"b","blocks":"1-3"}]})");
  EXPECT_THAT(poll(), IsEmpty());
}

TEST_F(DataCatalogTest, HoldsADataSetThatDoesNotAddUpBack) {
  store("a");
  data_set("books", R"("spec":{"size":100,"files":[{"path":"d/x","size":10}],"stores":[{"name":"a"}]})");
  data_set("good", R"("spec":{"files":[{"path":"d/x","size":10}],"stores":[{"name":"a"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/good"));
  EXPECT_EQ(finding_of("books"), "Invalid: spec.size: found 100; allowed: 10, which the files add up to");
  data_set("books", R"("spec":{"size":10,"files":[{"path":"d/x","size":10}],"stores":[{"name":"a"}]})");
  EXPECT_THAT(poll(), ElementsAre("set d/books"));
  EXPECT_EQ(finding_of("books"), "Usable: ");
}

TEST_F(DataCatalogTest, UsesADataSetWithoutTheStoreThatIsMissing) {
  store("a");
  data_set("books",
           four_blocks + R"(,"status":{"replicas":[{"store":"a","blocks":"0-3"},{"store":"b","blocks":"0-3"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books", "d/books 0-3 in a"));
  EXPECT_THAT(finding_of("books"), HasSubstr("StoreMissing: there is no DataStore b"));
  store("b");
  EXPECT_THAT(poll(), ElementsAre("store b", "d/books 0-3 in b"));
  EXPECT_EQ(finding_of("books"), "Usable: ");
  remove(1, "", "a");
  EXPECT_THAT(poll(), ElementsAre("no store a", "d/books 0-3 not in a"));
}

TEST_F(DataCatalogTest, SaysAMalformedObjectsNameAndKeepsTheOthers) {
  store("a");
  change(1, "", "odd", R"("spec":{"zone":7,"volume":{}})");
  EXPECT_THAT(poll(), ElementsAre("store a"));
  EXPECT_THAT(finding_of("odd"), HasSubstr("Malformed: DataStore odd: spec.zone: found a JSON number"));
}

TEST_F(DataCatalogTest, KeepsTheYoungerOfTwoStoresOfOneDirectoryOut) {
  store("a");
  change(1, "", "b", R"("spec":{"zone":"z","nodeDirectory":{"node":"a","path":"/srv/deeper"}})");
  EXPECT_THAT(poll(), ElementsAre("store a"));
  EXPECT_THAT(finding_of("b"), HasSubstr("Overlaps"));
  remove(1, "", "a");
  EXPECT_THAT(poll(), ElementsAre("no store a", "store b"));
}

TEST_F(DataCatalogTest, PoolsInACircleCountWithTheirOwnWeight) {
  change(2, "", "x", R"("spec":{"weight":3,"parent":"y"})");
  change(2, "", "y", R"("spec":{"weight":2,"parent":"x"})");
  change(2, "", "all", R"("spec":{"weight":4})");
  change(2, "", "p", R"("spec":{"weight":1,"parent":"all"})");
  change(2, "", "q", R"("spec":{"weight":3,"parent":"all","namespaces":["team"]})");
  EXPECT_THAT(poll(), ElementsAre("pool all", "pool p", "pool q", "pool x", "pool y"));
  EXPECT_THAT(finding_of("x"), HasSubstr("ParentsInACircle"));
  EXPECT_DOUBLE_EQ(catalog.weight_of(*catalog.pool("x")), 3);
  EXPECT_DOUBLE_EQ(catalog.weight_of(*catalog.pool("q")), 3);
  EXPECT_DOUBLE_EQ(catalog.weight_of(*catalog.pool("p")), 1);
  EXPECT_EQ(catalog.pool_of_name_space("team")->meta.object.name, "q");
  EXPECT_EQ(catalog.pool_of_name_space("x")->meta.object.name, "x");
  EXPECT_EQ(catalog.pool_of_name_space("other"), nullptr);
  EXPECT_EQ(catalog.pool_for("team", ""), "q");
  EXPECT_EQ(catalog.pool_for("other", ""), "other");
  EXPECT_EQ(catalog.pool_for("other", "other"), "other") << "as it is without saying so";
}

TEST_F(DataCatalogTest, ADataSetCutAnewIsAnother) {
  store("a");
  data_set("books", four_blocks);
  poll();
  data_set("books", R"("spec":{"blocks":5,"blockSize":10})");
  EXPECT_THAT(poll(), ElementsAre("no set d/books", "set d/books"));
}

TEST_F(DataCatalogTest, RefusesForeignFilesUntilTheStoresOwnerAllowsThem) {
  store("a");
  data_set("books", R"("spec":{"files":[{"path":"hr/x","size":10}],"stores":[{"name":"a"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a"));
  EXPECT_THAT(finding_of("books"), HasSubstr("NotAllowed: d may not name 'hr/x' in DataStore a"));
  const auto with = [&](const std::string& allowed) {
    change(1, "", "a",
           R"("spec":{"zone":"z","nodeDirectory":{"node":"a","path":"/srv"},"allowedNamespaces":[)" + allowed + "]}");
  };
  with(R"("d")");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books"));
  with("");
  EXPECT_THAT(poll(), ElementsAre("store a", "no set d/books"));
}

TEST_F(DataCatalogTest, HoldsYoungerSetsBackWhenANamespaceHasTooMuch) {
  store("a");
  data_set("first", R"("spec":{"blocks":6,"blockSize":1})");
  data_set("second", R"("spec":{"blocks":5,"blockSize":1})");
  data_set("third", R"("spec":{"blocks":4,"blockSize":1})");
  change(0, "e", "other", R"("spec":{"blocks":9,"blockSize":1})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/first", "set d/third", "set e/other"));
  EXPECT_THAT(finding_of("second"), HasSubstr("LimitExceeded: the data sets of namespace d"));
  remove(0, "d", "first");
  EXPECT_THAT(poll(), ElementsAre("no set d/first", "set d/second"));
  data_set("listed", R"("spec":{"files":[{"path":"d/x","size":1},{"path":"d/y","size":1},{"path":"d/z","size":0}]})");
  EXPECT_THAT(poll(), IsEmpty()) << "three files, two are allowed";
}

// Each namespace is within its own limits.
TEST_F(DataCatalogTest, HoldsBackWhatWouldBeTooMuchForAllTogether) {
  store("a");
  data_set("books", R"("spec":{"blocks":6,"blockSize":1,"stores":[{"name":"a"}]})");
  change(0, "e", "other", R"("spec":{"blocks":8,"blockSize":1,"stores":[{"name":"a"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books")) << "28 blocks and replicas, 20 are allowed";
  EXPECT_THAT(finding_of("other"), HasSubstr("LimitExceeded: all data sets together"));
  remove(0, "d", "books");
  EXPECT_THAT(poll(), ElementsAre("no set d/books", "set e/other"));
}

// Nobody looks whether a file is where a data set says; without a limit one name would fill all stores.
TEST_F(DataCatalogTest, HoldsYoungerSetsBackWhenANamespaceClaimsTooMuchRoom) {
  store("a");
  data_set("first", R"("spec":{"blocks":2,"blockSize":30})");
  data_set("second", R"("spec":{"blocks":1,"blockSize":41})");
  data_set("third", R"("spec":{"blocks":4,"blockSize":10})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/first", "set d/third"));
  EXPECT_THAT(finding_of("second"), HasSubstr("more than 10 blocks, 2 files or 100 bytes"));
  remove(0, "d", "third");
  EXPECT_THAT(poll(), ElementsAre("no set d/third")) << "101 bytes";
  data_set("first", R"("spec":{"blocks":2,"blockSize":29})");
  EXPECT_THAT(poll(), ElementsAre("no set d/first", "set d/first", "set d/second")) << "99 bytes";
}

TEST_F(DataCatalogTest, ANodeOfTheSameNameIsAnotherNode) {
  const auto a = [&](const std::string& uid) {
    change(1, "", "a",
           R"("spec":{"zone":"z","nodeDirectory":{"node":"a","path":"/srv"}},"status":{"nodeUid":")" + uid + "\"}");
  };
  NodeState sight{"u1", true};
  const auto look = [&] { catalog.use_nodes([&](const std::string&) { return sight; }); };
  look();
  a("u1");
  EXPECT_THAT(poll(), ElementsAre("store a"));
  EXPECT_TRUE(catalog.readable("a"));
  sight.ready = false;
  look();
  EXPECT_THAT(poll(), IsEmpty());
  EXPECT_FALSE(catalog.readable("a")) << "its node is dead";
  sight = {};
  look();
  EXPECT_THAT(poll(), ElementsAre("store a"));
  EXPECT_FALSE(catalog.readable("a")) << "its node is gone";
  sight = {"u2", true};
  look();
  EXPECT_THAT(poll(), ElementsAre("no store a"));
  EXPECT_FALSE(catalog.readable("a"));
  EXPECT_THAT(finding_of("a"), HasSubstr("NodeReplaced"));
  sight = {"u1", true};
  look();
  EXPECT_THAT(poll(), ElementsAre("store a")) << "it is back";
  EXPECT_TRUE(catalog.readable("a"));
}

TEST_F(DataCatalogTest, BlocksOfAStoreWhoseNodeIsGoneAreMissing) {
  NodeState sight{"u1", true};
  const auto look = [&] { catalog.use_nodes([&](const std::string&) { return sight; }); };
  look();
  store("a");
  data_set("books", four_blocks + R"(,"status":{"replicas":[{"store":"a","blocks":"0-3"}]})");
  poll();
  EXPECT_EQ(finding_of("books"), "Usable: ");
  sight = {"", false, false};
  look();
  poll();
  EXPECT_EQ(finding_of("books"), "nothing") << "nodes are not known yet";
  sight = {"", false, true};
  look();
  poll();
  EXPECT_EQ(finding_of("books"), "BlocksMissing: no store holds 4 of 4 blocks: 0-3");
  data_set("other", four_blocks);
  change(1, "", "a", R"("spec":{"zone":"z","nodeDirectory":{"node":"a","path":"/srv"}})");
  poll();
  EXPECT_EQ(finding_of("a"), "NodeGone: there is no node a: what lies there cannot be read");
  EXPECT_NE(catalog.store("a"), nullptr) << "it may come back";
  sight = {"u1", true, false};
  look();
  poll();
  EXPECT_EQ(finding_of("books"), "Usable: ");
}

TEST_F(DataCatalogTest, TwoSpellingsOfABucketAreOneStore) {
  const auto bucket = [&](const std::string& name, const std::string& endpoint, const std::string& more = "") {
    change(1, "", name,
           R"("spec":{"zone":"z","bucket":{"name":"lake","prefix":")" + name + R"(x","endpoint":")" + endpoint + '"' +
               more + "}}");
    poll();
    return finding_of(name);
  };
  const auto two = [&](const std::string& first, const std::string& second, const std::string& more = "") {
    change(1, "", "a", R"("spec":{"zone":"z","bucket":{"name":"lake","endpoint":")" + first + '"' + more + "}}");
    poll();
    const std::string finding = bucket("b", second, more);
    remove(1, "", "a"), remove(1, "", "b");
    poll();
    return finding.substr(0, finding.find(':'));
  };
  for (const char* spelling :
       {"http://minio:9000", "http://minio:9000/", "http://MINIO:9000", "HTTP://minio:9000//", "http://minio.:9000"})
    EXPECT_EQ(two("http://minio:9000", spelling), "Overlaps") << spelling;
  EXPECT_EQ(two("https://s3", "s3:443/"), "Overlaps");
  EXPECT_EQ(two("http://s3", "http://s3:80"), "Overlaps");
  EXPECT_EQ(two("", "https://s3.eu-west-1.amazonaws.com"), "Overlaps") << "a bucket of AWS has its name alone";
  EXPECT_EQ(two("", "https://storage.googleapis.com", R"(,"provider":"GCS")"), "Overlaps");
  EXPECT_EQ(two("http://minio:9000", "http://minio:9001"), "Usable");
  EXPECT_EQ(two("http://minio:9000", "http://other:9000"), "Usable");
}

// spec.stores counts for a store until the status names it.
TEST_F(DataCatalogTest, BlocksThatADataSetGotLaterAreMissingUntilTheStatusHasThem) {
  store("a");
  const std::string six = R"("spec":{"blocks":6,"blockSize":10,"stores":[{"name":"a"}]})";
  data_set("books", six);
  poll();
  EXPECT_EQ(finding_of("books"), "Usable: ");
  data_set("books", six + R"(,"status":{"replicas":[{"store":"a","blocks":"0-3"}]})");
  poll();
  EXPECT_EQ(finding_of("books"), "BlocksMissing: no store holds 2 of 6 blocks: 4-5");
}

TEST_F(DataCatalogTest, AStoreIsNoNodesRoot) {
  for (const char* path : {"/.", "/..", "//", "/", "/srv/../etc", "/srv/./x"}) {
    store("a", path);
    EXPECT_THAT(poll(), IsEmpty()) << path;
    EXPECT_THAT(finding_of("a"), HasSubstr("Invalid: spec.nodeDirectory.path")) << path;
  }
  for (const char* path : {"/srv", "/srv/.data/", "/..x"}) {
    store("a", path);
    EXPECT_THAT(poll(), ElementsAre("store a")) << path;
    remove(1, "", "a");
    poll();
  }
}

TEST_F(DataCatalogTest, StoresOverlapHoweverTheirFolderIsWritten) {
  store("a", "/srv/data/");
  change(1, "", "b", R"("spec":{"zone":"z","nodeDirectory":{"node":"a","path":"/srv/data"}})");
  EXPECT_THAT(poll(), ElementsAre("store a"));
  EXPECT_THAT(finding_of("b"), HasSubstr("Overlaps"));
}

TEST_F(DataCatalogTest, KnowsWhichFilesAreAnotherSetsToo) {
  store("a");
  const std::string in_a = R"("stores":[{"name":"a"}])";
  data_set("logs", R"("spec":{"files":[{"path":"d/2025/x","size":1},{"path":"d/2026/y","size":1}],)" + in_a + "}");
  data_set("year", R"("spec":{"files":[{"path":"d/2026/y","size":1}],)" + in_a + "}");
  poll();
  const std::vector<std::string> paths{"d/2025/x", "d/2026/y", "d/2026"};
  EXPECT_THAT(catalog.shared_files("d/logs", "a", paths), ElementsAre("d/2026", "d/2026/y"));
  EXPECT_THAT(catalog.shared_files("d/year", "a", paths), ElementsAre("d/2025/x", "d/2026", "d/2026/y"));
  EXPECT_THAT(catalog.shared_files("d/logs", "b", paths), IsEmpty());
}

double heap_mebibytes() {
  const auto now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / 1048576.0;
}

TEST_F(DataCatalogTest, AMillionBlocksCostNoMoreThanWhatIsSaidOfThem) {
  DataCatalog large("lips");
  const double before = heap_mebibytes();
  large.informers()[0].sink->changed(
      {"d", "big", "u", "1"},
      R"({"metadata":{"namespace":"d","name":"big","uid":"u"},"spec":{"blocks":1000000,"blockSize":1,"stores":[{"name":"a"}]},
          "status":{"replicas":[{"store":"a","blocks":"0-999999"}]}})");
  large.poll();
  ASSERT_TRUE(large.data_set("d/big")->usable());
  EXPECT_LT(heap_mebibytes() - before, 1.0);
}

TEST_F(DataCatalogTest, TellsWhenOthersMayReadIt) {
  store("a");
  const std::string replicas = R"(,"status":{"replicas":[{"store":"a","blocks":"0-3"}]})";
  data_set("books", four_blocks + replicas);
  poll();
  data_set("books", R"("spec":{"blocks":4,"blockSize":10,"readers":["team"]})" + replicas);
  EXPECT_THAT(poll(), ElementsAre("no set d/books", "set d/books", "d/books 0-3 in a"));
}

// A restored backup: until the store went back an older version was a late one of the watch.
TEST_F(DataCatalogTest, AListOfAStoreThatWentBackCounts) {
  store("a");
  const std::string replicas = R"(,"status":{"replicas":[{"store":"a","blocks":")";
  version_ = 3000;
  data_set("books", four_blocks + replicas + R"(0-3"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books", "d/books 0-3 in a"));
  version_ = 200;
  data_set("books", four_blocks + replicas + R"(0-1"}]})");
  EXPECT_THAT(poll(), IsEmpty()) << "late";
  catalog.informers()[0].sink->set_back({"/datasets", 3001, 250});
  data_set("books", four_blocks + replicas + R"(0-1"}]})");
  EXPECT_THAT(poll(), ElementsAre("d/books 2-3 not in a"));
  catalog.informers()[0].sink->complete(0);
  version_ = 190;
  data_set("books", four_blocks + replicas + R"(0-3"}]})");
  EXPECT_THAT(poll(), IsEmpty()) << "late again";
}

TEST_F(DataCatalogTest, IsCompleteWhenEveryKindWasListed) {
  for (auto& informer : catalog.informers()) {
    EXPECT_FALSE(catalog.complete());
    informer.sink->complete(0);
    catalog.poll();
  }
  EXPECT_TRUE(catalog.complete());
}

TEST_F(DataCatalogTest, AStatusOfAPoolIsNoChangeOfIt) {
  pool("p", R"("weight":1)");
  EXPECT_THAT(poll(), ElementsAre("pool p"));
  change(2, "", "p", R"("spec":{"weight":1},"status":{"share":"31%","pending":4})");
  EXPECT_THAT(poll(), IsEmpty());
  EXPECT_EQ(catalog.pool("p")->status.pending, 4);
  change(2, "", "p", R"("spec":{"weight":2},"status":{"share":"31%","pending":4})");
  EXPECT_THAT(poll(), ElementsAre("pool p"));
}

// Its pods run as ever; its owner reads why nothing holds the targets.
TEST_F(DataCatalogTest, APoolWithMalformedTargetsIsUsedWithoutThem) {
  for (const char* targets : {R"({"completeBy":"25:00"})", R"({"budgetPerDay":"500","meanWait":"soon"})", R"("none")",
                              R"({"budgetPerDay":{"usd":[1,2]},"meanWait":"5m"})"}) {
    pool("p", std::string(R"("weight":2,"targets":)") + targets + R"(,"minimum":3,"namespaces":["a"])");
    poll();
    ASSERT_NE(catalog.pool("p"), nullptr) << targets;
    const PoolSpec& spec = catalog.pool("p")->spec;
    EXPECT_EQ(spec.weight, 2);
    EXPECT_EQ(spec.minimum, 3) << "what stands behind the targets is read";
    EXPECT_FALSE(spec.targets.any()) << targets;
    EXPECT_EQ(catalog.pool_for("a", ""), "p");
    EXPECT_THAT(finding_of("p"), testing::AllOf(testing::StartsWith("TargetsMalformed: spec.targets"),
                                                HasSubstr("allowed: "), HasSubstr("counts as one without targets")));
  }
  pool("p", R"("targets":{"completeBy":"06:00"})");
  poll();
  EXPECT_TRUE(catalog.pool("p")->spec.targets.any());
  EXPECT_EQ(finding_of("p"), "Usable: ");
}

TEST_F(DataCatalogTest, APoolSaysWhoMayChooseIt) {
  pool("closed", R"("weight":1)");
  pool("own", R"("namespaces":["a","b"])");
  pool("chosen", R"("allowedNamespaces":["a"])");
  pool("open", R"("allowedNamespaces":["*"])");
  poll();
  EXPECT_EQ(catalog.pool_for("a", ""), "own");
  EXPECT_EQ(catalog.pool_for("a", "chosen"), "chosen");
  EXPECT_EQ(catalog.pool_for("stranger", "open"), "open");
  EXPECT_EQ(catalog.pool_for("closed", "closed"), "closed");
  for (const auto& [name_space, wanted] :
       {std::pair("b", "chosen"), std::pair("stranger", "own"), std::pair("a", "closed")}) {
    const Result<std::string> refused = catalog.pool_for(name_space, wanted);
    ASSERT_FALSE(refused) << name_space << ' ' << wanted;
    EXPECT_THAT(refused.error().message,
                HasSubstr(std::string("the Pool '") + wanted + "' does not take pods of the namespace " + name_space));
  }
  const Result<std::string> unknown = catalog.pool_for("a", "nowhere");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("there is no Pool 'nowhere'"));
}

TEST_F(DataCatalogTest, APoolMaySayWhatIsDoneWithPodsOfOtherSchedulers) {
  pool("steered", R"("mode":"steer")");
  pool("silent", R"("weight":1)");
  poll();
  EXPECT_EQ(catalog.mode_of("steered"), PodMode::steer);
  EXPECT_EQ(catalog.mode_of("silent"), std::nullopt);
  EXPECT_EQ(catalog.mode_of("a-namespace-alone"), std::nullopt);
  pool("steered", R"("mode":"bind")");
  poll();
  EXPECT_EQ(catalog.mode_of("steered"), PodMode::bind);
}

}  // namespace
}  // namespace lips::kubernetes
