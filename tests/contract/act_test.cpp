#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <latch>
#include <nlohmann/json.hpp>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/events.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/lease.h"
#include "kubernetes/api/time_text.h"
#include "kubernetes/pods/binding.h"
#include "tests/contract/bare/bare_loop.h"
#include "tests/contract/control_plane.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;
using Kind = BindAnswer::Kind;

const TimePoint noon = *parse_time("2026-03-01T12:00:00Z");

Json read(ApiClient& client, const std::string& path) {
  ApiRequest request;
  request.path = path;
  const Answer answer = client.call(request);
  EXPECT_TRUE(answer.has_value()) << answer.error().message;
  return answer ? Json::parse(*answer) : Json::object();
}

BindAnswer bind(Binder& binder, const PodBinding& binding) {
  std::promise<BindAnswer> outcome;
  binder.bind(binding, [&](const PodBinding&, BindAnswer found) { outcome.set_value(std::move(found)); });
  return outcome.get_future().get();
}

TEST(RealServer, TellsTheOutcomesOfBindings) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), ClientOptions{});
  make_name_space(client, "bind");
  const auto uids = make_pods(client, "bind", "pod-", 3);
  Binder binder(client, [] { return true; });
  PodBinding first{{"bind", "pod-0", uids[0], ""}, "node-a", {{"lips.dev/input", "/data/0"}}};
  const BindAnswer bound = bind(binder, first);
  EXPECT_EQ(bound.kind, Kind::bound) << bound.message;
  const Json pod = read(client, pods_path("bind") + "/pod-0");
  EXPECT_EQ(pod["spec"]["nodeName"], "node-a");
  EXPECT_EQ(pod["metadata"]["annotations"]["lips.dev/input"], "/data/0");
  EXPECT_EQ(bind(binder, first).kind, Kind::bound) << "a second time, to the same node";
  first.node = "node-b";
  const BindAnswer late = bind(binder, first);
  EXPECT_EQ(late.kind, Kind::elsewhere) << late.message;
  EXPECT_EQ(late.node, "node-a");

  const BindAnswer anew = bind(binder, {{"bind", "pod-1", uids[2], ""}, "node-a", {}});
  EXPECT_EQ(anew.kind, Kind::pod_gone) << anew.message;
  const BindAnswer absent = bind(binder, {{"bind", "absent", uids[2], ""}, "node-a", {}});
  EXPECT_EQ(absent.kind, Kind::pod_gone) << absent.message;

  ASSERT_TRUE(client.call(creation(pods_path("bind"), pod_json("gated", R"({"schedulingGates":[{"name":"x.dev/y"}]})")))
                  .has_value());
  const std::string gated = read(client, pods_path("bind") + "/gated")["metadata"]["uid"];
  const BindAnswer refused = bind(binder, {{"bind", "gated", gated, ""}, "node-a", {}});
  EXPECT_EQ(refused.kind, Kind::refused) << refused.message;

  ApiRequest finalizer;
  finalizer.verb = Verb::patch;
  finalizer.path = pods_path("bind") + "/pod-2";
  finalizer.content_type = merge_patch;
  finalizer.body = R"({"metadata":{"finalizers":["lips.dev/test"]}})";
  ASSERT_TRUE(client.call(finalizer).has_value());
  ApiRequest removal;
  removal.verb = Verb::remove;
  removal.path = finalizer.path;
  ASSERT_TRUE(client.call(removal).has_value());
  const BindAnswer deleting = bind(binder, {{"bind", "pod-2", uids[2], ""}, "node-a", {}});
  EXPECT_EQ(deleting.kind, Kind::pod_gone) << deleting.message;
}

TEST(RealServer, ShowsWhyAPodWaitsBesideItsOtherConditions) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), ClientOptions{});
  make_name_space(client, "waits");
  const auto uids = make_pods(client, "waits", "pod-", 1);
  ApiRequest other;
  other.verb = Verb::patch;
  other.path = pods_path("waits") + "/pod-0/status";
  other.content_type = merge_patch;
  other.body = R"({"status":{"conditions":[{"type":"x.dev/other","status":"True"}]}})";
  ASSERT_TRUE(client.call(other).has_value());
  Binder binder(client, [] { return true; });
  const auto mark = [&](const std::string& uid) {
    std::promise<Answer> done;
    binder.mark_unschedulable({"waits", "pod-0", uid, ""}, "no node has 64 cores", noon,
                              [&](Answer answer) { done.set_value(std::move(answer)); });
    return done.get_future().get();
  };
  const Answer marked = mark(uids[0]);
  ASSERT_TRUE(marked.has_value()) << marked.error().message;
  const Answer other_uid = mark("00000000-0000-0000-0000-000000000000");
  ASSERT_FALSE(other_uid.has_value());
  EXPECT_THAT(other_uid.error().message, HasSubstr("metadata.uid"));
  const Json pod = read(client, pods_path("waits") + "/pod-0");
  EXPECT_EQ(pod["status"]["conditions"].size(), 2u);
  PodDecoder decoder;
  const auto decoded = decoder.decode(pod.dump());
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(decoded->scheduled.status, ConditionStatus::no);
  EXPECT_EQ(decoded->scheduled.reason, "Unschedulable");
  EXPECT_EQ(decoded->scheduled.message, "no node has 64 cores");
}

TEST(RealServer, CountsEqualEventsInOneObject) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), ClientOptions{});
  make_name_space(client, "events");
  const auto uids = make_pods(client, "events", "pod-", 1);
  EventOptions options;
  options.instance = "lips-0";
  EventRecorder recorder(client, options, [] { return true; });
  const EventNote note{
      {"v1", "Pod", {"events", "pod-0", uids[0], ""}}, false, "Waiting", "Planning", "its data is moving"};
  const std::string path = "/apis/events.k8s.io/v1/namespaces/events/events";
  const auto wait_for_count = [&](int count) {  // writing goes on by itself; the deadline is the test's own
    for (int i = 0; i < 10'000; ++i) {
      const Json items = read(client, path)["items"];
      if (items.size() == 1 && items[0].value("series", Json::object()).value("count", 1) == count) return items[0];
    }
    return Json();
  };
  recorder.record(note, noon);
  recorder.flush(noon);
  const Json once = wait_for_count(1);
  EXPECT_EQ(once["reason"], "Waiting");
  EXPECT_EQ(once["note"], "its data is moving");
  EXPECT_EQ(once["reportingInstance"], "lips-0");
  for (int i = 1; i < 500; ++i) recorder.record(note, noon + std::chrono::seconds(i));
  recorder.flush(noon + std::chrono::seconds(500));
  EXPECT_EQ(wait_for_count(500)["series"]["lastObservedTime"], "2026-03-01T12:08:19.000000Z");
}

TEST(RealServer, HandsALeaseFromOneClientToTheOther) {
  LIPS_NEEDS_CONTROL_PLANE();
  const Connection connection = ControlPlane::get()->connection();
  HttpClient client_a(connection, ClientOptions{}), client_b(connection, ClientOptions{});
  make_name_space(client_a, "lease");
  ApiLeaseStore store_a(client_a, "lease", "lips", std::chrono::seconds(5)),
      store_b(client_b, "lease", "lips", std::chrono::seconds(5));
  LeaseOptions options_a, options_b;
  options_a.identity = "a";
  options_b.identity = "b";
  LeaderElection a(store_a, options_a), b(store_b, options_b);
  const auto at = [](int second) { return noon + std::chrono::seconds(second); };
  ASSERT_TRUE(a.step(at(0)).has_value());
  ASSERT_TRUE(b.step(at(1)).has_value());
  EXPECT_TRUE(a.leads(at(1)));
  EXPECT_FALSE(b.leads(at(1)));
  EXPECT_EQ(read(client_a, "/apis/coordination.k8s.io/v1/namespaces/lease/leases/lips")["spec"]["holderIdentity"], "a");

  // a hangs; its binder stops before b may begin
  const auto uids = make_pods(client_a, "lease", "pod-", 2);
  TimePoint now = at(11);
  Binder binder_a(client_a, [&] { return a.leads(now); }), binder_b(client_b, [&] { return b.leads(now); });
  EXPECT_EQ(bind(binder_a, {{"lease", "pod-0", uids[0], ""}, "node-a", {}}).kind, Kind::deposed);
  ASSERT_TRUE(b.step(at(17)).has_value());
  now = at(18);
  EXPECT_TRUE(b.leads(now));
  EXPECT_EQ(b.term(), 1);
  EXPECT_EQ(bind(binder_b, {{"lease", "pod-0", uids[0], ""}, "node-b", {}}).kind, Kind::bound);
  ASSERT_TRUE(a.step(at(18)).has_value());
  EXPECT_FALSE(a.leads(at(18)));
  EXPECT_EQ(a.holder(), "b");

  ASSERT_TRUE(b.release(at(19)).has_value());
  EXPECT_FALSE(b.leads(at(19)));
  ASSERT_TRUE(a.step(at(19)).has_value());
  EXPECT_TRUE(a.leads(at(20)));
  EXPECT_EQ(a.term(), 2);
}

// ---- how fast ----

double bind_rate(int connections, const std::string& prefix, const std::vector<std::string>& uids) {
  ClientOptions options;
  options.in_flight = connections;
  HttpClient client(ControlPlane::get()->connection(), options);
  Binder binder(client, [] { return true; });
  std::latch all(static_cast<std::ptrdiff_t>(uids.size()));
  std::atomic<std::size_t> bound{0};
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < uids.size(); ++i)
    binder.bind({{"rate", prefix + std::to_string(i), uids[i], ""},
                 "node-" + std::to_string(i % 1000),
                 {{"lips.dev/input", "/data/" + std::to_string(i)}}},
                [&](const PodBinding&, const BindAnswer& outcome) {
                  bound += outcome.kind == Kind::bound ? 1 : 0;
                  all.count_down();
                });
  all.wait();
  EXPECT_EQ(bound, uids.size());
  return static_cast<double>(uids.size()) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double bare_rate(int connections, const std::string& prefix, const std::vector<std::string>& uids) {
  std::vector<BareBinding> bindings;
  for (std::size_t i = 0; i < uids.size(); ++i)
    bindings.push_back({prefix + std::to_string(i), uids[i], "node-" + std::to_string(i % 1000)});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(bind_bare(ControlPlane::get()->connection(), "rate", bindings, connections), uids.size());
  return static_cast<double>(uids.size()) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(RealServer, BindsAsFastAsABareLoop) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), ClientOptions{});
  make_name_space(client, "rate");
  constexpr std::size_t pods = 500;
  for (const int connections : {1, 32}) {
    // Half before and half after the other, so that a machine that gets slower or faster hits both.
    double own = 0, bare = 0;
    for (const std::string round : {"x", "y"}) {
      const std::string name = round + std::to_string(connections);
      own += bind_rate(connections, name + "own-", make_pods(client, "rate", name + "own-", pods)) / 2;
      bare += bare_rate(connections, name + "bare-", make_pods(client, "rate", name + "bare-", pods)) / 2;
    }
    std::printf("          %2d connections: %5.0f pods/s, bare loop %5.0f, ratio %.2f\n", connections, own, bare,
                own / bare);
    EXPECT_GT(own, bare * 0.4);  // two noisy cores; the figure is what is printed
  }
}

}  // namespace
}  // namespace lips::kubernetes
