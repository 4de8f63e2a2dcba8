// Stores with copies, DataSets that come and go, and an API server that keeps DataStores and Jobs: the surroundings of
// CopyReview. The test says when a Job lists a store and when it ends.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/api/time_text.h"
#include "kubernetes/data/copy_review.h"
#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {

class CopyWorld {
 public:
  using Json = nlohmann::json;
  enum Kind : std::size_t { data_set = 0, data_store = 1, data_move = 3, job = 4, pod = 5 };

  explicit CopyWorld(Duration every = std::chrono::hours(24)) : every_(every) { restart(); }

  // ---- what people do ----

  void add_store(const std::string& name) {
    stores_[name] = {{"metadata",
                      {{"name", name},
                       {"uid", "store-" + name},
                       {"generation", 1},
                       {"creationTimestamp", time_text(now)},
                       {"resourceVersion", std::to_string(++version_)}}},
                     {"spec", {{"zone", "z"}, {"nodeDirectory", {{"node", name}, {"path", "/srv"}}}}},
                     {"status", Json::object()}};
    deliver(data_store, stores_[name]);
  }
  // Another writer changes it.
  void touch_store(const std::string& name) {
    stores_[name]["status"]["used"] = version_;
    stores_[name]["metadata"]["resourceVersion"] = std::to_string(++version_);
    deliver(data_store, stores_[name]);
  }
  void forget_status(const std::string& name) {
    stores_[name]["status"].erase("unowned");
    stores_[name]["metadata"]["resourceVersion"] = std::to_string(++version_);
    deliver(data_store, stores_[name]);
  }
  void put_object(Kind kind, const std::string& name_space, const std::string& name, const std::string& uid,
                  bool understood = true) {
    Json object{{"metadata", {{"name", name}, {"uid", uid}, {"resourceVersion", std::to_string(++version_)}}},
                {"spec", {{"blocks", 4}, {"blockSize", 10}}}};
    if (!name_space.empty()) object["metadata"]["namespace"] = name_space;
    if (kind == data_move) object["spec"] = {{"from", "a"}};
    if (!understood) object["spec"] = {{"blocks", "many"}, {"attempts", "many"}};
    deliver(kind, object);
  }
  void remove_object(Kind kind, const std::string& name_space, const std::string& name, const std::string& uid) {
    catalog.informers()[kind].sink->deleted({name_space, name, uid, std::to_string(++version_)});
  }

  // ---- what the cluster does ----

  std::vector<std::string> jobs() const {
    std::vector<std::string> names;
    for (const auto& [name, object] : jobs_) names.push_back(name);
    return names;
  }
  bool has_listed(const std::string& name) const { return lists_.contains(name); }
  // The pod of the Job lists its store, as the files are now.
  void list(const std::string& name) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> folders;
    for (const auto& [path, bytes] : files[store_of(jobs_.at(name))]) {
      auto& folder = folders[path.substr(0, path.rfind('/'))];
      folder.first += 1, folder.second += bytes;
    }
    std::string text;
    for (const auto& [path, sum] : folders)
      text += path + '\t' + std::to_string(sum.first) + '\t' + std::to_string(sum.second) + '\n';
    lists_[name] = text + "complete\n";
  }
  void end(const std::string& name, bool succeeded) {
    Json& object = jobs_.at(name);
    object["status"]["conditions"] = {{{"type", succeeded ? "Complete" : "Failed"}, {"status", "True"}}};
    deliver(job, object);
    deliver(pod, {{"metadata",
                   {{"name", name + "-pod"},
                    {"namespace", "lips"},
                    {"uid", name + "-pod"},
                    {"resourceVersion", std::to_string(++version_)},
                    {"labels", {{role_label, "look"}}},
                    {"ownerReferences", {{{"kind", "Job"}, {"name", name}}}}}},
                  {"status", {{"phase", succeeded ? "Succeeded" : "Failed"}}}});
  }

  // ---- the operator ----

  void restart() {
    settle_writes();
    review.reset();
    review = std::make_unique<CopyReview>(catalog, writes, events, work_, every_);
  }
  void tick(Duration after = std::chrono::seconds(1)) {
    now += after;
    catalog.poll();
    review->tick(now);
    settle_writes();
    catalog.poll();
  }
  void settle_writes() {
    api_.settle();
    writes.collect(now);
    writes.collect(now);
    for (const std::string& name : ended_) {
      catalog.informers()[job].sink->deleted({"lips", name, name, std::to_string(++version_)});
      catalog.informers()[pod].sink->deleted({"lips", name + "-pod", name + "-pod", std::to_string(++version_)});
    }
    ended_.clear();
  }
  // A whole look at every store.
  void look() {
    finish_jobs();
    tick(every_ + std::chrono::hours(2));
    finish_jobs();
  }
  void finish_jobs() {
    for (int turn = 0; turn < 60; ++turn) {
      tick(std::chrono::seconds(10));
      for (const std::string& name : jobs()) {
        if (!has_listed(name)) list(name);
        if (!ended_jobs_.contains(name)) end(name, true), ended_jobs_.insert(name);
      }
    }
  }
  Json unowned(const std::string& store) const { return stores_.at(store)["status"].value("unowned", Json()); }

  TimePoint now{std::chrono::hours(500'000)};
  std::map<std::string, std::map<std::string, std::int64_t>> files;  // by store, by path below lips-copies
  int looks = 0;                                                     // Jobs that were made
  bool prunes = false;                                               // the server does not keep what was found
  std::function<void(const Json&)> on_found = [](const Json&) {};
  DataCatalog catalog{"lips"};

 private:
  static std::string store_of(const Json& job) {
    return job["metadata"]["labels"][store_label].get<std::string>().substr(6);
  }
  void deliver(Kind kind, const Json& object) {
    const Json& meta = object["metadata"];
    catalog.informers()[kind].sink->changed(
        {meta.value("namespace", ""), meta["name"], meta["uid"], meta["resourceVersion"]}, object.dump());
  }
  Reply answer(const ReceivedRequest& request) {
    const std::string name = request.path.substr(request.path.rfind('/') + 1);
    if (request.method == "POST" && request.path.ends_with("/jobs")) return make_job(Json::parse(request.body));
    if (request.method == "DELETE") {
      if (jobs_.erase(name) == 0) return {404, "{}", {}, false, nullptr};
      ended_.push_back(name);
    }
    if (request.path.ends_with("/log")) {
      const std::string of = request.path.substr(0, request.path.size() - 8);  // "-pod/log"
      return {200, lists_[of.substr(of.rfind('/') + 1)], {}, false, nullptr};
    }
    if (request.method == "PATCH") return patch(request);
    return {200, "{}", {}, false, nullptr};
  }
  Reply make_job(Json made) {
    const std::string name = made["metadata"]["name"];
    if (jobs_.contains(name)) return {409, "{}", {}, false, nullptr};
    ++looks;
    made["metadata"]["uid"] = name;
    made["metadata"]["namespace"] = "lips";
    made["metadata"]["resourceVersion"] = std::to_string(++version_);
    deliver(job, jobs_[name] = made);
    return {200, made.dump(), {}, false, nullptr};
  }
  Reply patch(const ReceivedRequest& request) {
    const Json change = Json::parse(request.body);
    std::string name = request.path.substr(0, request.path.rfind('/'));
    Json& object = stores_.at(name = name.substr(name.rfind('/') + 1));
    if (change["metadata"]["resourceVersion"] != object["metadata"]["resourceVersion"])
      return {409, "{}", {}, false, nullptr};
    on_found(change["status"]["unowned"]);
    if (!prunes) {
      object.merge_patch({{"status", change["status"]}});
      object["metadata"]["resourceVersion"] = std::to_string(++version_);
    }
    return {200, object.dump(), {}, false, nullptr};
  }

  const Duration every_;
  std::map<std::string, Json> stores_, jobs_;
  std::map<std::string, std::string> lists_;  // by Job
  std::vector<std::string> ended_;            // deleted Jobs of which the catalog does not know yet
  std::set<std::string> ended_jobs_;
  std::int64_t version_ = 0;
  VirtualApi api_{[this](const ReceivedRequest& request) { return answer(request); }};

 public:
  ObjectWrites writes{api_.client(), [] { return true; }, [] {}};
  EventRecorder events{api_.client(), {}, [] { return true; }};

 private:
  const WorkSettings work_{"lips", "image", "IfNotPresent", "", "", 0};

 public:
  std::unique_ptr<CopyReview> review;
};

}  // namespace lips::kubernetes
