#include "kubernetes/data/copy_review.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "tests/kubernetes/data/copy_world.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

// A tenant may patch its DataSet, and so may take the finalizer away.
TEST(CopyReviewTest, ListsCopiesOfADataSetThatIsGoneAndDeletesNone) {
  CopyWorld world;
  world.add_store("a");
  world.put_object(CopyWorld::data_set, "etl", "books", "u1");
  world.files["a"] = {{"etl/books/u1/block-00000", 60}, {"etl/books/u1/block-00001", 40}};
  world.look();
  EXPECT_EQ(world.unowned("a")["copies"], 0);
  const TimePoint before = world.now;
  world.remove_object(CopyWorld::data_set, "etl", "books", "u1");
  world.look();
  const Json found = world.unowned("a");
  EXPECT_EQ(found["copies"], 2);
  EXPECT_EQ(found["bytes"], 100);
  ASSERT_EQ(found["examples"].size(), 1u);
  EXPECT_EQ(found["examples"][0]["path"], "lips-copies/etl/books/u1");
  EXPECT_GE(*parse_time(found["examples"][0]["since"].get<std::string>()), before);
  const Json since = found["examples"][0]["since"];
  world.put_object(CopyWorld::data_set, "etl", "books", "u2");
  world.files["a"]["etl/books/u2/block-00000"] = 5;
  world.look();
  EXPECT_EQ(world.unowned("a")["copies"], 2) << "the new set's copies are its own, those of the old one are nobody's";
  EXPECT_EQ(world.unowned("a")["examples"][0]["since"], since);
  EXPECT_EQ(world.files["a"].size(), 3u);
  EXPECT_TRUE(world.jobs().empty()) << "Jobs are deleted when they have been read";
}

TEST(CopyReviewTest, LooksAgainAtOnceWhenThePersonWhoDeletedThemTakesTheStatusAway) {
  CopyWorld world;
  world.add_store("a");
  world.files["a"] = {{"etl/books/u1/block-00000", 60}};
  world.look();
  EXPECT_EQ(world.unowned("a")["copies"], 1);
  world.files["a"].clear();
  for (int turn = 0; turn < 30; ++turn) world.tick(std::chrono::minutes(1));
  EXPECT_EQ(world.looks, 1) << "not before its time";
  world.forget_status("a");
  for (int turn = 0; turn < 10; ++turn) {
    world.tick();
    for (const std::string& name : world.jobs())
      if (!world.has_listed(name)) world.list(name), world.end(name, true);
  }
  EXPECT_EQ(world.looks, 2);
  EXPECT_EQ(world.unowned("a")["copies"], 0);
}

TEST(CopyReviewTest, LooksAtNoStoreWhereItIsNotWanted) {
  CopyWorld world{Duration(0)};
  world.add_store("a");
  for (int turn = 0; turn < 100; ++turn) world.tick(std::chrono::hours(10));
  EXPECT_EQ(world.looks, 0);
}

TEST(CopyReviewTest, LooksAtFewStoresAtOnceAndAtAllInTime) {
  CopyWorld world;
  for (int i = 0; i < 35; ++i) world.add_store("s" + std::to_string(i));
  world.tick(std::chrono::hours(23));
  world.tick();
  EXPECT_EQ(world.looks, 0) << "no store is older than a day";
  std::size_t most = 0;
  world.tick(std::chrono::hours(2));
  for (int turn = 0; turn < 100; ++turn) {
    world.tick(std::chrono::seconds(5));
    most = std::max(most, world.jobs().size());
    for (const std::string& name : world.jobs())
      if (!world.has_listed(name)) world.list(name), world.end(name, true);
  }
  EXPECT_EQ(world.looks, 35);
  EXPECT_LE(most, 10u);
}

// Its custom resource definitions may be older than the operator.
TEST(CopyReviewTest, LooksOnceADayAlsoWhereTheServerKeepsNothingOfIt) {
  CopyWorld world;
  world.prunes = true;
  world.add_store("a");
  for (int turn = 0; turn < 3 * 24 * 6; ++turn) {
    world.tick(std::chrono::minutes(10));
    for (const std::string& name : world.jobs())
      if (!world.has_listed(name)) world.list(name), world.end(name, true);
  }
  EXPECT_GE(world.looks, 2);
  EXPECT_LE(world.looks, 3);
}

TEST(CopyReviewTest, TriesAgainAfterAnHourWhereNoListCanBeMade) {
  CopyWorld world;
  world.add_store("a");
  world.tick(std::chrono::hours(25));
  for (int turn = 0; turn < 300; ++turn) {
    world.tick(std::chrono::minutes(1));
    for (const std::string& name : world.jobs())
      if (!world.has_listed(name)) world.list(name), world.end(name, false);
  }
  EXPECT_GE(world.looks, 3);
  EXPECT_LE(world.looks, 6);
  EXPECT_TRUE(world.unowned("a").is_null()) << "what is not known is not said";
}

// ---- histories ----

class Tenants {
 public:
  explicit Tenants(std::uint64_t seed) : random_(seed) {
    for (const char* store : {"a", "b"}) world.add_store(store);
    world.on_found = [this](const Json& found) { check(found); };
  }

  // One thing happens anywhere.
  void happen() {
    switch (random_.below(9)) {
      case 0:
        create();
        break;
      case 1:
      case 2:
        copy();
        break;
      case 3:
        drop_finalizer_and_delete();
        break;
      case 4:
        delete_in_order();
        break;
      case 5:
        world.touch_store(any_store());
        break;
      case 6:
        if (random_.below(10) == 0) world.restart();
        break;
      default:
        let_jobs_go_on();
        break;
    }
    world.tick(random_.below(20) == 0 ? Duration(std::chrono::hours(13)) : Duration(std::chrono::seconds(2)));
  }

  void expect_truth() {
    for (const char* store : {"a", "b"}) {
      std::int64_t copies = 0, bytes = 0;
      std::set<std::string> folders, listed;
      for (const auto& [path, size] : world.files[store]) {
        const std::string folder = path.substr(0, path.rfind('/'));
        if (exists(folder.substr(folder.rfind('/') + 1))) continue;
        copies += 1, bytes += size;
        folders.insert("lips-copies/" + folder);
      }
      const Json found = world.unowned(store);
      EXPECT_EQ(found["copies"], copies) << store;
      EXPECT_EQ(found["bytes"], bytes) << store;
      for (const Json& each : found["examples"]) listed.insert(each["path"].get<std::string>());
      if (folders.size() <= most_unowned_examples) {
        EXPECT_EQ(listed, folders) << store;
      }
      left += static_cast<int>(folders.size());
    }
  }

  CopyWorld world;
  int left = 0, ordinary = 0, checked = 0;

 private:
  struct Set {
    std::string uid;
    bool deleting = false;
  };
  bool exists(const std::string& uid) const {
    return std::any_of(sets_.begin(), sets_.end(), [&](const auto& each) { return each.second.uid == uid; });
  }
  std::string any_store() { return random_.below(2) == 0 ? "a" : "b"; }
  Set* any_set() {
    if (sets_.empty()) return nullptr;
    return &std::next(sets_.begin(), static_cast<std::ptrdiff_t>(random_.below(sets_.size())))->second;
  }
  const std::string& name_of(const Set& set) const {
    return std::find_if(sets_.begin(), sets_.end(), [&](const auto& each) { return &each.second == &set; })->first;
  }
  // Some names are used again and again; a set may also become one that nobody understands.
  void create() {
    const std::string name = "s" + std::to_string(random_.below(4));
    const auto [place, fresh] = sets_.try_emplace(name);
    if (fresh) place->second.uid = "u" + std::to_string(++uids_);
    world.put_object(CopyWorld::data_set, "etl", name, place->second.uid, fresh || random_.below(2) == 0);
  }
  void copy() {
    const Set* set = any_set();
    if (!set || set->deleting) return;
    const std::string folder = "etl/" + name_of(*set) + '/' + set->uid + "/block-";
    for (std::uint64_t i = random_.below(3) + 1; i > 0; --i)
      world.files[any_store()][folder + std::to_string(random_.below(5))] =
          static_cast<std::int64_t>(random_.below(99));
  }
  void drop_finalizer_and_delete() {
    const Set* set = any_set();
    if (!set || set->deleting) return;
    const std::string name = name_of(*set);
    world.remove_object(CopyWorld::data_set, "etl", name, set->uid);
    sets_.erase(name);
  }
  // Copies go first, then the object, as its finalizer makes it.
  void delete_in_order() {
    Set* set = any_set();
    if (!set) return;
    if (!set->deleting) {
      set->deleting = true;
      for (auto& [store, files] : world.files)
        std::erase_if(files,
                      [&](const auto& file) { return file.first.find('/' + set->uid + '/') != std::string::npos; });
      return;
    }
    const std::string name = name_of(*set);
    world.remove_object(CopyWorld::data_set, "etl", name, set->uid);
    purged_.insert(set->uid);
    sets_.erase(name);
    ++ordinary;
  }
  void let_jobs_go_on() {
    for (const std::string& name : world.jobs()) {
      if (random_.below(2) == 0) continue;
      if (!world.has_listed(name))
        world.list(name);
      else if (ended_.insert(name).second)
        world.end(name, random_.below(8) > 0);
    }
  }
  // At every moment nothing is called nobody's that is somebody's, or that its owner has had deleted.
  void check(const Json& found) {
    for (const Json& each : found["examples"]) {
      const auto path = each["path"].get<std::string>();
      const std::string uid = path.substr(path.rfind('/') + 1);
      EXPECT_FALSE(exists(uid)) << path;
      EXPECT_FALSE(purged_.contains(uid)) << path;
      ++checked;
    }
  }

  Random random_;
  int uids_ = 0;
  std::map<std::string, Set> sets_;
  std::set<std::string> purged_, ended_;
};

TEST(CopyReviewTest, ListsExactlyWhatNobodyOwnsWhateverHappens) {
  int left = 0, ordinary = 0, checked = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Tenants tenants(seed);
    for (int step = 0; step < 120; ++step) tenants.happen();
    tenants.world.look();
    tenants.expect_truth();
    left += tenants.left, ordinary += tenants.ordinary, checked += tenants.checked;
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(left, 60);
  EXPECT_GT(ordinary, 60);
  EXPECT_GT(checked, 60) << "some were listed on the way";
}

}  // namespace
}  // namespace lips::kubernetes
