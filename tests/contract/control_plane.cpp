#include "tests/contract/control_plane.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <nlohmann/json.hpp>

#include "kubernetes/api/http_client.h"
#include "kubernetes/api/list_watch.h"
#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/real_loop.h"
#include "kubernetes/data/resources.h"
#include "tests/kubernetes/data/job_runner.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

std::string tools_folder() {
  if (const char* tools = std::getenv("LIPS_TOOLS")) return tools;
  const char* home = std::getenv("HOME");
  return std::string(home ? home : "") + "/.cache/lips-tools";
}

// Informers try again until the server serves their kind.
class FirstList : public ObjectSink {
 public:
  void changed(const ObjectMeta&, std::string_view) override {}
  void deleted(const ObjectMeta&) override {}
  void complete(std::uint64_t) override { listed = true; }
  void failed(const Error&) override { ++failures; }

  bool listed = false;
  int failures = 0;
};

std::string missing_tool() {
  for (const char* tool : {"etcd", "kube-apiserver", "kubectl"})
    if (!std::filesystem::exists(tools_folder() + "/bin/" + tool))
      return "no " + std::string(tool) + " in " + tools_folder() + "/bin: e2e/build-tools makes it";
  return std::system("command -v openssl > /dev/null") == 0 ? "" : "no openssl in PATH";
}

}  // namespace

struct ControlPlaneStart {
  ControlPlaneStart() {
    why = missing_tool();
    if (!why.empty()) return;
    auto started = std::make_unique<ControlPlane>(testing::TempDir() + "lips-contract-" + std::to_string(getpid()));
    started->up_ = started->script("up --only-api");
    if (!started->up_) why = "the control plane did not start";
    if (!started->up_) ADD_FAILURE() << why;
    if (started->up_) control_plane = std::move(started);
  }
  std::unique_ptr<ControlPlane> control_plane;
  std::string why;
};

namespace {
ControlPlaneStart& start() {
  static ControlPlaneStart once;
  return once;
}
}  // namespace

ControlPlane* ControlPlane::get() { return start().control_plane.get(); }
const std::string& ControlPlane::why() { return start().why; }

ControlPlane::ControlPlane(std::string folder) : folder_(std::move(folder)) {}
ControlPlane::~ControlPlane() {
  if (up_) script("down");
}

bool ControlPlane::script(const std::string& arguments) const {
  const std::string command =
      std::string(LIPS_SOURCE_DIR) + "/e2e/control-plane " + arguments + " --dir " + folder_ + " > /dev/null";
  return std::system(command.c_str()) == 0;
}

Connection ControlPlane::connection(const std::string& context) const {
  const auto connection = connection_from_kubeconfig(folder_ + "/kubeconfig", context);
  EXPECT_TRUE(connection.has_value()) << connection.error().message;
  return connection.value_or(Connection{});
}

bool ControlPlane::kill_api_server() const { return script("kill kube-apiserver"); }
bool ControlPlane::start_api_server() const { return script("start kube-apiserver"); }

bool ControlPlane::compact(ApiClient& client) const {
  ApiRequest newest;
  newest.verb = Verb::list;
  newest.path = "/api/v1/namespaces?limit=1";
  const Answer answer = client.call(newest);
  if (!answer) return false;
  const auto version = Json::parse(*answer)["metadata"]["resourceVersion"].get<std::string>();
  std::ifstream ports(folder_ + "/ports");
  std::string line;
  std::getline(ports, line);
  Connection etcd;
  etcd.server = "http://127.0.0.1:" + line.substr(line.find('=') + 1);
  HttpClient etcd_client(etcd, ClientOptions{});
  return etcd_client.call(creation("/v3/kv/compaction", Json{{"revision", version}, {"physical", true}}.dump()))
      .has_value();
}

std::string node_json(const std::string& name) {
  return Json{{"apiVersion", "v1"},
              {"kind", "Node"},
              {"metadata", {{"name", name}, {"labels", {{"topology.kubernetes.io/zone", "zone-a"}}}}},
              {"status", {{"allocatable", {{"cpu", "32"}, {"memory", "64Gi"}, {"pods", "110"}}}}}}
      .dump();
}

std::string pod_json(const std::string& name, const std::string& more_spec) {
  Json pod = Json::parse(R"({"apiVersion":"v1","kind":"Pod","spec":{"schedulerName":"lips","containers":[
    {"name":"map","image":"map:1","resources":{"requests":{"cpu":"500m","memory":"512Mi"}}}]}})");
  pod["metadata"] = {
      {"name", name}, {"labels", {{"lips.dev/pool", "research"}}}, {"annotations", {{"lips.dev/dataset", "logs"}}}};
  if (!more_spec.empty()) pod["spec"].update(Json::parse(more_spec));
  return pod.dump();
}

std::string pods_path(const std::string& name_space) { return "/api/v1/namespaces/" + name_space + "/pods"; }

ApiRequest creation(const std::string& path, std::string body) {
  ApiRequest request;
  request.verb = Verb::create;
  request.path = path;
  request.body = std::move(body);
  return request;
}

void make_name_space(ApiClient& client, const std::string& name) {
  ASSERT_TRUE(client.call(creation("/api/v1/namespaces", Json{{"metadata", {{"name", name}}}}.dump())).has_value());
  const Answer account =
      client.call(creation("/api/v1/namespaces/" + name + "/serviceaccounts", R"({"metadata":{"name":"default"}})"));
  ASSERT_TRUE(account.has_value()) << account.error().message;
}

std::size_t send_all(ApiClient& client, const std::vector<ApiRequest>& requests) {
  std::latch all(static_cast<std::ptrdiff_t>(requests.size()));
  std::atomic<std::size_t> succeeded{0};
  for (const ApiRequest& request : requests)
    client.start(request, [&](const Answer& answer) {
      if (answer) ++succeeded;
      all.count_down();
    });
  all.wait();
  return succeeded;
}

std::vector<std::string> make_pods(ApiClient& client, const std::string& name_space, const std::string& prefix,
                                   std::size_t count) {
  std::vector<std::string> uids(count);
  std::latch all(static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i)
    client.start(creation(pods_path(name_space), pod_json(prefix + std::to_string(i))), [&, i](const Answer& answer) {
      if (answer) uids[i] = Json::parse(*answer)["metadata"]["uid"].get<std::string>();
      all.count_down();
    });
  all.wait();
  for (const std::string& uid : uids) EXPECT_NE(uid, "");
  return uids;
}

void install_custom_resources(ApiClient& client) {
  static bool applied = false;
  if (std::exchange(applied, true)) return;
  for (const DataKind kind : data_kinds) {
    ApiRequest request =
        creation("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                 read_file(std::string(LIPS_SOURCE_DIR) + "/charts/lips/crds/lips.dev_" + plural_name(kind) + ".yaml"));
    request.content_type = "application/yaml";
    const Answer answer = client.call(request);
    ASSERT_TRUE(answer || answer.error().code == ErrorCode::conflict) << answer.error().message;
  }
  for (const DataKind kind : data_kinds) {
    RealLoop loop;
    LoopClient listing(loop, {}, [](ClientOptions options) {
      return std::make_unique<HttpClient>(ControlPlane::get()->connection(), std::move(options));
    });
    FirstList sink;
    ListWatchOptions options;
    options.path = all_resources_path(kind);
    ListWatch watch(listing, loop, options, sink);
    watch.start();
    while (!sink.listed && sink.failures < 100) loop.run(std::chrono::seconds(10));
    ASSERT_TRUE(sink.listed) << kind_name(kind) << " does not come";
  }
}

}  // namespace lips::kubernetes
