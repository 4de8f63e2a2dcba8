#include "kubernetes/api/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/time_text.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

const TimePoint noon = *parse_time("2026-03-01T12:00:00Z");
TimePoint after(int seconds) { return noon + std::chrono::seconds(seconds); }

EventNote note_about(const std::string& pod, const std::string& reason = "Waiting") {
  return {{"v1", "Pod", {"n", pod, "uid-" + pod, ""}}, true, reason, "Planning", "its data is moving"};
}

// Records through `use` and returns what the server was sent, once all of it has arrived.
std::vector<ReceivedRequest> sent(EventOptions options, const std::function<void(EventRecorder&)>& use) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{201, "{}", {}, false, nullptr}; });
  ClientOptions one_at_a_time = quick_client();
  one_at_a_time.in_flight = 1;
  HttpClient client(server.connection(), one_at_a_time);
  EventRecorder recorder(client, std::move(options), [] { return true; });
  use(recorder);
  ApiRequest last;
  last.path = "/last";
  EXPECT_TRUE(client.call(last).has_value());
  auto requests = server.requests();
  requests.pop_back();
  return requests;
}

TEST(EventRecorder, WritesEqualEventsAsOneAndThenTheCountAlone) {
  const auto requests = sent({}, [](EventRecorder& recorder) {
    for (int i = 0; i < 3; ++i) recorder.record(note_about("p"), after(i));
    recorder.flush(after(3));
    recorder.flush(after(4));  // nothing new
    recorder.record(note_about("p"), after(5), 10);
    recorder.flush(after(6));
  });
  ASSERT_EQ(requests.size(), 2u);
  const Json created = Json::parse(requests[0].body);
  EXPECT_EQ(requests[0].path, "/apis/events.k8s.io/v1/namespaces/n/events");
  EXPECT_EQ(created["series"]["count"], 3);
  EXPECT_EQ(created["series"]["lastObservedTime"], "2026-03-01T12:00:02.000000Z");
  EXPECT_EQ(created["eventTime"], "2026-03-01T12:00:00.000000Z");
  EXPECT_EQ(created["type"], "Warning");
  EXPECT_EQ(created["regarding"]["uid"], "uid-p");
  EXPECT_EQ(requests[1].method, "PATCH");
  EXPECT_EQ(requests[1].path, requests[0].path + '/' + created["metadata"]["name"].get<std::string>());
  EXPECT_EQ(Json::parse(requests[1].body),
            Json::parse(R"({"series":{"count":13,"lastObservedTime":"2026-03-01T12:00:05.000000Z"}})"));
}

TEST(EventRecorder, TellsSubjectsAndReasonsApart) {
  const auto requests = sent({}, [](EventRecorder& recorder) {
    recorder.record(note_about("p"), noon);
    recorder.record(note_about("q"), noon);
    recorder.record(note_about("p", "Deferred"), noon);
    recorder.flush(noon);
  });
  ASSERT_EQ(requests.size(), 3u);
  for (const ReceivedRequest& request : requests) EXPECT_FALSE(Json::parse(request.body).contains("series"));
  EXPECT_NE(Json::parse(requests[0].body)["metadata"]["name"], Json::parse(requests[1].body)["metadata"]["name"]);
}

EventNote note_in(const std::string& name_space, const std::string& pod) {
  EventNote note = note_about(pod);
  note.about.meta.name_space = name_space;
  return note;
}

TEST(EventRecorder, GivesEachNamespaceItsTurn) {
  EventOptions options;
  options.burst = 3;
  const auto requests = sent(options, [](EventRecorder& recorder) {
    for (int i = 0; i < 100; ++i) recorder.record(note_in("aaa", "p" + std::to_string(i)), noon);
    recorder.record(note_in("zzz", "q"), noon);
    recorder.flush(noon);
  });
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(
      std::count_if(requests.begin(), requests.end(),
                    [](const ReceivedRequest& request) { return request.path.find("/zzz/") != std::string::npos; }),
      1);
}

TEST(EventRecorder, DropsThoseOfTheNamespaceWithMostWhereThereAreTooMany) {
  EventOptions options;
  options.most_kept = 10;
  const auto requests = sent(options, [](EventRecorder& recorder) {
    for (int i = 0; i < 20; ++i) recorder.record(note_in("aaa", "p" + std::to_string(i)), noon);
    EXPECT_EQ(recorder.dropped(), 10u);
    for (int i = 0; i < 20; ++i) recorder.record(note_in("zzz", "q" + std::to_string(i)), noon);
    EXPECT_EQ(recorder.dropped(), 30u) << "five of the one and fifteen of the other";
    recorder.flush(noon);
  });
  EXPECT_EQ(requests.size(), 10u);
  EXPECT_EQ(
      std::count_if(requests.begin(), requests.end(),
                    [](const ReceivedRequest& request) { return request.path.find("/zzz/") != std::string::npos; }),
      5);
}

TEST(EventRecorder, WritesNoMoreThanTheRateAndTheRestLater) {
  EventOptions options;
  options.burst = 4;
  options.per_second = 2;
  const auto requests = sent(options, [](EventRecorder& recorder) {
    for (int i = 0; i < 10; ++i) recorder.record(note_about("p" + std::to_string(i)), noon);
    recorder.flush(noon);      // 4
    recorder.flush(noon);      // none
    recorder.flush(after(1));  // 2
  });
  EXPECT_EQ(requests.size(), 6u);
}

TEST(EventRecorder, BeginsAnewAfterASeriesEndedAndDropsWhatIsTooMuch) {
  EventOptions options;
  options.most_kept = 1;
  std::uint64_t dropped = 0;
  const auto requests = sent(options, [&](EventRecorder& recorder) {
    recorder.record(note_about("p"), noon);
    recorder.record(note_about("q"), noon, 7);
    dropped = recorder.dropped();
    recorder.flush(noon);
    recorder.flush(after(361));  // the series is over
    recorder.record(note_about("p"), after(400));
    recorder.flush(after(400));
  });
  EXPECT_EQ(dropped, 7u);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].method, "POST");
}

}  // namespace
}  // namespace lips::kubernetes
