#include "kubernetes/adapter/request_book.h"

#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

constexpr std::chrono::seconds silence{15};
TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

TEST(RequestBook, CallsAServerUnreachableThatHasNotAnsweredForAWhile) {
  RequestBook book(silence);
  EXPECT_EQ(book.seen(at(0)).unanswered_since, std::nullopt);
  book.tried(200, at(0));
  book.tried(0, at(5));
  book.tried(0, at(15));
  EXPECT_EQ(book.seen(at(19)).unanswered_since, std::nullopt);
  EXPECT_EQ(book.seen(at(20)).unanswered_since, at(5));
  EXPECT_EQ(book.seen(at(20)).answered, at(0));
  book.tried(500, at(21));  // an answer all the same
  EXPECT_EQ(book.seen(at(60)).unanswered_since, std::nullopt);
}

TEST(RequestBook, SaysOnceThatASilenceHasEnded) {
  RequestBook book(silence);
  book.tried(200, at(0));
  book.tried(0, at(1));
  book.tried(200, at(10));
  EXPECT_FALSE(book.take_end_of_silence()) << "it was short";
  book.tried(0, at(20));
  book.tried(0, at(50));
  EXPECT_FALSE(book.take_end_of_silence());
  book.tried(429, at(51));
  book.tried(200, at(52));
  EXPECT_TRUE(book.take_end_of_silence());
  EXPECT_FALSE(book.take_end_of_silence());
}

TEST(RequestBook, CountsTheLastMinute) {
  RequestBook book(silence);
  for (int second = 0; second < 100; ++second) book.tried(second % 2 ? 200 : 0, at(second));
  EXPECT_EQ(book.seen(at(99)).requests, 60u);
  EXPECT_EQ(book.seen(at(99)).unanswered, 30u);
  EXPECT_EQ(book.seen(at(129)).requests, 30u);
  EXPECT_EQ(book.seen(at(1000)).requests, 0u);
}

TEST(RequestBook, NamesWritesForAsLongAsTheyAreStopped) {
  RequestBook book(silence);
  book.stopped("patch /a", at(0));
  book.stopped("patch /b", at(50));
  ASSERT_EQ(book.seen(at(60)).stopped.size(), 2u);
  EXPECT_EQ(book.seen(at(60)).stopped[0].what, "patch /b") << "the last one first";
  ASSERT_EQ(book.seen(at(130)).stopped.size(), 1u);
  EXPECT_EQ(book.seen(at(170)).stopped.size(), 0u);
}

TEST(RequestBook, NamesRightsThatHaveBeenMissingForAWhileUntilAWriteSucceeds) {
  RequestBook book(silence);
  book.lacks_right("patch pods/status in a", "may not", at(0));
  book.lacks_right("create pods/binding in b", "may not", at(3));
  EXPECT_TRUE(book.seen(at(14)).rights.empty());
  ASSERT_EQ(book.seen(at(15)).rights.size(), 1u);
  EXPECT_EQ(book.seen(at(15)).rights[0], (Lack{"right to patch pods/status in a", "may not", at(0)}));
  EXPECT_EQ(book.seen(at(20)).rights.size(), 2u);
  book.has_right("create pods/binding in b");
  EXPECT_EQ(book.seen(at(20)).rights.size(), 1u);
  book.lacks_right("patch pods/status in a", "may not", at(300));  // a probe
  EXPECT_EQ(book.seen(at(899)).rights.size(), 1u);
  EXPECT_TRUE(book.seen(at(900)).rights.empty()) << "nobody has asked for long";
  EXPECT_TRUE(book.lacks_any());
}

}  // namespace
}  // namespace lips::kubernetes
