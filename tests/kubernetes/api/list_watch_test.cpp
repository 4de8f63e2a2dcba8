#include "kubernetes/api/list_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/kubernetes/api/fake_api_server.h"
#include "tests/kubernetes/api/followed.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::chrono::seconds long_enough{60};

// The beliefs of a follower, and the news that cannot be.
class Mirror : public ObjectSink {
 public:
  using Versions = std::map<std::string, std::string>;  // full name -> uid:resourceVersion

  void changed(const ObjectMeta& meta, std::string_view json) override {
    const std::lock_guard lock(mutex_);
    const std::string version = meta.uid + ':' + meta.resource_version;
    std::string& own = versions_[full_name(meta)];
    if (own == version) wrong_.push_back("told twice: " + full_name(meta) + ' ' + version);
    if (!own.empty() && !own.starts_with(meta.uid + ':'))
      wrong_.push_back("not deleted before it came anew: " + full_name(meta));
    if (json.find('"' + meta.resource_version + '"') == std::string_view::npos)
      wrong_.emplace_back("another object's text");
    own = version;
    told("changed " + full_name(meta) + ' ' + version);
  }
  void deleted(const ObjectMeta& meta) override {
    const std::lock_guard lock(mutex_);
    if (versions_.erase(full_name(meta)) == 0) wrong_.push_back("deleted twice: " + full_name(meta));
    told("deleted " + full_name(meta));
  }
  void complete(std::uint64_t request) override {
    const std::lock_guard lock(mutex_);
    told(request == 0 ? "complete" : "complete " + std::to_string(request));
  }
  void set_back(const SetBack& news) override {
    const std::lock_guard lock(mutex_);
    versions_.clear();
    told("set back: " + news.words());
  }
  void failed(const Error& error) override {
    const std::lock_guard lock(mutex_);
    failures_.push_back(error.message);
    changed_.notify_all();
  }

  template <class Predicate>
  bool wait(Predicate predicate) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough, predicate);
  }
  bool wait_for_log(std::size_t entries) {
    return wait([&] { return log_.size() >= entries; });
  }
  bool wait_for_failure() {
    return wait([&] { return !failures_.empty(); });
  }
  // For predicates, which hold the lock, and after the end.
  const Versions& versions() const { return versions_; }
  const std::vector<std::string>& log() const { return log_; }
  const std::vector<std::string>& wrong() const { return wrong_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void told(std::string what) {
    log_.push_back(std::move(what));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  Versions versions_;
  std::vector<std::string> log_, wrong_, failures_;
};

ListWatchOptions quick_watch(std::uint64_t seed = 1) {
  ListWatchOptions options;
  options.path = "/api/v1/pods";
  options.page_size = 3;
  options.silence_allowed = std::chrono::milliseconds(60'000);
  options.retry = RetryRules{0, std::chrono::milliseconds(1), std::chrono::milliseconds(2)};
  options.seed = seed;
  return options;
}

std::string object(const std::string& name, const std::string& uid, int version) {
  return R"({"metadata":{"namespace":"n","name":")" + name + R"(","uid":")" + uid + R"(","resourceVersion":")" +
         std::to_string(version) + R"("}})";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string bookmark(int version) {
  return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("}})");
}
std::string expired() { return event("ERROR", R"({"kind":"Status","code":410,"message":"too old"})"); }
std::string list_of(int version, const std::string& items, const std::string& more = "") {
  return R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"(","continue":")" + more +
         R"("},"items":[)" + items + "]}";
}
Reply ok(const std::string& body) { return Reply{200, body, {}, false, nullptr}; }
Reply streaming(const std::shared_ptr<Feed>& feed) { return Reply{200, "", {}, false, feed}; }
std::shared_ptr<Feed> feed_of(const std::string& bytes, bool finished) {
  auto feed = std::make_shared<Feed>();
  feed->push(bytes);
  if (finished) feed->finish();
  return feed;
}

// Answers lists and watches from two scripts; the last reply of each goes on.
class Scripted {
 public:
  std::deque<std::function<Reply()>> lists, watches;
  Reply operator()(const ReceivedRequest& request) {
    const std::lock_guard lock(mutex_);
    auto& script = request.query_value("watch") == "true" ? watches : lists;
    auto next = script.front();
    if (script.size() > 1) script.pop_front();
    return next();
  }

 private:
  std::mutex mutex_;
};

class Informer : public Followed {
 public:
  Informer(const FakeApiServer& server, ObjectSink& sink, const ListWatchOptions& options)
      : Followed(std::make_unique<HttpClient>(server.connection(), quick_client(options.seed)), sink, options) {}
};

TEST(ListWatch, ReadsAllPagesThenFollowsFromTheListsVersion) {
  Scripted script;
  auto feed = feed_of(event("MODIFIED", object("a", "ua", 12)) + event("ADDED", object("c", "uc", 13)) +
                          event("DELETED", object("b", "ub", 14)),
                      false);
  script.lists = {[] { return ok(list_of(10, object("a", "ua", 5), "page 2")); },
                  [] { return ok(list_of(10, object("b", "ub", 6))); }};
  script.watches = {[&] { return streaming(feed); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  auto options = quick_watch();
  options.selector = "fieldSelector=spec.schedulerName%3Dlips";
  Informer informer(server, mirror, options);
  ASSERT_TRUE(mirror.wait_for_log(6));
  informer.stop();
  EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:5", "changed n/b ub:6", "complete", "changed n/a ua:12",
                                        "changed n/c uc:13", "deleted n/b"));
  const auto requests = server.requests();
  EXPECT_EQ(requests[0].query_value("limit"), "3");
  EXPECT_EQ(requests[0].query_value("resourceVersion"), "");
  EXPECT_EQ(requests[1].query_value("continue"), "page 2");
  EXPECT_EQ(requests[2].query_value("resourceVersion"), "10");
  EXPECT_EQ(requests[2].query_value("allowWatchBookmarks"), "true");
  EXPECT_GE(std::stoi(requests[2].query_value("timeoutSeconds")), 290);
  for (const ReceivedRequest& request : requests)
    EXPECT_EQ(request.query_value("fieldSelector"), "spec.schedulerName=lips");
}

TEST(ListWatch, GoesOnFromTheLastEventOrBookmarkWhenAWatchEnds) {
  Scripted script;
  script.lists = {[] { return ok(list_of(10, object("a", "ua", 5))); }};
  script.watches = {[] { return streaming(feed_of(event("MODIFIED", object("a", "ua", 12)), true)); },
                    [] { return streaming(feed_of(bookmark(40), true)); },
                    [] { return streaming(feed_of(event("MODIFIED", object("a", "ua", 50)), false)); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  ASSERT_TRUE(mirror.wait_for_log(4));
  EXPECT_EQ(informer.stop().lists, 1u);
  EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:5", "complete", "changed n/a ua:12", "changed n/a ua:50"));
  const auto requests = server.requests();
  EXPECT_EQ(requests[1].query_value("resourceVersion"), "10");
  EXPECT_EQ(requests[2].query_value("resourceVersion"), "12");
  EXPECT_EQ(requests[3].query_value("resourceVersion"), "40");
}

TEST(ListWatch, ListsAnewWhenItsVersionExpiredAndReportsTheDifferenceAlone) {
  for (const bool as_event : {true, false}) {
    Scripted script;
    const std::string both = object("a", "ua", 5) + ',' + object("b", "ub", 6) + ',' + object("d", "ud", 7);
    // a stayed, b is gone, c is new, d was made anew under its name.
    const std::string later = object("a", "ua", 5) + ',' + object("c", "uc", 21) + ',' + object("d", "ud2", 22);
    script.lists = {[&] { return ok(list_of(10, both)); }, [&] { return ok(list_of(30, later)); }};
    script.watches = {[&] {
                        return as_event ? streaming(feed_of(expired(), true)) : Reply{410, "{}", {}, false, nullptr};
                      },
                      [&] { return streaming(feed_of(bookmark(31), false)); }};
    FakeApiServer server(std::ref(script));
    Mirror mirror;
    Informer informer(server, mirror, quick_watch());
    ASSERT_TRUE(mirror.wait_for_log(9));
    informer.stop();
    EXPECT_THAT(mirror.log(),
                ElementsAre("changed n/a ua:5", "changed n/b ub:6", "changed n/d ud:7", "complete", "changed n/c uc:21",
                            "deleted n/d", "changed n/d ud2:22", "deleted n/b", "complete"));
    EXPECT_THAT(mirror.wrong(), IsEmpty());
  }
}

// The list's version tells of it, or an object's where the restored store counts on from a larger version.
TEST(ListWatch, ReportsEverythingAgainWhenTheStoreWentBack) {
  for (const int version : {7, 90}) {
    Scripted script;
    const auto earlier = [version] { return ok(list_of(version, object("a", "ua", 5) + ',' + object("c", "uc", 6))); };
    script.lists = {[] { return ok(list_of(10, object("a", "ua", 9) + ',' + object("b", "ub", 8))); }, earlier};
    script.watches = {[] { return streaming(feed_of(bookmark(40) + expired(), true)); },
                      [] { return streaming(std::make_shared<Feed>()); }};
    FakeApiServer server(std::ref(script));
    Mirror mirror;
    Informer informer(server, mirror, quick_watch());
    ASSERT_TRUE(mirror.wait_for_log(10));
    EXPECT_EQ(informer.stop().lists, 3u);
    EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:9", "changed n/b ub:8", "complete", "changed n/a ua:5",
                                          "changed n/c uc:6", "set back: version 9 was seen, and then 5",
                                          "changed n/a ua:5", "changed n/c uc:6", "deleted n/b", "complete"));
  }
}

TEST(ListWatch, TakesAnOlderListForARestoredStore) {
  Scripted script;
  script.lists = {[] { return ok(list_of(10, object("a", "ua", 5))); },
                  [] { return ok(list_of(12, object("a", "ua", 5))); }};
  script.watches = {[] { return streaming(feed_of(bookmark(40) + expired(), true)); },
                    [] { return streaming(std::make_shared<Feed>()); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  ASSERT_TRUE(mirror.wait_for_log(5));
  informer.stop();
  EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:5", "complete", "set back: version 40 was seen, and then 12",
                                        "changed n/a ua:5", "complete"));
}

TEST(ListWatch, StartsTheListAgainWhenAPageExpiresAndThenAsksForAllAtOnce) {
  Scripted script;
  const auto first_page = [] { return ok(list_of(10, object("a", "ua", 5), "more")); };
  const auto gone = [] {
    return Reply{410, R"({"message":"The provided continue parameter is too old"})", {}, false, nullptr};
  };
  script.lists = {first_page, gone, first_page, gone, [] { return ok(list_of(12, object("b", "ub", 11))); }};
  script.watches = {[] { return streaming(std::make_shared<Feed>()); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  ASSERT_TRUE(mirror.wait_for_log(4));
  informer.stop();
  EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:5", "changed n/b ub:11", "deleted n/a", "complete"));
  EXPECT_EQ(server.requests()[2].query_value("limit"), "3");
  EXPECT_EQ(server.requests()[4].query_value("limit"), "0");
}

TEST(ListWatch, ReadsEventsThatComeInPiecesAndDropsAHalfOneAtACut) {
  Scripted script;
  const std::string line = event("MODIFIED", object("a", "ua", 12));
  auto cut = std::make_shared<Feed>();
  cut->push(line + line.substr(0, 40));
  cut->cut();
  script.lists = {[] { return ok(list_of(10, object("a", "ua", 5))); }};
  auto pieces = std::make_shared<Feed>();
  script.watches = {[&] { return streaming(cut); }, [&] { return streaming(pieces); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  ASSERT_TRUE(mirror.wait_for_log(3));
  for (const char letter : event("MODIFIED", object("a", "ua", 13))) pieces->push(std::string(1, letter));
  ASSERT_TRUE(mirror.wait_for_log(4));
  EXPECT_EQ(informer.stop().lists, 1u);
  EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:5", "complete", "changed n/a ua:12", "changed n/a ua:13"));
  EXPECT_EQ(server.requests()[2].query_value("resourceVersion"), "12");
}

TEST(ListWatch, TakesEventsInAnyOrderWithoutBelievingTheImpossible) {
  Scripted script;
  script.lists = {[] { return ok(list_of(10, object("a", "ua", 5))); }};
  const std::string odd = event("DELETED", object("unknown", "x", 11)) + event("DELETED", object("a", "older", 12)) +
                          event("ADDED", object("a", "ua", 5)) + event("MODIFIED", object("new", "un", 13)) + "\n" +
                          event("ADDED", object("a", "ua2", 14));
  script.watches = {[&] { return streaming(feed_of(odd, false)); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  ASSERT_TRUE(mirror.wait_for_log(5));
  informer.stop();
  EXPECT_THAT(mirror.log(),
              ElementsAre("changed n/a ua:5", "complete", "changed n/new un:13", "deleted n/a", "changed n/a ua2:14"));
  EXPECT_THAT(mirror.wrong(), IsEmpty());
}

TEST(ListWatch, ListsAnewAfterAWatchWithoutAnySignOfLife) {
  Scripted script;
  script.lists = {[] { return ok(list_of(1000, object("a", "ua", 5))); },
                  [] { return ok(list_of(10, object("a", "ua", 9))); }};
  script.watches = {[] { return streaming(std::make_shared<Feed>()); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  auto options = quick_watch();
  options.silence_allowed = std::chrono::milliseconds(20);
  Informer informer(server, mirror, options);
  ASSERT_TRUE(mirror.wait_for_log(4));
  informer.stop();
  EXPECT_EQ(mirror.log()[2], "changed n/a ua:9");
  EXPECT_THAT(mirror.failures().at(0), testing::HasSubstr("not even a bookmark"));
}

TEST(ListWatch, StopsPromptlyInAListAndInAWatch) {
  for (const bool in_list : {true, false}) {
    Scripted script;
    script.lists = {[&] { return in_list ? streaming(std::make_shared<Feed>()) : ok(list_of(1, "")); }};
    script.watches = {[] { return streaming(std::make_shared<Feed>()); }};
    FakeApiServer server(std::ref(script));
    Mirror mirror;
    Informer informer(server, mirror, quick_watch());
    ASSERT_TRUE(in_list || mirror.wait_for_log(1));
    const auto start = std::chrono::steady_clock::now();
    informer.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

// An API server's objects with their history, and everything that can go wrong on the way to a follower.
class FaultyObjects {
 public:
  explicit FaultyObjects(std::uint64_t seed) : random_(seed) {}

  Reply answer(const ReceivedRequest& request) {
    const std::lock_guard lock(mutex_);
    if (calm_ == 0 && random_.below(10) == 0) return Reply{random_.below(2) == 0 ? 500 : 429, "{}", {}, false, nullptr};
    return request.query_value("watch") == "true" ? watch(std::stoi(request.query_value("resourceVersion")))
                                                  : list(request);
  }

  // One change of a random object.
  void change() {
    const std::lock_guard lock(mutex_);
    const std::string name = "o" + std::to_string(random_.below(40));
    const auto place = objects_.find(name);
    ++version_;
    if (place == objects_.end()) {
      objects_[name] = {name + std::to_string(version_), version_};
      record("ADDED", name);
    } else if (random_.below(3) == 0) {
      place->second.second = version_;
      record("DELETED", name);
      objects_.erase(name);
    } else {
      place->second.second = version_;
      record("MODIFIED", name);
    }
    if (random_.below(25) == 0) oldest_ = version_ - static_cast<int>(random_.below(10));
  }
  // From here on nothing goes wrong.
  void calm() {
    const std::lock_guard lock(mutex_);
    calm_ = 1;
    if (open_) open_->cut();
  }
  Mirror::Versions versions() const {
    const std::lock_guard lock(mutex_);
    Mirror::Versions result;
    for (const auto& [name, object] : objects_)
      result["n/" + name] = object.first + ':' + std::to_string(object.second);
    return result;
  }

 private:
  struct Change {
    int version;
    std::string line;
  };

  void record(const std::string& type, const std::string& name) {
    history_.push_back({version_, event(type, object(name, objects_[name].first, version_))});
    if (!open_) return;
    if (calm_ == 0 && random_.below(15) == 0) {  // ends in the middle of the line
      open_->push(history_.back().line.substr(0, random_.below(history_.back().line.size())));
      random_.below(2) == 0 ? open_->cut() : open_->finish();
      open_.reset();
      if (random_.below(3) == 0) oldest_ = version_;  // and what the follower missed is forgotten
    } else {
      open_->push(history_.back().line);
    }
  }

  Reply watch(int from) {
    if (from < oldest_)
      return random_.below(2) == 0 ? Reply{410, "{}", {}, false, nullptr} : streaming(feed_of(expired(), true));
    open_ = std::make_shared<Feed>();
    for (const Change& change : history_)
      if (change.version > from) open_->push(change.line);
    if (random_.below(3) == 0) open_->push(bookmark(version_));
    return streaming(open_);
  }

  // Pages of the objects as they were at the first page; the token is "version/number".
  Reply list(const ReceivedRequest& request) {
    const std::string token = request.query_value("continue");
    const bool paged = request.query_value("limit") != "0";
    if (token.empty()) {
      snapshot_.clear();
      snapshot_version_ = version_;
      for (const auto& [name, content] : objects_) snapshot_.push_back(object(name, content.first, content.second));
    } else if (snapshot_version_ < oldest_ && calm_ == 0) {
      return Reply{410, "{}", {}, false, nullptr};
    }
    std::size_t begin = token.empty() ? 0 : std::stoul(token);
    const std::size_t end = paged ? std::min(begin + 7, snapshot_.size()) : snapshot_.size();
    std::string items;
    for (std::size_t i = begin; i < end; ++i) items += (i == begin ? "" : ",") + snapshot_[i];
    const Reply whole = ok(list_of(snapshot_version_, items, end < snapshot_.size() ? std::to_string(end) : ""));
    return calm_ == 0 && random_.below(8) == 0
               ? Reply{200, whole.body.substr(0, whole.body.size() / 2), {}, true, nullptr}
               : whole;
  }

  mutable std::mutex mutex_;
  Random random_;
  int version_ = 1, oldest_ = 0, calm_ = 0, snapshot_version_ = 0;
  std::map<std::string, std::pair<std::string, int>> objects_;
  std::vector<Change> history_;
  std::vector<std::string> snapshot_;
  std::shared_ptr<Feed> open_;
};

TEST(ListWatch, LosesNothingAndTellsNothingTwiceWhateverGoesWrong) {
  std::uint64_t lists = 0, watches = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FaultyObjects objects(seed);
    for (int i = 0; i < 60; ++i) objects.change();
    FakeApiServer server([&](const ReceivedRequest& request) { return objects.answer(request); });
    Mirror mirror;
    Informer informer(server, mirror, quick_watch(seed));
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 10; ++i) objects.change();  // while a list or a watch is under way
      const Mirror::Versions now = objects.versions();
      ASSERT_TRUE(mirror.wait([&] { return mirror.versions() == now; })) << "round " << round;
    }
    objects.calm();
    const Mirror::Versions expected = objects.versions();
    EXPECT_TRUE(mirror.wait([&] { return mirror.versions() == expected; }));
    const auto counters = informer.stop();
    EXPECT_EQ(mirror.versions(), expected);
    EXPECT_THAT(mirror.wrong(), IsEmpty());
    lists += counters.lists;
    watches += counters.watches;
  }
  EXPECT_GT(lists, 50u);  // the faults did happen
  EXPECT_GT(watches, 100u);
}

TEST(ListWatch, ListsAnewWhenAskedThoughItsWatchIsWell) {
  Scripted script;
  const auto silent = std::make_shared<Feed>();
  script.lists = {[] { return ok(list_of(10, object("a", "ua", 5) + ',' + object("b", "ub", 6))); },
                  [] { return ok(list_of(20, object("a", "ua", 15))); }};
  script.watches = {[&] { return streaming(silent); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  ASSERT_TRUE(mirror.wait_for_log(3));
  EXPECT_EQ(informer.relist(), 1u);
  ASSERT_TRUE(mirror.wait_for_log(6));
  EXPECT_EQ(informer.stop().lists, 2u);
  EXPECT_THAT(mirror.log(), ElementsAre("changed n/a ua:5", "changed n/b ub:6", "complete", "changed n/a ua:15",
                                        "deleted n/b", "complete 1"));
  EXPECT_THAT(mirror.failures(), IsEmpty()) << "a list that was asked for is no trouble";
}

// A list that began before it was asked for does not serve, whether it is under way or about to be tried again.
TEST(ListWatch, AListThatIsUnderWayWhenAskedBeginsAgain) {
  Scripted script;
  std::promise<void> begun, asked;
  const std::shared_future<void> go = asked.get_future().share();
  const auto silent = std::make_shared<Feed>();
  script.lists = {[&, go] {
                    begun.set_value();
                    go.wait();
                    return ok(list_of(10, object("old", "uo", 5)));
                  },
                  [] { return ok(list_of(20, object("new", "un", 15))); }};
  script.watches = {[&] { return streaming(silent); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  Informer informer(server, mirror, quick_watch());
  begun.get_future().wait();
  EXPECT_EQ(informer.relist(), 1u);
  EXPECT_EQ(informer.relist(), 2u);
  asked.set_value();
  ASSERT_TRUE(mirror.wait([&] { return !mirror.log().empty() && mirror.log().back() == "complete 2"; }));
  informer.stop();
  EXPECT_EQ(mirror.versions().count("n/new"), 1u);
  for (const std::string& line : mirror.log())
    EXPECT_NE(line, "complete") << "the first list is older than the request";
}

TEST(ListWatch, ARequestForAListEndsThePauseAfterFailures) {
  Scripted script;
  const auto silent = std::make_shared<Feed>();
  script.lists = {[] {
                    return Reply{403, "", {}, false, nullptr};
                  },
                  [] { return ok(list_of(20, object("a", "ua", 15))); }};
  script.watches = {[&] { return streaming(silent); }};
  FakeApiServer server(std::ref(script));
  Mirror mirror;
  ListWatchOptions options = quick_watch();
  options.retry = RetryRules{0, std::chrono::hours(1), std::chrono::hours(1)};
  Informer informer(server, mirror, options);
  ASSERT_TRUE(mirror.wait_for_failure());
  informer.relist();
  EXPECT_TRUE(mirror.wait_for_log(2));
  informer.stop();
}

}  // namespace
}  // namespace lips::kubernetes
