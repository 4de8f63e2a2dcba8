#include "kubernetes/api/loop_client.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "virtual/virtual_loop.h"

namespace lips::kubernetes {
namespace {

// Answers whenever the test says so, as from a thread of its own.
class Within : public ApiClient {
 public:
  explicit Within(ClientOptions options) : observer(options.observer) {}
  RequestId start(ApiRequest, std::function<void(Answer)> done) override {
    answered = std::move(done);
    return 1;
  }
  void cancel(RequestId) override {}
  std::unique_ptr<ByteStream> watch(ApiRequest) override { return nullptr; }

  RequestObserver* observer;
  std::function<void(Answer)> answered;

 private:
  bool on_own_thread() const override { return false; }
};

class Told : public RequestObserver {
 public:
  void tried(const Try& ended) override {
    lines.push_back(std::string(ended.path) + ' ' + std::to_string(ended.http_code));
    ago = ended.ago;
  }
  void refused(const Refusal& refusal) override {
    lines.push_back(std::string(refusal.path) + ' ' + std::string(refusal.message));
  }
  std::vector<std::string> lines;
  std::chrono::microseconds ago{-1};
};

class LoopClientTest : public testing::Test {
 protected:
  LoopClientTest() {
    ClientOptions options;
    options.observer = &told_;
    client_.emplace(loop_, options, [this](ClientOptions own) {
      auto within = std::make_unique<Within>(std::move(own));
      within_ = within.get();
      return within;
    });
  }
  void end_a_try() const {
    const std::string path = "/a/path/that/is/longer/than/a/string/holds/in/itself";
    within_->observer->tried({Verb::get, path, 403, {}, {}, {}});
    within_->observer->refused({Verb::get, path, 403, std::string(100, 'x')});
  }

  virtual_cluster::VirtualLoop loop_{TimePoint(std::chrono::hours(1))};
  Told told_;
  Within* within_ = nullptr;
  std::optional<LoopClient> client_;
};

// Whoever keeps books of requests needs no lock.
TEST_F(LoopClientTest, TellsTheObserverOnTheLoopAndBeforeTheAnswer) {
  client_->start({}, [this](const Answer&) { told_.lines.emplace_back("answer"); });
  end_a_try();
  within_->answered(std::string());
  EXPECT_TRUE(told_.lines.empty());
  loop_.run(std::chrono::seconds(1));
  ASSERT_EQ(told_.lines.size(), 3u);
  EXPECT_EQ(told_.lines[0], "/a/path/that/is/longer/than/a/string/holds/in/itself 403");
  EXPECT_EQ(told_.lines[1], "/a/path/that/is/longer/than/a/string/holds/in/itself " + std::string(100, 'x'));
  EXPECT_EQ(told_.lines[2], "answer");
}

// A plan takes seconds, and the server's clock is read from the date of an answer.
TEST_F(LoopClientTest, SaysHowLongATryHasWaitedForTheLoop) {
  loop_.post([this] { end_a_try(); });
  loop_.run(std::chrono::seconds(0), std::chrono::seconds(7));
  EXPECT_EQ(told_.ago, std::chrono::seconds(7));
}

TEST_F(LoopClientTest, TellsNobodyOnceItIsGone) {
  end_a_try();
  client_.reset();
  loop_.run(std::chrono::seconds(1));
  EXPECT_TRUE(told_.lines.empty());
}

}  // namespace
}  // namespace lips::kubernetes
