// Custom resources and moves of data against a real API server; the test itself plays the kubelets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "base/random.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/list_watch.h"
#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/real_loop.h"
#include "kubernetes/data/data_mover.h"
#include "kubernetes/data/data_set_codec.h"
#include "tests/contract/control_plane.h"
#include "tests/kubernetes/data/job_runner.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

TimePoint wall_now() {
  return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

ClientOptions patient() {
  ClientOptions options;
  options.user_agent = "lips-test";
  return options;
}

Json object(DataKind kind, const std::string& name, Json spec) {
  Json meta = {{"name", name}};
  if (kind == DataKind::data_set) meta["namespace"] = "default";
  return {{"apiVersion", data_api_version}, {"kind", kind_name(kind)}, {"metadata", meta}, {"spec", std::move(spec)}};
}

std::string path_of(DataKind kind, const std::string& name = "") {
  return resource_path(kind, {kind == DataKind::data_set ? "default" : "", name, "", ""});
}

// Nothing is kept: other tests follow all objects.
std::string refusal(ApiClient& client, DataKind kind, Json spec) {
  const Answer answer =
      client.call(creation(path_of(kind) + "?dryRun=All", object(kind, "it", std::move(spec)).dump()));
  return answer ? "" : answer.error().message;
}

TEST(CustomResources, AreRefusedByTheServerWhenTheyContradictThemselves) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), patient());
  install_custom_resources(client);
  using enum DataKind;
  const auto refused = [&](DataKind kind, const char* spec) { return refusal(client, kind, Json::parse(spec)); };

  EXPECT_EQ(refused(data_set, R"({"blocks":4,"blockSize":"64Mi","stores":[{"name":"a","blocks":"0-3"}]})"), "");
  EXPECT_EQ(refused(data_set, R"({"files":[{"path":"a","size":12}],"erasureCode":{"n":9,"k":6}})"), "");
  EXPECT_THAT(refused(data_set, "{}"), HasSubstr("does not describe its blocks"));
  EXPECT_THAT(refused(data_set, R"({"blocks":1,"blockSize":1,"erasureCode":{"n":4,"k":4}})"),
              HasSubstr("k must be smaller than n"));
  EXPECT_THAT(refused(data_set, R"({"files":[],"discover":{"listing":{"store":"a"}}})"), HasSubstr("not both"));
  EXPECT_THAT(refused(data_set, R"({"discover":{}})"), HasSubstr("give one of listing and hdfs"));
  EXPECT_THAT(refused(data_set, R"({"blocks":1,"blockSize":1,"path":"a/../b"})"), HasSubstr("without .."));
  EXPECT_THAT(refused(data_set, R"({"blocks":1,"blockSize":1,"stores":[{"name":"a","blocks":"3-"}]})"),
              HasSubstr("spec.stores[0].blocks"));
  EXPECT_THAT(refused(data_set, R"({"blocks":1,"blockSize":"many"})"), HasSubstr("spec.blockSize"));

  EXPECT_EQ(refused(data_store, R"({"zone":"z","capacity":"1Ti","volume":{"claimName":"c"}})"), "");
  EXPECT_THAT(refused(data_store, R"({"zone":"z"})"), HasSubstr("exactly one of"));
  EXPECT_THAT(refused(data_store, R"({"zone":"z","volume":{"claimName":"c"},"bucket":{"name":"b"}})"),
              HasSubstr("exactly one of"));
  EXPECT_THAT(refused(data_store, R"({"zone":"z","nodeDirectory":{"node":"n","path":"relative"}})"),
              HasSubstr("nodeDirectory.path"));

  EXPECT_EQ(refused(pool, R"({"weight":"1.5","minimum":2,"maximum":"2500m"})"), "");
  EXPECT_THAT(refused(pool, R"({"minimum":"3","maximum":"2500m"})"), HasSubstr("minimum is above maximum"));
  EXPECT_THAT(refused(pool, R"({"weight":-1})"), HasSubstr("spec.weight"));

  EXPECT_EQ(refused(data_move, R"({"dataSet":{"namespace":"d","name":"s"},"from":"a","dropSource":true})"), "");
  EXPECT_THAT(refused(data_move, R"({"dataSet":{"namespace":"d","name":"s"},"from":"a"})"),
              HasSubstr("give a store to copy to"));
  EXPECT_THAT(refused(data_move, R"({"dataSet":{"namespace":"d","name":"s"},"from":"a","to":"a"})"),
              HasSubstr("same store"));
}

TEST(CustomResources, KeepWhatMayNotChange) {
  LIPS_NEEDS_CONTROL_PLANE();
  HttpClient client(ControlPlane::get()->connection(), patient());
  install_custom_resources(client);
  const Json spec = Json::parse(R"({"dataSet":{"namespace":"d","name":"s"},"from":"a","to":"b","cancel":true})");
  ASSERT_TRUE(client.call(creation(path_of(DataKind::data_move), object(DataKind::data_move, "fixed", spec).dump())));
  const auto change = [&](const char* patch) {
    ApiRequest request = creation(path_of(DataKind::data_move, "fixed"), patch);
    request.verb = Verb::patch;
    request.content_type = merge_patch;
    const Answer answer = client.call(request);
    return answer ? std::string() : answer.error().message;
  };
  EXPECT_THAT(change(R"({"spec":{"to":"c"}})"), HasSubstr("a move cannot change"));
  EXPECT_THAT(change(R"({"spec":{"to":null,"dropSource":true}})"), HasSubstr("a move cannot change"));
  EXPECT_THAT(change(R"({"spec":{"cancel":false}})"), HasSubstr("stays cancelled"));
  EXPECT_EQ(change(R"({"spec":{"attempts":7}})"), "");
  client.call([] {
    ApiRequest request;
    request.verb = Verb::remove;
    request.path = path_of(DataKind::data_move, "fixed");
    return request;
  }());
}

// ---- moves ----

// One operator's share in data: what it follows, and its mover.
class Operator {
 public:
  Operator(const Connection& connection, std::set<std::string>& being_read)
      : client_(loop_, patient(),
                [&](ClientOptions options) { return std::make_unique<HttpClient>(connection, std::move(options)); }),
        being_read_(being_read) {
    for (const DataCatalog::Informer& informer : catalog_.informers()) {
      ListWatchOptions options;
      options.path = informer.path;
      options.selector = informer.selector;
      watches_.push_back(std::make_unique<ListWatch>(client_, loop_, options, *informer.sink));
      watches_.back()->start();
    }
    MoverOptions options;
    options.work.name_space = "default";
    options.work.image = "rclone";
    options.key_secret = "lips-store-key";
    options.limits = {4, 64};
    options.attempts = 5;
    options.keep_finished = Duration(0);
    options.rules.first_pause = std::chrono::seconds(1);
    options.rules.problem_patience = std::chrono::minutes(10);
    options.serve_stores = false;
    options.blocks_per_move = 3;
    mover_ = std::make_unique<DataMover>(
        client_, catalog_, events_, options, [] { return true; },
        [this](const std::string& set, std::uint32_t block, const std::string& store) {
          return being_read_.contains(set + ' ' + std::to_string(block) + ' ' + store);
        });
  }

  void turn() {
    loop_.run(std::chrono::milliseconds(5));  // or until something has come
    catalog_.poll();
    mover_->tick(wall_now());
    events_.flush(wall_now());
  }
  DataCatalog& catalog() { return catalog_; }
  DataMover& mover() { return *mover_; }

 private:
  RealLoop loop_;
  LoopClient client_;  // at its end, as by kill -9, what is on its way may or may not arrive
  DataCatalog catalog_{"default"};
  EventRecorder events_{client_, {}, [] { return true; }};
  std::set<std::string>& being_read_;
  std::unique_ptr<DataMover> mover_;
  std::vector<std::unique_ptr<ListWatch>> watches_;
};

// Runs Jobs and pods of moves, and tells the server how they end.
class Kubelets {
 public:
  Kubelets(ApiClient& client, JobRunner& runner, std::uint64_t seed)
      : client_(client), runner_(runner), random_(seed) {}

  bool work() {
    bool any = false;
    for (const Json& secret : list("/api/v1/namespaces/default/secrets")) {
      const Json data = secret.value("data", Json::object());
      for (const auto& [key, value] : data.items())
        runner_.secrets[secret["metadata"]["name"].get<std::string>() + '/' + key] = *decode_base64(value);
    }
    for (const Json& job : list("/apis/batch/v1/namespaces/default/jobs")) {
      const std::string uid = job["metadata"]["uid"];
      if (!job["metadata"].contains("labels") || !job["metadata"]["labels"].contains(role_label) ||
          !seen_.insert(uid).second)
        continue;
      // Now and then a pod is killed between its two containers.
      const bool killed = random_.below(5) == 0;
      const PodEnd end = runner_.run(job, killed ? 1 : 100);
      ends_[job["metadata"]["labels"][role_label]] += end.succeeded;
      if (!end.succeeded && !killed) failures.push_back(end.message);
      tell(job, end);
      any = true;
    }
    for (const Json& pod : list("/api/v1/namespaces/default/pods")) {
      any |= end_deleted(pod);
      const std::string uid = pod["metadata"]["uid"];
      const Json labels = pod["metadata"].value("labels", Json::object());
      if (labels.value(role_label, "") != "source" || !seen_.insert(uid).second) continue;
      const PodEnd end = runner_.serve(pod);
      if (!end.succeeded) failures.push_back(end.message);
      patch_status("/api/v1/namespaces/default/pods/", pod,
                   {{"phase", "Running"},
                    {"podIP", "127.0.0.1"},
                    {"podIPs", {{{"ip", "127.0.0.1"}}}},
                    {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}});
      any = true;
    }
    return any;
  }

  std::vector<std::string> failures;
  int succeeded(const std::string& role) const { return ends_.contains(role) ? ends_.at(role) : 0; }

 private:
  // A pod on a node stays until its kubelet says that its containers have ended.
  bool end_deleted(const Json& pod) {
    if (!pod["metadata"].contains("deletionTimestamp") || !pod["spec"].contains("nodeName")) return false;
    ApiRequest request;
    request.verb = Verb::remove;
    request.path = "/api/v1/namespaces/default/pods/" + pod["metadata"]["name"].get<std::string>();
    request.body = R"({"gracePeriodSeconds":0})";
    return client_.call(request).has_value();
  }

  Json list(const std::string& path) {
    ApiRequest request;
    request.verb = Verb::list;
    request.path = path;
    const Answer answer = client_.call(request);
    return answer ? Json::parse(*answer)["items"] : Json::array();
  }
  void patch_status(const std::string& path, const Json& object, Json status) {
    ApiRequest request = creation(path + object["metadata"]["name"].get<std::string>() + "/status",
                                  Json{{"status", std::move(status)}}.dump());
    request.verb = Verb::patch;
    request.content_type = strategic_merge_patch;
    const Answer answer = client_.call(request);
    EXPECT_TRUE(answer || answer.error().code == ErrorCode::not_found) << answer.error().message;
  }
  void tell(const Json& job, const PodEnd& end) {
    const std::string time = "2026-01-31T12:00:00Z";
    const auto condition = [&](const char* type, const char* reason, const std::string& message) {
      return Json{{"type", type},       {"status", "True"},           {"reason", reason},
                  {"message", message}, {"lastTransitionTime", time}, {"lastProbeTime", time}};
    };
    Json status = {{"startTime", time}, {"uncountedTerminatedPods", Json::object()}};
    if (end.succeeded) {
      status.update({{"succeeded", 1},
                     {"completionTime", time},
                     {"conditions",
                      {condition("SuccessCriteriaMet", "CompletionsReached", ""),
                       condition("Complete", "CompletionsReached", "")}}});
    } else {
      status.update({{"failed", 1},
                     {"conditions",
                      {condition("FailureTarget", "BackoffLimitExceeded", end.message),
                       condition("Failed", "BackoffLimitExceeded", end.message)}}});
    }
    patch_status("/apis/batch/v1/namespaces/default/jobs/", job, std::move(status));
  }

  ApiClient& client_;
  JobRunner& runner_;
  Random random_;
  std::set<std::string> seen_;
  std::map<std::string, int> ends_;
};

class DataMoves : public testing::Test {
 protected:
  static constexpr std::uint32_t blocks = 6;

  void SetUp() override {
    LIPS_NEEDS_CONTROL_PLANE();
    if (JobRunner::rclone().empty()) GTEST_SKIP() << "no rclone: e2e/build-tools rclone makes it";
    client_ = std::make_unique<HttpClient>(ControlPlane::get()->connection(), patient());
    install_custom_resources(*client_);
    client_->call(creation("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"default"}})"));
    runner_ = std::make_unique<JobRunner>(testing::TempDir() + "lips-moves-" + std::to_string(getpid()));
    kubelets_ = std::make_unique<Kubelets>(*client_, *runner_, 7);
    for (const char* node : {"a", "b", "c"})
      create(DataKind::data_store, node,
             {{"zone", std::string("zone-") + node}, {"nodeDirectory", {{"node", node}, {"path", "/srv"}}}});
    create(DataKind::data_set, "books", {{"blocks", blocks}, {"blockSize", 1000}, {"stores", {{{"name", "a"}}}}});
    for (std::uint32_t block = 0; block < blocks; ++block)
      write_file(place("a") + "/default/books/block-0000" + std::to_string(block), text(block));
    start_operator();
  }
  void TearDown() override {
    if (!operator_) return;
    // With the data set go its copies, and what its owner laid down stays.
    for (const DataKind kind : {DataKind::data_move, DataKind::data_set}) remove_all(kind);
    for (int turns = 0;
         turns < 2000 && !(operator_->catalog().data_sets().empty() && operator_->catalog().moves().empty()); ++turns) {
      operator_->turn();
      kubelets_->work();
    }
    EXPECT_TRUE(operator_->catalog().data_sets().empty());
    for (const char* node : {"a", "b", "c"})
      EXPECT_FALSE(std::filesystem::exists(place(node) + "/lips-copies")) << node;
    operator_.reset();
    remove_all(DataKind::data_store);
    for (const char* path : {"/apis/batch/v1/namespaces/default/jobs", "/api/v1/namespaces/default/pods"}) remove(path);
  }
  void remove_all(DataKind kind) { remove(path_of(kind)); }
  void remove(const std::string& path) {
    ApiRequest request;
    request.verb = Verb::remove;
    request.path = path;
    request.body = R"({"propagationPolicy":"Background"})";
    client_->call(request);
  }

  static std::string text(std::uint32_t block) { return std::string(1000, static_cast<char>('a' + block)); }
  std::string place(const std::string& node) const { return runner_->node_folder(node, "/srv"); }
  void create(DataKind kind, const std::string& name, Json spec) {
    const Answer answer = client_->call(creation(path_of(kind), object(kind, name, std::move(spec)).dump()));
    ASSERT_TRUE(answer) << answer.error().message;
  }
  void start_operator() { operator_ = std::make_unique<Operator>(ControlPlane::get()->connection(), being_read_); }
  DataSetResource books() {
    ApiRequest request;
    request.path = path_of(DataKind::data_set, "books");
    const Answer answer = client_->call(request);
    EXPECT_TRUE(answer) << answer.error().message;
    return *decode_data_set(*answer);
  }
  std::string blocks_in(const std::string& store) {
    const DataSetResource set = books();
    const HeldBlocks* held = find_held(set, store);
    return held ? held->blocks.text() : "";
  }

  // Every block has a replica in the status, and each of those is there as it should be.
  void check() {
    const DataSetResource set = books();
    if (set.status.replicas.empty()) return;
    const DataLayout layout = *layout_of(set);
    BlockRanges held;
    for (const HeldBlocks& each : set.status.replicas) {
      held.add(each.blocks);
      for (const std::uint32_t block : each.blocks.blocks())
        ASSERT_EQ(read_file(place(each.store) + '/' + held_part(set, layout, each, block).path), text(block))
            << "block " << block << " in " << each.store;
    }
    ASSERT_EQ(held.text(), "0-5");
  }

  template <class Done>
  ::testing::AssertionResult turn_until(Done done, std::uint64_t crash_seed = 0) {
    Random random(crash_seed);
    for (int turns = 0; turns < 1500; ++turns) {
      operator_->turn();
      kubelets_->work();
      check();
      if (HasFatalFailure()) return testing::AssertionFailure() << "see above";
      if (operator_->catalog().complete() && done()) return testing::AssertionSuccess();
      if (crash_seed != 0 && random.below(8) == 0) {
        operator_.reset();
        start_operator();
        ++crashes_;
      }
    }
    std::string phases;
    for (const auto& [name, move] : operator_->catalog().moves())
      phases += name + ' ' + phase_name(move.status.phase) + ' ' + source_name(move.status.source) + ' ' +
                move.status.message + '\n';
    for (const auto& [name, pod] : operator_->catalog().pods())
      phases += "pod " + name + (pod.ready ? " ready " : " not ready ") + pod.message + '\n';
    for (const auto& [name, job] : operator_->catalog().jobs()) phases += "job " + name + ' ' + job.why + '\n';
    for (const std::string& failure : kubelets_->failures) phases += failure + '\n';
    return testing::AssertionFailure() << "not done:\n" << phases;
  }

  int crashes_ = 0;
  std::set<std::string> being_read_;
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<JobRunner> runner_;
  std::unique_ptr<Kubelets> kubelets_;
  std::unique_ptr<Operator> operator_;
};

TEST_F(DataMoves, ThatWereAskedForAreCarriedOutAndTheirObjectsGo) {
  ASSERT_TRUE(turn_until([&] { return blocks_in("a") == "0-5"; }));
  being_read_.insert("default/books 1 a");
  for (std::uint32_t block = 0; block < 2; ++block)
    operator_->mover().start({MoveId(block + 10), "default/books", block, "a", "b", true, false});
  operator_->mover().start({MoveId(20), "default/books", 5, "a", "c", false, true});
  std::vector<MoveOutcome> outcomes;
  ASSERT_TRUE(turn_until([&] {
    for (MoveOutcome& outcome : operator_->mover().take_outcomes()) outcomes.push_back(outcome);
    return outcomes.size() == 3 && blocks_in("b") == "0-1" && find_held(books(), "a")->leaving.text() == "0-1";
  }));
  EXPECT_EQ(blocks_in("a"), "0-5") << "a task still reads block 1 there";
  being_read_.clear();
  ASSERT_TRUE(turn_until([&] { return operator_->catalog().moves().empty(); }));
  for (const MoveOutcome& outcome : outcomes) EXPECT_TRUE(outcome.committed) << outcome.why;
  EXPECT_EQ(blocks_in("a"), "2-5");
  EXPECT_EQ(blocks_in("b"), "0-1");
  EXPECT_EQ(find_held(books(), "c")->extra.text(), "5");
  EXPECT_FALSE(std::filesystem::exists(place("a") + "/default/books/block-00000"));

  operator_->mover().drop({"default/books", 5, "c"});
  ASSERT_TRUE(turn_until([&] { return blocks_in("c").empty() && operator_->catalog().moves().empty(); }));
  EXPECT_TRUE(files_below(place("c")).empty());
}

TEST_F(DataMoves, SurviveAnOperatorThatIsKilledAgainAndAgain) {
  ASSERT_TRUE(turn_until([&] { return blocks_in("a") == "0-5"; }));
  const auto move = [](const char* blocks_moved, const char* from, const char* to) {
    return Json{{"dataSet", {{"namespace", "default"}, {"name", "books"}}},
                {"blocks", blocks_moved},
                {"from", from},
                {"to", to},
                {"dropSource", true},
                {"attempts", 50}};
  };
  create(DataKind::data_move, "first", move("0-2", "a", "b"));
  create(DataKind::data_move, "second", move("3-5", "a", "c"));
  create(DataKind::data_move, "third", move("0-1", "b", "c"));
  Json cancelled = move("4", "a", "b");
  cancelled["cancel"] = true;
  create(DataKind::data_move, "cancelled", cancelled);
  ASSERT_TRUE(turn_until(
      [&] {
        for (const char* name : {"first", "second", "third", "cancelled"}) {
          const auto place_of = operator_->catalog().moves().find(name);
          if (place_of == operator_->catalog().moves().end() || !place_of->second.status.finished) return false;
        }
        return true;
      },
      11));
  RecordProperty("crashes", crashes_);
  EXPECT_EQ(blocks_in("a"), "");
  EXPECT_EQ(blocks_in("b"), "2");
  EXPECT_EQ(blocks_in("c"), "0-1,3-5");
  std::size_t files = 0;
  for (const char* node : {"a", "b", "c"}) files += files_below(place(node)).size();
  EXPECT_EQ(files, std::size_t{blocks}) << "nothing is left behind";
  EXPECT_GT(crashes_, 3);
}

}  // namespace
}  // namespace lips::kubernetes
