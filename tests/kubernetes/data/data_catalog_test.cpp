#include "kubernetes/data/data_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>



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
    catalog.kinds()[kind].sink->changed({name_space, name, "u-" + name, version}, meta + rest + '}');
  }
  void data_set(const std::string& name, const std::string& rest) { change(0, "d", name, rest); }
  void store(const std::string& name, const std::string& path = "/srv") {
    change(1, "", name, R"("spec":{"zone":"z","nodeDirectory":{"node":")" + name + R"(","path":")" + path + R"("}})");
  }
  void pool(const std::string& name, const std::string& spec) { change(2, "", name, "\"spec\":{" + spec + '}'); }
  void remove(std::size_t kind, const std::string& name_space, const std::string& name) {
    catalog.kinds()[kind].sink->deleted({name_space, name, "u-" + name, "99999"});
  }
  std::vector<std::string> poll() {
    std::vector<std::string> result;
    for (const CatalogChange& each : catalog.poll()) result.push_back(told(each));
    return result;
  }
  std::string finding_of(const std::string& name) {
    std::string result = "nothing";
    for (const ObjectFinding& each : catalog.take_findings())
      if (each.meta.object.name == name) result = each.finding.reason + ": " + each.finding.message;
    return result;
  }

  DataCatalog catalog{"lips"};
  int version_ = 0;
};

const std::string four_blocks = R"("spec":{"blocks":4,"blockSize":10})";

TEST_F(DataCatalogTest, TellsStoresBeforeTheDataSetsThatNameThem) {
  data_set("books", four_blocks + R"(,"status":{"replicas":[{"store":"a","blocks":"0-3","extra":"1"}]})");
  store("a");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books", "d/books 0,2-3 in a", "d/books 1 extra in a"));
  EXPECT_THAT(poll(), IsEmpty());
  EXPECT_EQ(catalog.data_set("d/books")->layout->blocks.size(), 4u);
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
  data_set("books", R"("spec":{"size":100,"files":[{"path":"x","size":10}],"stores":[{"name":"a"}]})");
  data_set("good", R"("spec":{"files":[{"path":"x","size":10}],"stores":[{"name":"a"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/good"));
  EXPECT_EQ(finding_of("books"), "Invalid: spec.size: found 100; allowed: 10, which the files add up to");
  data_set("books", R"("spec":{"size":10,"files":[{"path":"x","size":10}],"stores":[{"name":"a"}]})");
  EXPECT_THAT(poll(), ElementsAre("set d/books"));
  EXPECT_EQ(finding_of("books"), ": ");
}

TEST_F(DataCatalogTest, UsesADataSetWithoutTheStoreThatIsMissing) {
  store("a");
  data_set("books",
           four_blocks + R"(,"status":{"replicas":[{"store":"a","blocks":"0-3"},{"store":"b","blocks":"0-3"}]})");
  EXPECT_THAT(poll(), ElementsAre("store a", "set d/books", "d/books 0-3 in a"));
  EXPECT_THAT(finding_of("books"), HasSubstr("StoreMissing: there is no DataStore b"));
  store("b");
  EXPECT_THAT(poll(), ElementsAre("store b", "d/books 0-3 in b"));
  EXPECT_EQ(finding_of("books"), ": ");
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

TEST_F(DataCatalogTest, IsCompleteWhenEveryKindWasListed) {
  for (auto& kind : catalog.kinds()) {
    EXPECT_FALSE(catalog.complete());
    kind.sink->complete(0);
    catalog.poll();
  }
  EXPECT_TRUE(catalog.complete());
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

}  // namespace
}  // namespace lips::kubernetes
