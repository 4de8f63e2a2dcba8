// An API server inside the program, as far as the operator needs kube-apiserver: the verbs of the Kubernetes API over
// an ObjectStore, at the time that its loop says. docs/virtual.md lists what it leaves out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/api/api_request.h"
#include "kubernetes/api/event_loop.h"
#include "virtual/api_path.h"
#include "virtual/object_store.h"

namespace lips::virtual_cluster {

struct ApiResponse {
  int code = 200;
  std::string body;
};

class ApiServer {
 public:
  // The loop outlives it. It serves nothing but what serve() names.
  ApiServer(const kubernetes::EventLoop& loop, std::uint64_t seed) : loop_(loop), objects_(seed) {}

  ObjectStore& objects() { return objects_; }
  void serve(const std::string& collection) { objects_.serve(collection); }

  // Every verb but a watch.
  ApiResponse handle(const kubernetes::ApiRequest& request);

  // Lines of a watch from the request's version on; the listener is told of every later one. An error is the only line
  // of its watch.
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
  std::string bookmark() const;

 private:
  ApiResponse list(const ApiPath& path);
  ApiResponse create(const ApiPath& path, Json body);
  ApiResponse bind(const ApiPath& path, const Json& body);
  ApiResponse update(const ApiPath& path, const Json& body);
  ApiResponse patch(const ApiPath& path, const Json& body, const std::string& kind);
  ApiResponse remove(const ApiPath& path, const Json& body);
  ApiResponse put(const ApiPath& path, Json object);

  const kubernetes::EventLoop& loop_;
  ObjectStore objects_;
  // Lists whose next page somebody may ask for.
  struct Paging {
    std::uint64_t version = 0;
    std::vector<std::shared_ptr<const Json>> left;  // the last one first
  };
  std::map<std::string, Paging> pages_;
  std::uint64_t last_page_ = 0, last_name_ = 0;
};

}  // namespace lips::virtual_cluster
