// An API server inside the program, as far as the operator needs kube-apiserver: the verbs of the Kubernetes API over
// an ObjectStore, at the time that its loop says. docs/virtual.md lists what it leaves out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/event_loop.h"
#include "virtual/api_kind.h"
#include "virtual/api_path.h"
#include "virtual/api_response.h"
#include "virtual/object_store.h"

namespace lips::virtual_cluster {

class ApiServer {
 public:
  // The loop outlives it. It serves nothing but what serve() names.
  ApiServer(const kubernetes::EventLoop& loop, std::uint64_t seed) : loop_(loop), objects_(seed) {}

  ObjectStore& objects() { return objects_; }
  void serve(const std::string& collection) { objects_.serve(collection, kind(collection).generation); }

  // Says whether a request is allowed, as RBAC does; others are answered with 403. Without it every request is.
  struct Access {
    kubernetes::Verb verb = kubernetes::Verb::get;  // of a whole collection: list or watch
    std::string collection, part;                   // `part`: as "status"; empty: of the object itself
    friend auto operator<=>(const Access&, const Access&) = default;
  };
  void authorize_by(std::function<bool(const Access&)> may) { may_ = std::move(may); }

  // Told of every request but a watch, with its answer, as an audit log is.
  using Auditor = std::function<void(const kubernetes::ApiRequest& request, const ApiResponse& answer)>;
  void audit_by(Auditor auditor) { auditor_ = std::move(auditor); }
  // Takes from each object that is written what the definitions of its kind do not have.
  void prune_by(std::function<void(const std::string& collection, Json& object)> prune) { prune_ = std::move(prune); }
  // A kind that exists for controllers alone: its definition is missing.
  void hide(const std::string& collection) { hidden_.insert(collection); }

  // Every verb but a watch. Controllers of the cluster itself have every right.
  enum class Caller : std::uint8_t { client, controller };
  ApiResponse handle(const kubernetes::ApiRequest& request, Caller caller = Caller::client) {
    has_every_right_ = caller == Caller::controller;
    ApiResponse answer = answer_to(request);
    has_every_right_ = false;
    answer.date = std::chrono::floor<std::chrono::seconds>(loop_.now());
    if (auditor_) auditor_(request, answer);
    return answer;
  }

  // Lines of a watch from the request's version on; the listener is told of every later one. Without a version it
  // begins with what is there. An error is the only line of its watch.
  struct Watch {
    std::vector<std::string> lines;
    ObjectStore::ListenerId listener = 0;
    std::string collection;
    bool refused = false;
    int code = 200;
  };
  Watch watch(const std::string& path, std::function<void(std::string line)> told);
  void stop(const Watch& watch) {
    if (!watch.refused) objects_.stop(watch.collection, watch.listener);
  }
  // The line that says up to which version a watch has told everything.
  std::string bookmark(const Watch& watch) const;

 private:
  // A request's path, with the kind that it names.
  struct Target {
    ApiPath path;
    std::string collection, key;
    const ApiKind& kind;
  };
  const ApiKind& kind(const std::string& collection) const;
  bool serves(const std::string& collection) const {
    return objects_.serves(collection) && !hidden_.contains(collection);
  }
  std::vector<std::string> served() const;
  ApiResponse answer_to(const kubernetes::ApiRequest& request);
  ApiResponse read(const Target& target);
  ApiResponse list(const Target& target);
  ApiResponse discover(const ApiPath& path) const;

  // api_writes.cpp
  ApiResponse create(const Target& target, Json body);
  ApiResponse bind(const Target& target, const Json& body);
  ApiResponse evict(const Target& target, const Json& body);
  ApiResponse update(const Target& target, const Json& body);
  ApiResponse patch(const Target& target, const Json& body, const std::string& content);
  ApiResponse remove(const Target& target, const Json& options);
  ApiResponse put(const Target& target, Json object);

  bool may(kubernetes::Verb verb, const ApiPath& path) const {
    return has_every_right_ || !may_ || may_({verb, path.collection(), path.part});
  }

  const kubernetes::EventLoop& loop_;
  std::function<bool(const Access&)> may_;
  bool has_every_right_ = false;  // who is answered now
  Auditor auditor_;
  std::function<void(const std::string&, Json&)> prune_;
  std::set<std::string> hidden_;
  ObjectStore objects_;
  mutable std::map<std::string, ApiKind> kinds_;
  // A list whose later pages somebody may ask for, more than once.
  struct Paging {
    std::uint64_t version = 0;
    std::shared_ptr<const std::vector<std::shared_ptr<const Json>>> all;
    std::size_t next = 0;
    bool counted = true;  // a page says how many are left
  };
  ApiResponse page_of(const Target& target, Paging page);
  std::map<std::uint64_t, Paging> pages_;  // by number; the oldest are forgotten
  std::uint64_t last_page_ = 0, last_name_ = 0;
};

}  // namespace lips::virtual_cluster
