#include "kubernetes/adapter/data_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/random.h"
#include "model/cluster_state.h"
#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

// Two nodes with a store each; store a holds blocks 0-3 of d/s, store b an extra copy of block 3. Nobody leads, so that
// nothing is written.
class DataLinkTest : public testing::Test {
 protected:
  DataLinkTest() {
    for (const char* name : {"a", "b"}) {
      Node node;
      node.meta = {"", name, name, "1"};
      node.ready = true;
      nodes_.update(node);
      change(1, "", name,
             std::string(R"("spec":{"zone":"z","nodeDirectory":{"node":")") + name + R"(","path":"/srv"}})");
    }
    replicas(R"({"store":"a","blocks":"0-3"},{"store":"b","blocks":"3","copies":"3","extra":"3"})");
    move("former", "0-1", "Copying");
    for (const DataCatalog::Informer& informer : link_.informers()) informer.sink->complete(0);
    EXPECT_TRUE(link_.poll(index_, false, {}, events_));
  }
  void change(std::size_t kind, const std::string& name_space, const std::string& name, const std::string& rest) {
    const std::string version = std::to_string(++version_);
    link_.informers()[kind].sink->changed({name_space, name, name, version},
                                          R"({"metadata":{"namespace":")" + name_space + R"(","name":")" + name +
                                              R"(","uid":")" + name + R"(","resourceVersion":")" + version +
                                              R"(","creationTimestamp":"2026-01-31T12:00:00Z"},)" + rest + '}');
  }
  void replicas(const std::string& list) {
    change(0, "d", "s",
           R"("spec":{"blocks":4,"blockSize":"1Mi","stores":[{"name":"a"}]},"status":{"blocks":4,"replicas":[)" + list +
               "]}");
  }
  void move(const std::string& name, const std::string& blocks, const std::string& phase) {
    change(3, "", name,
           R"("spec":{"dataSet":{"namespace":"d","name":"s"},"from":"a","to":"b","blocks":")" + blocks +
               R"("},"status":{"phase":")" + phase + R"(","blocks":")" + blocks + R"(","attempt":1})");
  }
  std::shared_ptr<const ClusterSnapshot> list() { return index_.list(nodes_, PodClasses(), link_.view()).start; }
  template <class Event>
  std::vector<Event> told() {
    std::vector<ClusterEvent> events;
    EXPECT_FALSE(link_.poll(index_, true, {}, events));
    std::move(events_.begin(), events_.end(), std::back_inserter(events));
    events_.clear();
    std::vector<Event> result;
    for (const ClusterEvent& event : events)
      if (const auto* wanted = std::get_if<Event>(&event)) result.push_back(*wanted);
    return result;
  }

  VirtualApi api_{[](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; }};
  EventRecorder recorder_{api_.client(), {}, [] { return false; }};
  DataLink link_{
      {api_.client(), recorder_, [] { return false; }, [](const auto&, std::uint32_t, const auto&) { return false; }},
      {}};
  NodeCache nodes_;
  ModelIndex index_{[] {
    ModelSettings settings;
    settings.node_price = [](const PriceQuestion&) { return NodePrice{}; };
    settings.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(0); };
    return settings;
  }()};
  std::vector<ClusterEvent> events_;
  int version_ = 0;
};

using DataLinkTells = DataLinkTest;

TEST_F(DataLinkTells, OfMovesThatAProcessBeforeItBeganAndOfTheirEnd) {
  const auto start = list();
  ASSERT_EQ(start->moves.size(), 2u);
  EXPECT_EQ(start->moves[0].block, BlockId(0));
  EXPECT_EQ(start->moves[1].block, BlockId(1));
  EXPECT_EQ(start->stores[start->moves[0].to].name, "b");
  EXPECT_NE(start->moves[0].id, start->moves[1].id);
  EXPECT_EQ(list()->moves[0].id, start->moves[0].id) << "another listing, the same move";
  replicas(R"({"store":"a","blocks":"0-3"},{"store":"b","blocks":"0-1,3","copies":"0-1,3","extra":"3"})");
  move("former", "0-1", "Committed");
  const auto ended = told<MoveEnded>();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].move, start->moves[0].id);
  EXPECT_TRUE(ended[0].committed && ended[1].committed);
  EXPECT_TRUE(list()->moves.empty());
}

TEST_F(DataLinkTells, OfAMoveThatFailedThatItIsNotCommitted) {
  const auto start = list();
  move("former", "0-1", "Failed");
  const auto ended = told<MoveEnded>();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_FALSE(ended[0].committed || ended[1].committed);
}

TEST_F(DataLinkTells, AtOnceThatADroppedCopyIsNotToBeRead) {
  const auto start = list();
  const BlockId block(3);
  const StoreId store = index_.store("b");
  ASSERT_NE(start->blocks[block].on(store), nullptr);
  link_.drop({block, store}, index_, events_);
  link_.drop({block, store}, index_, events_);  // the policy need not know that it is under way
  EXPECT_EQ(told<ReplicaRemoved>().size(), 1u);
  EXPECT_EQ(list()->blocks[block].on(store), nullptr) << "nor does a listing bring it back";
  replicas(R"({"store":"a","blocks":"0-3"},{"store":"b","blocks":"3","copies":"3"})");
  ASSERT_EQ(told<ReplicaAdded>().size(), 1u) << "it is no extra copy any more, and stays";
  EXPECT_NE(list()->blocks[block].on(store), nullptr);
}

// A tenant may have millions of blocks: an event for each would keep everybody waiting.
TEST_F(DataLinkTells, OfReplicasByRunsOfBlocksAndSaysWhatAListingWouldSay) {
  replicas(R"({"store":"a","blocks":"0-3"})");
  events_.clear();
  link_.poll(index_, false, {}, events_);
  events_.clear();
  ClusterState state(*list());
  Random random(derive_seed(7, 1));
  for (int i = 0; i < 300; ++i) {
    BlockRanges some, extra;
    for (std::uint32_t block = 0; block < 4; ++block) {
      if (random.below(2) == 0) some.add(block);
      if (some.contains(block) && random.below(2) == 0) extra.add(block);
    }
    if (random.below(4) == 0) {
      const BlockId dropped(static_cast<std::uint32_t>(random.below(4)));
      if (state.snapshot().blocks[dropped].on(index_.store("b")))
        link_.drop({dropped, index_.store("b")}, index_, events_);
    }
    replicas(R"({"store":"a","blocks":"0-3"},{"store":"b","blocks":")" + some.text() + R"(","copies":")" + some.text() +
             R"(","extra":")" + extra.text() + "\"}");
    std::vector<ClusterEvent> events;
    ASSERT_FALSE(link_.poll(index_, true, {}, events));
    EXPECT_LE(events.size(), 4u);
    std::move(events.begin(), events.end(), std::back_inserter(events_));
    for (const ClusterEvent& event : std::exchange(events_, {})) state.apply(event);
    const auto listed = list();
    for (const BlockId block : listed->blocks.ids()) {
      std::vector<Replica> replicas = listed->blocks[block].replicas;
      std::ranges::sort(replicas, {}, &Replica::store);
      EXPECT_EQ(state.snapshot().blocks[block].replicas, replicas) << "step " << i << ", block " << block.index();
    }
    if (HasFailure()) return;
  }
}

TEST_F(DataLinkTest, NamesTheStoresWithCopiesThatNobodyOwnsThoseWithMostFirst) {
  const auto look = [&](const std::string& store, const std::string& found) {
    change(1, "", store,
           R"("spec":{"zone":"z","nodeDirectory":{"node":")" + store + R"(","path":"/srv"}},"status":{"unowned":)" +
               found + '}');
  };
  const std::string since = R"("since":"2026-01-31T12:00:00Z")";
  look("a", R"({"lookedAt":"2026-02-01T12:00:00Z","copies":3,"bytes":10,"examples":[]})");
  look("b", R"({"lookedAt":"2026-02-01T12:00:00Z","copies":1,"bytes":20,"examples":[{"path":"lips-copies/d/s/u",)" +
                since + "}]}");
  link_.poll(index_, false, {}, events_);
  const std::vector<UnownedInStore> found = link_.unowned();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].store, "b");
  EXPECT_EQ(found[0].example, "lips-copies/d/s/u");
  EXPECT_TRUE(found[0].since.has_value());
  EXPECT_EQ(found[1].copies, 3);
  EXPECT_FALSE(found[1].since.has_value());
  look("b", R"({"lookedAt":"2026-02-02T12:00:00Z","copies":0,"bytes":0,"examples":[]})");
  link_.poll(index_, false, {}, events_);
  EXPECT_EQ(link_.unowned().size(), 1u);
}

TEST_F(DataLinkTest, ForgetsDropsOfADataSetThatIsGone) {
  list();
  link_.drop({BlockId(3), index_.store("b")}, index_, events_);
  EXPECT_EQ(link_.drops_under_way(), 1u);
  link_.informers()[0].sink->deleted({"d", "s", "s", "9"});
  EXPECT_TRUE(link_.poll(index_, true, {}, events_));
  EXPECT_EQ(link_.drops_under_way(), 0u);
}

}  // namespace
}  // namespace lips::kubernetes
