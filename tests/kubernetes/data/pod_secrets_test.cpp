// The words that pods of the mover are given: a running mover before a server that keeps Secrets, Jobs and pods.
#include "kubernetes/data/pod_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "kubernetes/api/connection.h"
#include "kubernetes/data/data_mover.h"
#include "kubernetes/data/resource_reconciler.h"
#include "tests/kubernetes/adapter/scheduling.h"
#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using std::chrono::minutes;
using testing::HasSubstr;

const StoreKey key("0123456789abcdef0123456789abcdef");

// The Secrets that an object names.
std::set<std::string> secrets_of(const Json& object) {
  std::set<std::string> names;
  if (object.is_object() && object.contains("secretKeyRef")) names.insert(object["secretKeyRef"]["name"]);
  if (object.is_object() && object.contains("secretName")) names.insert(object["secretName"]);
  if (object.is_structured())
    for (const Json& inner : object) names.merge(secrets_of(inner));
  return names;
}

// Keeps what is created. Everything else succeeds.
class KeepingServer {
 public:
  Reply operator()(const ReceivedRequest& request) {
    const std::string kind = request.path.substr(request.path.rfind('/') + 1);
    if (request.method == "GET" && kind == "master-key")
      return answer(200, R"({"data":{"key":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}})");
    if (request.path == "/apis/lips.dev/v1alpha1/datamoves/m/status")
      said_ = Json::parse(request.body)["status"].value("message", "");
    if (request.method == "DELETE") ended_.insert(kind);
    if (request.method != "POST") return answer(200, "{}");
    const Json object = Json::parse(request.body);
    if (kind == "events") {
      events_ += object.value("reason", "") + ": " + object.value("note", "") + '\n';
      return answer(201, request.body);
    }
    if (kind == "secrets" && refuses_) return answer(403, R"({"message":"secrets is forbidden"})");
    std::map<std::string, Json>& all = kind == "secrets" ? secrets_ : work_;
    if (kind != "secrets")
      for (const std::string& name : secrets_of(object))
        if (!secrets_.contains(name)) missed_.insert(name);
    const bool fresh = all.try_emplace(object["metadata"]["name"], object).second;
    return answer(fresh ? 201 : 409, request.body);
  }
  void refuse(bool refuses) { refuses_ = refuses; }
  void remove_secret(const std::string& name) { secrets_.erase(name); }

  std::map<std::string, Json> secrets_, work_;  // by name; Jobs and pods
  std::set<std::string> missed_;                // Secrets that were not there when a pod or Job named them
  std::set<std::string> ended_;                 // names of deleted objects
  std::string said_, events_;

 private:
  static Reply answer(int code, const std::string& body) { return {code, body, {}, false, nullptr}; }
  bool refuses_ = false;
};

// Copies block 0 from the directory of a node to that of another, and serves these and a volume.
class PodSecretsTest : public testing::Test {
 protected:
  PodSecretsTest() {
    for (const char* name : {"a", "b"})
      add(1, name, {{"zone", "z"}, {"nodeDirectory", {{"node", std::string("n") + name}, {"path", "/srv"}}}});
    add(1, "v", {{"zone", "z"}, {"volume", {{"claimName", "c"}}}});
    add(0, "s", {{"blocks", 1}, {"blockSize", 1}, {"stores", {{{"name", "a"}}}}},
        {{"blocks", 1}, {"size", 1}, {"replicas", {{{"store", "a"}, {"blocks", "0"}}}}}, "d");
    add(3, "m", {{"dataSet", {{"namespace", "d"}, {"name", "s"}}}, {"from", "a"}, {"to", "b"}, {"blocks", "0"}},
        {{"phase", "Copying"},
         {"dataSetUid", "s"},
         {"blocks", "0"},
         {"attempt", 1},
         {"started", "1970-01-01T00:59:59Z"}});
    for (const DataCatalog::Informer& informer : catalog_.informers()) informer.sink->complete(1);
    catalog_.use_nodes([](const std::string& node) { return NodeState{"uid-of-" + node, true, false}; });
    start();
  }
  void add(std::size_t kind, const std::string& name, Json spec, Json status = Json::object(),
           const std::string& name_space = "") {
    Json object{{"metadata", {{"name", name}, {"uid", name}, {"resourceVersion", "1"}, {"generation", 1}}},
                {"spec", std::move(spec)},
                {"status", std::move(status)}};
    if (!name_space.empty()) object["metadata"]["namespace"] = name_space;
    if (kind == 3) object["metadata"]["finalizers"] = {move_finalizer};
    catalog_.informers()[kind].sink->changed({name_space, name, name, "1"}, object.dump());
  }
  void show_pod(const std::string& name, const Json& labels, Json status) {
    const Json pod{{"metadata",
                    {{"namespace", "lips"},
                     {"name", name},
                     {"uid", name},
                     {"resourceVersion", std::to_string(++version_)},
                     {"labels", labels}}},
                   {"spec", Json::object()},
                   {"status", std::move(status)}};
    catalog_.informers()[5].sink->changed({"lips", name, name, std::to_string(version_)}, pod.dump());
  }
  static Json ready() {
    return {{"phase", "Running"}, {"podIP", "10.0.0.1"}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}};
  }
  static Json pending(const std::string& name) {
    return {{"phase", "Pending"},
            {"containerStatuses",
             {{{"name", "serve"},
               {"state",
                {{"waiting",
                  {{"reason", "CreateContainerConfigError"}, {"message", "secret \"" + name + "\" not found"}}}}}}}}};
  }
  static Json of_move() { return {{role_label, "source"}, {move_label, "m"}}; }
  static Json of_store(const std::string& uid) { return {{role_label, "serve"}, {store_label, uid}}; }

  // Another process that leads.
  void start() {
    MoverOptions options;
    options.work = {"lips", "image", "IfNotPresent", "", "", 0};
    options.key_secret = "master-key";
    options.limits = {4, 64};
    options.serve_stores = true;
    mover_ = std::make_unique<DataMover>(
        api_.client(), catalog_, events_, std::move(options), [] { return true; },
        [](const std::string&, std::uint32_t, const std::string&) { return false; });
  }
  void tick() {
    catalog_.poll();
    mover_->tick(now_);
    events_.flush(now_);
  }
  void pass(Duration span) {
    for (const TimePoint end = now_ + span; now_ < end; now_ += std::chrono::seconds(10)) {
      tick();
      api_.settle();
    }
  }
  // Within some moments, with all that is answered meanwhile.
  template <class Predicate>
  bool becomes(Predicate predicate) {
    return api_.until([&] {
      now_ += std::chrono::milliseconds(100);
      tick();
      return predicate();
    });
  }
  bool is_made(const std::string& name) { return kept_.work_.contains(name); }
  bool has_secret(const std::string& name) { return kept_.secrets_.contains(name); }
  std::string serving(const std::string& uid) {
    DataStoreResource store;
    store.meta.object.uid = uid;
    return serve_pod_name(store, key);
  }

  KeepingServer kept_;
  VirtualApi api_{[this](const ReceivedRequest& request) { return kept_(request); }};
  DataCatalog catalog_{"lips"};
  EventRecorder events_{api_.client(), {}, [] { return true; }};
  std::unique_ptr<DataMover> mover_;
  TimePoint now_{std::chrono::hours(1)};
  int version_ = 1;
};

TEST_F(PodSecretsTest, GiveNoPodTheKeyOfAllPasswords) {
  ASSERT_TRUE(becomes([&] {
    return is_made("lips-m-source") && is_made(serving("a")) && is_made(serving("b")) && is_made(serving("v"));
  }));
  show_pod("lips-m-source", of_move(), ready());
  ASSERT_TRUE(becomes([&] { return is_made("lips-m-copy-1"); }));
  EXPECT_TRUE(kept_.missed_.empty()) << "each Secret comes before the pod that needs it";
  const auto& secrets = kept_.secrets_;
  const auto& work = kept_.work_;
  EXPECT_EQ(work.size(), 5u);
  std::set<std::string> words;
  for (const auto& [name, secret] : secrets) {
    const std::string word = secret["stringData"][pod_secret_item];
    EXPECT_TRUE(words.insert(word).second) << name;
    EXPECT_NE(word, key.text());
    EXPECT_EQ(secret["stringData"].size(), 1u);
    EXPECT_EQ(secret["immutable"], true);
    const Json& owner = secret["metadata"]["ownerReferences"][0];
    EXPECT_EQ(owner["kind"], name.starts_with("lips-m-") ? "DataMove" : "DataStore");
    EXPECT_THAT(name, HasSubstr("lips-" + owner["uid"].get<std::string>() + '-'));
  }
  for (const auto& [name, object] : work) {
    const std::set<std::string> own = secrets_of(object);
    EXPECT_EQ(own, std::set<std::string>{name == "lips-m-copy-1" ? "lips-m-source" : name}) << object;
    EXPECT_EQ(object.dump().find("master-key"), std::string::npos) << "the Secret of the key";
    EXPECT_EQ(object.dump().find(key.text()), std::string::npos);
    for (const std::string& word : words) EXPECT_EQ(object.dump().find(word), std::string::npos) << name;
  }
  // The word of a pod opens what it is for, and nothing else.
  const auto word = [&](const std::string& name) {
    return secrets.at(name)["stringData"][pod_secret_item].get<std::string>();
  };
  for (const char* holder : {"a", "b", "v"})
    for (const char* store : {"a", "b", "v"})
      for (const char* folder : {"", "d/s"}) {
        const std::string user = folder_as_user(folder);
        const std::string made = user + ':' + StoreKey(word(serving(holder))).seal(user);
        EXPECT_EQ(made == key.credentials(store, folder), std::string(holder) == store) << holder << ' ' << store;
        EXPECT_NE(user + ':' + StoreKey(word("lips-m-source")).seal(user), key.credentials(store, folder));
        EXPECT_NE(user + ':' + word("lips-m-source"), key.credentials(store, folder));
      }
}

TEST_F(PodSecretsTest, AreMadeAgainWhileAPodWaitsForOne) {
  ASSERT_TRUE(becomes([&] { return is_made("lips-m-source") && is_made(serving("v")); }));
  const Json before = kept_.secrets_["lips-m-source"];
  for (const std::string& name : {std::string("lips-m-source"), serving("v")}) {
    kept_.remove_secret(name);
    show_pod(name, name == serving("v") ? of_store("v") : of_move(), pending(name));
  }
  pass(minutes(2));
  EXPECT_TRUE(becomes([&] { return has_secret("lips-m-source") && has_secret(serving("v")); }));
  EXPECT_EQ(kept_.secrets_["lips-m-source"], before) << "a pod may have read the former one";
  // Pods that run have read theirs.
  for (const std::string& name : {std::string("lips-m-source"), serving("v")}) {
    show_pod(name, name == serving("v") ? of_store("v") : of_move(), ready());
    tick();
    api_.settle();
    kept_.remove_secret(name);
  }
  pass(minutes(1));
  EXPECT_FALSE(has_secret(serving("v")));
}

// A body holds a hash of the key, and is asked for at each step while a pod waits.
TEST(PodSecrets, MakeTheirBodiesOnlyToSendThem) {
  VirtualApi api{[](const ReceivedRequest&) { return Reply{201, "{}", {}, false, nullptr}; }};
  ObjectWrites writes{api.client(), [] { return true; }, [] {}};
  PodSecrets secrets{writes, "lips"};
  TimePoint now{std::chrono::hours(1)};
  int made = 0, there = 0;
  const auto ask = [&] {
    there += secrets.is_there(
        "s", [&] { return ++made, std::string("{}"); }, now);
    api.settle();
    writes.collect(now);
    writes.collect(now += std::chrono::milliseconds(250));
  };
  for (int turn = 0; turn < 200; ++turn) ask();
  EXPECT_EQ(made, 1);
  EXPECT_GT(there, 190);
  for (int turn = 0; turn < 200; ++turn) ask();
  EXPECT_EQ(made, 2) << "somebody may have deleted it";
  EXPECT_EQ(api.requests().size(), 2u);
}

TEST_F(PodSecretsTest, AreTakenAsTheyAreByTheNextProcess) {
  ASSERT_TRUE(becomes([&] { return has_secret("lips-m-source") && is_made("lips-m-source"); }));
  show_pod("lips-m-source", of_move(), ready());
  start();
  now_ += minutes(1);
  EXPECT_TRUE(becomes([&] { return is_made("lips-m-copy-1"); }));
}

TEST_F(PodSecretsTest, SayWhyTheyCannotBeMade) {
  kept_.refuse(true);
  ASSERT_TRUE(becomes([&] { return !kept_.said_.empty() && kept_.events_.find("NotServed") != std::string::npos; }));
  EXPECT_THAT(kept_.said_, HasSubstr("Secret/lips-m-source cannot be made: "));
  EXPECT_THAT(kept_.said_, HasSubstr("secrets is forbidden"));
  EXPECT_THAT(kept_.events_, HasSubstr("NotServed: Secret/lips-"));
  EXPECT_TRUE(kept_.work_.empty()) << "no pod that could not start";
  kept_.refuse(false);
  pass(minutes(2));
  EXPECT_TRUE(becomes([&] { return is_made("lips-m-source") && is_made(serving("a")); }));
}

TEST_F(PodSecretsTest, OfAnEarlierKeyEndWithTheirPods) {
  for (const char* uid : {"a", "v", "gone"})
    show_pod(std::string("lips-") + uid + "-serve-00000000", of_store(uid), ready());
  const auto ended = [&](const std::string& uid) { return kept_.ended_.contains("lips-" + uid + "-serve-00000000"); };
  ASSERT_TRUE(becomes([&] { return is_made(serving("a")) && is_made(serving("v")) && ended("v"); }))
      << "a claim may be mounted once only";
  show_pod(serving("a"), of_store("a"), ready());
  pass(minutes(58));
  EXPECT_FALSE(ended("a")) << "tasks that began before may read from it";
  pass(minutes(3));
  EXPECT_TRUE(becomes([&] { return ended("a"); }));
  EXPECT_FALSE(ended("gone")) << "it goes with its DataStore";
  EXPECT_FALSE(kept_.ended_.contains(serving("a")));
}

}  // namespace
}  // namespace lips::kubernetes
