#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/http_client.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds patience{30};

ApiRequest request(Verb verb, std::string path = "/api/v1/pods", std::string body = "") {
  ApiRequest request;
  request.verb = verb;
  request.path = std::move(path);
  request.body = std::move(body);
  return request;
}

// Fails as told for the first times, then answers "done".
FakeApiServer::Answering failing(int times, const Reply& failure) {
  return [left = std::make_shared<std::atomic<int>>(times), failure](const ReceivedRequest&) {
    return (*left)-- > 0 ? failure : Reply{200, "done", {}, false, nullptr};
  };
}

class Counting : public RequestObserver {
 public:
  void tried(const Try& ended) override {
    const std::lock_guard lock(mutex_);
    ++counts_[std::string(verb_name(ended.verb)) + ' ' + std::to_string(ended.http_code)];
  }
  std::map<std::string, int> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> counts_;
};

TEST(ApiClient, SendsEveryVerbWithTokenBodyAndType) {
  FakeApiServer server([](const ReceivedRequest& request) {
    return Reply{200, request.method + ' ' + request.body, {}, false, nullptr};
  });
  HttpClient client(server.connection(), quick_client());
  EXPECT_EQ(*client.call(request(Verb::get, "/a?x=1")), "GET ");
  EXPECT_EQ(*client.call(request(Verb::create, "/a", "{}")), "POST {}");
  EXPECT_EQ(*client.call(request(Verb::update, "/a", "{1}")), "PUT {1}");
  EXPECT_EQ(*client.call(request(Verb::remove, "/a")), "DELETE ");
  EXPECT_EQ(*client.call(request(Verb::remove, "/a", "{2}")), "DELETE {2}");
  ApiRequest patch = request(Verb::patch, "/a", "{3}");
  patch.content_type = strategic_merge_patch;
  EXPECT_EQ(*client.call(patch), "PATCH {3}");
  EXPECT_EQ(*client.call(request(Verb::get, "/a")), "GET ");  // nothing is left of the patch
  const auto requests = server.requests();
  EXPECT_EQ(requests[0].query_value("x"), "1");
  EXPECT_EQ(requests[0].authorization, "Bearer secret");
  EXPECT_EQ(requests[0].user_agent, "lips");
  EXPECT_EQ(requests[1].content_type, json_content);
  EXPECT_EQ(requests[5].content_type, strategic_merge_patch);
  EXPECT_EQ(requests[6].content_type, "");
}

TEST(ApiClient, TakesNoLongerAnswerThanItIsToldTo) {
  FakeApiServer server([](const ReceivedRequest&) {
    return Reply{200, std::string(100'000, 'x'), {}, false, nullptr};
  });
  HttpClient client(server.connection(), quick_client());
  ApiRequest asked = request(Verb::get);
  asked.most_bytes = 100'000;
  EXPECT_EQ(client.call(asked)->size(), 100'000u);
  asked.most_bytes = 99'999;
  const Answer refused = client.call(asked);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
  EXPECT_THAT(refused.error().message, HasSubstr("the answer has more than 99999 bytes"));
  EXPECT_EQ(server.requests().size(), 2u) << "it is not asked for again";
  EXPECT_TRUE(client.call(request(Verb::get)));
}

TEST(ApiClient, HasListsCompressedWhereItIsToldAndNothingElse) {
  std::string list;
  for (int i = 0; i < 50'000; ++i) list += fmt::format(R"({{"name":"pod-{}"}},)", i * 7919 % 100'003);
  FakeApiServer server([&](const ReceivedRequest& request) {
    Reply reply{200, list, {}, false, nullptr};
    if (request.query_value("watch") != "true") return reply;
    reply.feed = std::make_shared<Feed>();
    reply.feed->push("{}\n");
    reply.feed->finish();
    return reply;
  });
  const auto encodings = [&](bool compresses) {
    Connection connection = server.connection();
    connection.compresses_lists = compresses;
    HttpClient client(connection, quick_client());
    const std::size_t before = server.requests().size();
    for (const Verb verb : {Verb::list, Verb::get, Verb::create, Verb::list}) {
      const Answer answer = client.call(request(verb));
      EXPECT_TRUE(answer && *answer == list) << verb_name(verb);
    }
    EXPECT_EQ(client.watch(request(Verb::watch, "/api/v1/pods?watch=true"))->read(patience)->bytes, "{}\n");
    std::vector<bool> asked;
    const std::vector<ReceivedRequest> all = server.requests();
    for (std::size_t i = before; i < all.size(); ++i)
      asked.push_back(all[i].accept_encoding.find("gzip") != std::string::npos);
    return asked;
  };
  EXPECT_THAT(encodings(true), testing::ElementsAre(true, false, false, true, false));
  EXPECT_THAT(encodings(false), testing::ElementsAre(false, false, false, false, false));
}

TEST(ApiClient, CountsWhatACompressedAnswerUnpacksTo) {
  FakeApiServer server([](const ReceivedRequest&) {
    return Reply{200, std::string(1 << 20, 'a'), {}, false, nullptr};
  });
  Connection connection = server.connection();
  connection.compresses_lists = true;
  HttpClient client(connection, quick_client());
  ApiRequest bounded = request(Verb::list);
  bounded.most_bytes = (1 << 20) - 1;
  const Answer refused = client.call(bounded);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
  bounded.most_bytes = 1 << 20;
  EXPECT_TRUE(client.call(bounded));
}

TEST(ApiClient, TurnsRefusalsIntoErrorsWithTheServersMessage) {
  int code = 0;
  FakeApiServer server([&](const ReceivedRequest&) {
    return Reply{code, R"({"kind":"Status","message":"because","code":1})", {}, false, nullptr};
  });
  Counting counting;
  ClientOptions options = quick_client();
  options.observer = &counting;
  {
    HttpClient client(server.connection(), options);
    for (const auto& [http, kind] : {std::pair(404, ErrorCode::not_found),
                                     {409, ErrorCode::conflict},
                                     {410, ErrorCode::gone},
                                     {400, ErrorCode::invalid_input},
                                     {403, ErrorCode::invalid_input},
                                     {422, ErrorCode::invalid_input}}) {
      code = http;
      const Answer answer = client.call(request(Verb::get));
      ASSERT_FALSE(answer.has_value());
      EXPECT_EQ(answer.error().code, kind) << http;
      EXPECT_THAT(answer.error().message, HasSubstr("get /api/v1/pods: HTTP " + std::to_string(http) + ": because"));
    }
  }
  EXPECT_EQ(counting.counts(),
            (std::map<std::string, int>{
                {"get 400", 1}, {"get 403", 1}, {"get 404", 1}, {"get 409", 1}, {"get 410", 1}, {"get 422", 1}}));
}

TEST(ApiClient, RepeatsAReadAfterServerFailuresAndCutConnections) {
  for (const Reply& failure : {Reply{500, "", {}, false, nullptr}, Reply{503, "", {}, false, nullptr},
                               Reply{200, "half", {}, true, nullptr}}) {
    FakeApiServer server(failing(3, failure));
    Counting counting;
    ClientOptions options = quick_client();
    options.observer = &counting;
    HttpClient client(server.connection(), options);
    const Answer answer = client.call(request(Verb::get));
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(*answer, "done");
    EXPECT_EQ(server.requests().size(), 4u);
    EXPECT_EQ(counting.counts().at("get 200"), 1);
    EXPECT_EQ(counting.counts().at(failure.cut ? "get 0" : "get " + std::to_string(failure.code)), 3);
  }
}

TEST(ApiClient, DoesNotRepeatACreationThatMayHaveBeenDone) {
  FakeApiServer server(failing(1, Reply{500, "", {}, false, nullptr}));
  HttpClient client(server.connection(), quick_client());
  EXPECT_EQ(client.call(request(Verb::create, "/a", "{}")).error().code, ErrorCode::unavailable);
  EXPECT_EQ(server.requests().size(), 1u);
  ApiRequest harmless = request(Verb::create, "/a", "{}");
  harmless.repeatable = true;
  EXPECT_TRUE(client.call(harmless).has_value());
}

TEST(ApiClient, RepeatsACreationThatTheServerWasTooBusyFor) {
  FakeApiServer server(failing(2, Reply{429, "", {}, false, nullptr}));
  HttpClient client(server.connection(), quick_client());
  EXPECT_TRUE(client.call(request(Verb::create, "/a", "{}")).has_value());
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST(ApiClient, WaitsAsLongAsRetryAfterSays) {
  FakeApiServer server(failing(1, Reply{429, "", 1, false, nullptr}));
  HttpClient client(server.connection(), quick_client());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(client.call(request(Verb::get)).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(ApiClient, GivesUpAfterTheMostTries) {
  FakeApiServer server(failing(1000, Reply{503, "", {}, false, nullptr}));
  HttpClient client(server.connection(), quick_client());
  EXPECT_EQ(client.call(request(Verb::get)).error().code, ErrorCode::unavailable);
  EXPECT_EQ(server.requests().size(), 6u);
}

TEST(ApiClient, SaysThatNobodyAnswers) {
  Connection nowhere;
  {
    FakeApiServer closed([](const ReceivedRequest&) { return Reply{}; });
    nowhere = closed.connection();
  }
  HttpClient client(nowhere, quick_client());
  const Answer answer = client.call(request(Verb::create, "/a", "{}"));
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("(6 tries)"));
}

TEST(ApiClient, EndsARequestThatIsNotAnsweredInTime) {
  std::promise<void> release;
  std::shared_future<void> released(release.get_future());
  FakeApiServer server([released](const ReceivedRequest&) {
    released.wait();
    return Reply{};
  });
  HttpClient client(server.connection(), quick_client());
  ApiRequest slow = request(Verb::get);
  slow.timeout = std::chrono::milliseconds(30);
  slow.repeatable = false;
  const Answer answer = client.call(slow);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("timed out"));
  release.set_value();
}

TEST(ApiClient, ReadsTheTokenAnewWhenItIsRefused) {
  const auto file = std::filesystem::path(testing::TempDir()) / "lips-client-token";
  std::ofstream(file) << "old";
  FakeApiServer server([&](const ReceivedRequest& request) {
    return Reply{request.authorization == "Bearer new" ? 200 : 401, "", {}, false, nullptr};
  });
  Connection connection = server.connection();
  connection.token = {"", file.string()};
  HttpClient client(connection, quick_client());
  EXPECT_EQ(client.call(request(Verb::get)).error().code, ErrorCode::invalid_input);
  EXPECT_EQ(server.requests().size(), 2u);
  std::ofstream(file) << "new";
  EXPECT_TRUE(client.call(request(Verb::create, "/a", "{}")).has_value());
  std::filesystem::remove(file);
}

TEST(ApiClient, KeepsAsManyInFlightAsAllowedAndNoMore) {
  constexpr int allowed = 4;
  std::latch full(allowed);
  std::atomic<int> inside{0}, most{0};
  FakeApiServer server([&](const ReceivedRequest&) {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    if (now <= allowed && !full.try_wait()) full.arrive_and_wait();  // goes on when all of them are in flight
    --inside;
    return Reply{};
  });
  ClientOptions options = quick_client();
  options.in_flight = allowed;
  HttpClient client(server.connection(), options);
  constexpr int requests = 40;
  std::latch all(requests);
  std::atomic<int> succeeded{0};
  for (int i = 0; i < requests; ++i)
    client.start(request(Verb::get), [&](const Answer& answer) {
      succeeded += answer.has_value() ? 1 : 0;
      all.count_down();
    });
  all.wait();
  EXPECT_EQ(succeeded, requests);
  EXPECT_EQ(most, allowed);
}

TEST(ApiClient, AsksBeforeEachTryWhetherARequestIsStillWanted) {
  FakeApiServer server(failing(1000, Reply{503, "", {}, false, nullptr}));
  HttpClient client(server.connection(), quick_client());
  ApiRequest fenced = request(Verb::get);
  int asked = 0;
  fenced.still_wanted = [&] { return ++asked <= 2; };
  EXPECT_EQ(client.call(fenced).error().code, ErrorCode::cancelled);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(ApiClient, CancelsOneRequestAndLeavesTheOthers) {
  auto feed = std::make_shared<Feed>();  // a body that never ends
  std::promise<void> arrived;
  FakeApiServer server([&](const ReceivedRequest& request) {
    if (request.path != "/slow") return Reply{200, "quick", {}, false, nullptr};
    arrived.set_value();
    return Reply{200, "", {}, false, feed};
  });
  HttpClient client(server.connection(), quick_client());
  std::promise<Answer> ended;
  const auto id = client.start(request(Verb::get, "/slow"), [&](Answer answer) { ended.set_value(std::move(answer)); });
  arrived.get_future().wait();
  client.cancel(id);
  EXPECT_EQ(ended.get_future().get().error().code, ErrorCode::cancelled);
  EXPECT_EQ(*client.call(request(Verb::get, "/other")), "quick");
}

TEST(ApiClient, StopsACallWhenAskedTo) {
  std::promise<void> arrived;
  FakeApiServer server([&](const ReceivedRequest&) {
    arrived.set_value();
    return Reply{200, "", {}, false, std::make_shared<Feed>()};
  });
  HttpClient client(server.connection(), quick_client());
  std::stop_source stop;
  auto answer = std::async(std::launch::async, [&] { return client.call(request(Verb::get), stop.get_token()); });
  arrived.get_future().wait();
  stop.request_stop();
  EXPECT_EQ(answer.get().error().code, ErrorCode::cancelled);
}

TEST(ApiClient, EndsEverythingPromptlyWhenItIsDestroyed) {
  std::latch arrived(3);
  FakeApiServer server([&](const ReceivedRequest&) {
    arrived.count_down();
    return Reply{200, "", {}, false, std::make_shared<Feed>()};
  });
  std::vector<ErrorCode> ends;
  std::unique_ptr<ByteStream> stream;
  const auto start = std::chrono::steady_clock::now();
  {
    ClientOptions options = quick_client();
    options.in_flight = 2;
    HttpClient client(server.connection(), options);
    stream = client.watch(request(Verb::watch));
    for (int i = 0; i < 5; ++i)
      client.start(request(Verb::get), [&](const Answer& answer) { ends.push_back(answer.error().code); });
    arrived.wait();
  }
  EXPECT_EQ(ends, std::vector<ErrorCode>(5, ErrorCode::cancelled));
  EXPECT_EQ(stream->read(patience).error().code, ErrorCode::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(ByteStream, BringsBytesAsTheyComeThenTheEnd) {
  auto feed = std::make_shared<Feed>();
  FakeApiServer server([&](const ReceivedRequest&) { return Reply{200, "", {}, false, feed}; });
  HttpClient client(server.connection(), quick_client());
  const auto stream = client.watch(request(Verb::watch));
  feed->push("one\n");
  EXPECT_EQ(stream->read(patience)->bytes, "one\n");
  EXPECT_EQ(stream->read(std::chrono::milliseconds(1))->state, ByteStream::State::silent);
  feed->push("two\n");
  EXPECT_EQ(stream->read(patience)->bytes, "two\n");
  feed->finish();
  EXPECT_EQ(stream->read(patience)->state, ByteStream::State::ended);
}

TEST(ByteStream, TellsARefusalACutAndAClosedOne) {
  auto feed = std::make_shared<Feed>();
  FakeApiServer server([&](const ReceivedRequest& request) {
    if (request.path == "/gone") return Reply{410, R"({"message":"too old"})", {}, false, nullptr};
    return Reply{200, "", {}, false, request.path == "/cut" ? feed : std::make_shared<Feed>()};
  });
  HttpClient client(server.connection(), quick_client());
  const auto gone = client.watch(request(Verb::watch, "/gone"));
  EXPECT_EQ(gone->read(patience).error().code, ErrorCode::gone);
  const auto cut = client.watch(request(Verb::watch, "/cut"));
  feed->push("half");
  EXPECT_EQ(cut->read(patience)->bytes, "half");
  feed->cut();
  EXPECT_EQ(cut->read(patience).error().code, ErrorCode::unavailable);
  const auto closed = client.watch(request(Verb::watch, "/open"));
  std::thread closer([&] { closed->close(); });
  EXPECT_EQ(closed->read(patience).error().code, ErrorCode::cancelled);
  closer.join();
}

TEST(ByteStream, LetsTheServerWaitWhenNobodyReadsAndLosesNothing) {
  constexpr std::size_t total = 40 << 20;
  auto feed = std::make_shared<Feed>();
  FakeApiServer server([&](const ReceivedRequest&) { return Reply{200, "", {}, false, feed}; });
  HttpClient client(server.connection(), quick_client());
  const auto stream = client.watch(request(Verb::watch));
  std::string all;
  for (std::size_t i = 0; i < total / 8; ++i) all += std::to_string(10'000'000 + i);
  feed->push(all);
  feed->finish();
  std::string got;
  std::size_t largest = 0;
  for (;;) {
    const auto chunk = stream->read(patience);
    ASSERT_TRUE(chunk.has_value()) << chunk.error().message;
    if (chunk->state == ByteStream::State::ended) break;
    ASSERT_EQ(chunk->state, ByteStream::State::data);
    largest = std::max(largest, chunk->bytes.size());
    got += chunk->bytes;
  }
  EXPECT_TRUE(got == all);
  EXPECT_LT(largest, std::size_t{5} << 20);
}

TEST(PercentEncoded, LeavesOnlyWhatAQueryAllows) {
  EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encoded("a=b,c d/é"), "a%3Db%2Cc%20d%2F%C3%A9");
}

}  // namespace
}  // namespace lips::kubernetes
