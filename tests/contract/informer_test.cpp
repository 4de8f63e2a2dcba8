#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/list_watch.h"
#include "tests/contract/control_plane.h"
#include "tests/kubernetes/api/followed.h"

namespace lips::kubernetes {
namespace {

constexpr std::chrono::seconds long_enough{60};

// Keeps what was decoded.
template <class Object, class Decoder>
class Keeping : public ObjectSink {
 public:
  void changed(const ObjectMeta& meta, std::string_view json) override {
    const std::lock_guard lock(mutex_);
    auto object = decoder_.decode(json);
    if (!object) return wrong_.push_back(object.error().message);
    if (object->meta != meta) wrong_.push_back("another object: " + full_name(meta));
    Object& kept = objects_[full_name(meta)];
    if (kept.meta == meta) wrong_.push_back("told twice: " + full_name(meta));
    kept = *std::move(object);
    changed_.notify_all();
  }
  void deleted(const ObjectMeta& meta) override {
    const std::lock_guard lock(mutex_);
    if (objects_.erase(full_name(meta)) == 0) wrong_.push_back("deleted twice: " + full_name(meta));
    changed_.notify_all();
  }
  void complete(std::uint64_t) override {
    const std::lock_guard lock(mutex_);
    ++lists_;
    changed_.notify_all();
  }
  void failed(const Error& error) override {
    const std::lock_guard lock(mutex_);
    failures_.push_back(error);
    changed_.notify_all();
  }
  template <class Predicate>
  bool wait(Predicate predicate) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough, predicate);
  }
  // Seen by the tests. NOLINTBEGIN(readability-identifier-naming)
  std::map<std::string, Object> objects_;
  std::vector<std::string> wrong_;
  std::vector<Error> failures_;
  int lists_ = 0;
  // NOLINTEND(readability-identifier-naming)

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Decoder decoder_;
};

using Pods = Keeping<Pod, PodDecoder>;
using Nodes = Keeping<Node, NodeDecoder>;

ListWatchOptions options_for(const std::string& path, int page_size = 500) {
  ListWatchOptions options;
  options.path = path;
  options.page_size = page_size;
  return options;
}

class Informer : public Followed {
 public:
  Informer(ObjectSink& sink, ListWatchOptions options)
      : Followed(std::make_unique<HttpClient>(ControlPlane::get()->connection(), ClientOptions{}), sink,
                 std::move(options)) {}
};

ApiRequest removal(const std::string& path) {
  ApiRequest request;
  request.verb = Verb::remove;
  request.path = path;
  request.body = R"({"gracePeriodSeconds":0})";
  return request;
}

ApiRequest label(const std::string& pod_path, const std::string& value) {
  ApiRequest request;
  request.verb = Verb::patch;
  request.path = pod_path;
  request.content_type = merge_patch;
  request.body = R"({"metadata":{"labels":{"lips.dev/pool":")" + value + R"("}}})";
  return request;
}

TEST(RealServer, GivesThousandsOfPodsAndNodesInPages) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), ClientOptions{});
  make_name_space(client, "many");
  constexpr std::size_t node_count = 1000, pod_count = 4000;
  std::vector<ApiRequest> creations;
  for (std::size_t i = 0; i < node_count; ++i)
    creations.push_back(creation("/api/v1/nodes", node_json("node-" + std::to_string(i))));
  ASSERT_EQ(send_all(client, creations), node_count);
  make_pods(client, "many", "pod-", pod_count);
  Pods pods;
  const std::size_t before = mallinfo2().uordblks;
  const auto start = std::chrono::steady_clock::now();
  {
    Informer informer(pods, options_for(pods_path("many")));
    ASSERT_TRUE(pods.wait([&] { return pods.lists_ == 1; }));
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::size_t bytes = (mallinfo2().uordblks - before) / pod_count;
  std::printf("          %zu pods in pages of 500: %.2f s, %zu bytes of heap a pod\n", pod_count, took, bytes);
  EXPECT_EQ(pods.objects_.size(), pod_count);
  EXPECT_THAT(pods.wrong_, testing::IsEmpty());
#ifndef __SANITIZE_ADDRESS__
  EXPECT_LT(bytes, 2048u);
#endif
  const Pod& pod = pods.objects_.at("many/pod-17");
  EXPECT_EQ(amount_of(pod.requests, "cpu"), 500);
  EXPECT_EQ(pod.scheduler, "lips");
  Connection far = ControlPlane::get()->connection();
  far.compresses_lists = true;
  HttpClient compressing(far, ClientOptions{});
  ApiRequest page;
  page.verb = Verb::list;
  page.path = pods_path("many") + "?limit=500";  // 128 KiB and more are compressed
  const Answer plain = client.call(page), unpacked = compressing.call(page);
  ASSERT_TRUE(plain && unpacked);
  EXPECT_EQ(nlohmann::json::parse(*plain)["items"], nlohmann::json::parse(*unpacked)["items"]);
  Nodes nodes;
  {
    Informer informer(nodes, options_for("/api/v1/nodes", 300));
    ASSERT_TRUE(nodes.wait([&] { return nodes.lists_ == 1; }));
  }
  EXPECT_GE(nodes.objects_.size(), node_count);
  EXPECT_EQ(amount_of(nodes.objects_.at("node-7").allocatable, "cpu"), 32'000);
}

TEST(RealServer, TellsEveryChangeOnceAlsoThroughARestart) {
  LIPS_NEEDS_CONTROL_PLANE();
  ControlPlane& control_plane = *ControlPlane::get();
  HttpClient client(control_plane.connection(), ClientOptions{});
  make_name_space(client, "restart");
  make_pods(client, "restart", "pod-", 200);
  Pods pods;
  Informer informer(pods, options_for(pods_path("restart"), 70));
  ASSERT_TRUE(pods.wait([&] { return pods.lists_ >= 1; }));
  ASSERT_TRUE(client.call(label(pods_path("restart") + "/pod-0", "before")).has_value());
  ASSERT_TRUE(
      pods.wait([&] { return *find_text(pods.objects_.at("restart/pod-0").labels, "lips.dev/pool") == "before"; }));

  ASSERT_TRUE(control_plane.kill_api_server());
  ASSERT_TRUE(pods.wait([&] { return !pods.failures_.empty(); }));
  ASSERT_TRUE(control_plane.start_api_server());

  const Answer labelled = client.call(label(pods_path("restart") + "/pod-1", "after"));
  ASSERT_TRUE(labelled.has_value()) << labelled.error().message;
  ASSERT_TRUE(client.call(removal(pods_path("restart") + "/pod-2")).has_value());
  make_pods(client, "restart", "late-", 50);
  EXPECT_TRUE(pods.wait([&] {
    const auto changed = pods.objects_.find("restart/pod-1");
    return pods.objects_.size() == 249 && !pods.objects_.contains("restart/pod-2") &&
           *find_text(changed->second.labels, "lips.dev/pool") == "after";
  })) << pods.objects_.size();
  EXPECT_THAT(pods.wrong_, testing::IsEmpty());
  std::printf("          through a restart: %d lists, %zu failures told\n", pods.lists_, pods.failures_.size());
}

TEST(RealServer, SaysGoneOfVersionsThatAreTooOld) {
  LIPS_NEEDS_CONTROL_PLANE();
  ControlPlane& control_plane = *ControlPlane::get();
  HttpClient client(control_plane.connection(), ClientOptions{});
  make_name_space(client, "gone");
  make_pods(client, "gone", "pod-", 30);
  ApiRequest first;
  first.verb = Verb::list;
  first.path = pods_path("gone") + "?limit=10";
  const Answer page = client.call(first);
  ASSERT_TRUE(page.has_value()) << page.error().message;
  const auto metadata = nlohmann::json::parse(*page)["metadata"];
  ASSERT_TRUE(client.call(label(pods_path("gone") + "/pod-1", "x")).has_value());
  ASSERT_TRUE(control_plane.compact(client));
  ASSERT_TRUE(control_plane.kill_api_server());  // so that it does not remember by itself either
  ASSERT_TRUE(control_plane.start_api_server());

  ApiRequest second = first;
  second.path += "&continue=" + percent_encoded(metadata["continue"].get<std::string>());
  const Answer rest = client.call(second);
  ASSERT_FALSE(rest.has_value());
  EXPECT_EQ(rest.error().code, ErrorCode::gone) << rest.error().message;

  ApiRequest watch;
  watch.path = pods_path("gone") + "?watch=true&resourceVersion=" + metadata["resourceVersion"].get<std::string>();
  const auto stream = client.watch(watch);
  const auto chunk = stream->read(long_enough);
  if (chunk.has_value()) {
    FrameReader frames;
    const auto event = frames.read_event(chunk->bytes);
    ASSERT_TRUE(event.has_value()) << chunk->bytes;
    EXPECT_EQ(event->error.code, ErrorCode::gone) << event->error.message;
  } else {
    EXPECT_EQ(chunk.error().code, ErrorCode::gone) << chunk.error().message;
  }
}

TEST(RealServer, IsTrustedByItsAuthorityAlone) {
  LIPS_NEEDS_CONTROL_PLANE();
  const ControlPlane& control_plane = *ControlPlane::get();
  ApiRequest request;
  request.path = "/api/v1/namespaces/default";
  HttpClient by_certificate(control_plane.connection("certificate"), ClientOptions{});
  EXPECT_TRUE(by_certificate.call(request).has_value());

  Connection system_authorities = control_plane.connection();
  system_authorities.authority = {};
  HttpClient distrusting(system_authorities, ClientOptions{});
  const Answer refused = distrusting.call(request);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_input);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("certificate"));

  Connection other_name = control_plane.connection();
  other_name.server.replace(other_name.server.find("127.0.0.1"), 9, "127.0.0.2");
  HttpClient wrong_host(other_name, ClientOptions{});
  EXPECT_FALSE(wrong_host.call(request).has_value());

  Connection wrong_token = control_plane.connection();
  wrong_token.token.text = "wrong";
  HttpClient unknown(wrong_token, ClientOptions{});
  EXPECT_THAT(unknown.call(request).error().message, testing::HasSubstr("HTTP 401"));
}

}  // namespace
}  // namespace lips::kubernetes
