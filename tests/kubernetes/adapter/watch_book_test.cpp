#include "kubernetes/adapter/watch_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class Sink : public ObjectSink {
 public:
  void changed(const ObjectMeta&, std::string_view) override { ++calls; }
  void deleted(const ObjectMeta&) override { ++calls; }
  void complete(std::uint64_t) override { ++calls; }
  void failed(const Error&) override { ++calls; }
  void heard() override { ++calls; }
  int calls = 0;
};

const Error forbidden{ErrorCode::invalid_input, "403: lips may\nnot list it\n"}, busy{ErrorCode::unavailable, "500"};

class WatchBookTest : public testing::Test {
 protected:
  static constexpr Duration patience = std::chrono::seconds(15);
  std::unique_ptr<ObjectSink> watch(const std::string& path, WatchNeed need) {
    return book_.enter(path, {need, "plans do without"}, sink_);
  }
  static auto named(const char* what) { return Field(&Lack::what, what); }

  TimePoint now_{std::chrono::seconds(1000)};
  Sink sink_;
  WatchBook book_{[this] { return now_; }, patience};
};

TEST_F(WatchBookTest, AwaitsEveryKindThatHasNotBeenListed) {
  const auto pods = watch("/api/v1/pods", WatchNeed::needed),
             sets = watch("/apis/lips.dev/v1/datasets", WatchNeed::awaited);
  const auto groups = watch("/apis/scheduling.k8s.io/v1/podgroups", WatchNeed::welcome);
  EXPECT_TRUE(book_.awaits_any());
  pods->complete(0);
  EXPECT_TRUE(book_.awaits_any());
  EXPECT_THAT(book_.awaited(), IsEmpty()) << "it may still come";
  now_ += patience;
  EXPECT_THAT(book_.awaited(), ElementsAre(named("datasets.lips.dev")));
  EXPECT_THAT(book_.awaited().at(0).why, HasSubstr("no answer yet"));
  sets->complete(0);
  EXPECT_FALSE(book_.awaits_any()) << "nobody waits for what is only welcome";
  EXPECT_EQ(sink_.calls, 2) << "all is passed on";
}

TEST_F(WatchBookTest, GoesOnWithoutWhatIsRefusedForAWhile) {
  const auto sets = watch("/apis/lips.dev/v1/datasets", WatchNeed::awaited);
  sets->failed(forbidden);
  EXPECT_TRUE(book_.awaits_any());
  EXPECT_TRUE(book_.refuses("/lips.dev/"));
  EXPECT_FALSE(book_.refuses("/namespaces/"));
  now_ += patience - Duration(1);
  sets->failed(forbidden);
  EXPECT_TRUE(book_.awaits_any());
  EXPECT_THAT(book_.missing(), IsEmpty());
  now_ += Duration(1);
  EXPECT_FALSE(book_.awaits_any());
  EXPECT_THAT(book_.missing(), ElementsAre(named("datasets.lips.dev")));
  EXPECT_EQ(book_.missing()[0].why, "plans do without (403: lips may not list it)");
  sets->complete(0);
  EXPECT_THAT(book_.missing(), IsEmpty());
}

// A server that fails may answer soon, and then the kind is there.
TEST_F(WatchBookTest, WaitsForAServerThatFails) {
  const auto sets = watch("/apis/lips.dev/v1/datasets", WatchNeed::awaited);
  sets->failed(busy);
  now_ += 10 * patience;
  EXPECT_TRUE(book_.awaits_any());
  EXPECT_THAT(book_.awaited(), ElementsAre(Field(&Lack::why, HasSubstr("500"))));
}

TEST_F(WatchBookTest, NeverGoesOnWithoutWhatIsNeeded) {
  const auto pods = watch("/api/v1/pods", WatchNeed::needed);
  pods->complete(0);
  EXPECT_FALSE(book_.awaits_any());
  pods->failed(busy);
  now_ += patience;
  EXPECT_FALSE(book_.awaits_any()) << "a watch that breaks begins again";
  pods->failed(forbidden);
  EXPECT_FALSE(book_.awaits_any());
  now_ += patience;
  EXPECT_TRUE(book_.awaits_any());
  EXPECT_THAT(book_.awaited(), ElementsAre(named("pods")));
  EXPECT_THAT(book_.missing(), IsEmpty());
  pods->heard();
  EXPECT_FALSE(book_.awaits_any());
}

// Lists between them bring the news, if late.
TEST_F(WatchBookTest, NamesAKindThatCanBeListedAndNotWatched) {
  const auto pods = watch("/api/v1/pods", WatchNeed::needed);
  pods->complete(0);
  for (const Duration end = now_.time_since_epoch() + patience; now_.time_since_epoch() < end; now_ += patience / 5) {
    EXPECT_THAT(book_.missing(), IsEmpty());
    pods->not_watched(forbidden);
    pods->heard();
    pods->complete(0);
  }
  EXPECT_THAT(book_.missing(), ElementsAre(named("pods")));
  EXPECT_THAT(book_.missing().at(0).why, HasSubstr("403: lips may not list it"));
  EXPECT_FALSE(book_.awaits_any()) << "plans go on";
  pods->watched_again();
  EXPECT_THAT(book_.missing(), IsEmpty());
}

TEST_F(WatchBookTest, SaysOfEachItsStateAndTheAgeOfItsNews) {
  const auto pods = watch("/api/v1/pods", WatchNeed::needed), nodes = watch("/api/v1/nodes", WatchNeed::needed);
  pods->complete(0);
  nodes->failed(forbidden);
  const std::vector<WatchStatus> all = book_.all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].state, WatchStatus::State::listed);
  EXPECT_EQ(all[0].heard, now_);
  EXPECT_EQ(all[1].state, WatchStatus::State::refused);
  EXPECT_EQ(all[1].heard, std::nullopt);
  EXPECT_EQ(all[1].why, "403: lips may not list it");
}

TEST(KindOfPath, IsWhatKubectlCallsIt) {
  EXPECT_EQ(kind_of_path("/api/v1/pods"), "pods");
  EXPECT_EQ(kind_of_path("/apis/lips.dev/v1alpha1/datasets"), "datasets.lips.dev");
  EXPECT_EQ(kind_of_path("/apis/batch/v1/namespaces/lips/jobs"), "jobs.batch in lips");
  EXPECT_EQ(kind_of_path("/api/v1/namespaces/lips/pods"), "pods in lips");
  EXPECT_EQ(kind_of_path(""), "");
}

}  // namespace
}  // namespace lips::kubernetes
