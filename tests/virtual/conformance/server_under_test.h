// A Kubernetes API server that the checks of this folder are put to: the one of operator/virtual, or a real one. Knows
// no check.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

struct Asked {
  std::string method;  // GET, POST, PUT, PATCH, DELETE
  std::string path;    // from the root, with the query
  std::string body;
  std::string content_type;
};

struct Replied {
  int code = 0;
  Json body;  // null: no JSON
};

class ServerUnderTest {
 public:
  class Watching {
   public:
    virtual ~Watching() = default;
    // The next events that are no bookmarks; fewer if the watch has ended, or a real server says nothing for seconds.
    virtual std::vector<Json> events(std::size_t count) = 0;
    // The next bookmark; null if there is none.
    virtual Json bookmark() = 0;
    virtual int code() = 0;
  };

  virtual ~ServerUnderTest() = default;
  virtual Replied ask(const Asked& asked) = 0;
  virtual std::unique_ptr<Watching> watch(const std::string& path) = 0;
  // A name for a namespace that exists and is empty.
  virtual std::string new_name_space() = 0;
  // Seconds since 1970 by the server's clock.
  virtual std::int64_t now() const = 0;
  // Forgets old versions; those before a custom resource was installed are none of its own on a real server either.
  virtual void forget() = 0;
};

std::unique_ptr<ServerUnderTest> virtual_server();
// The server of a kubeconfig's current context. Null: there is none, and a test has failed.
std::unique_ptr<ServerUnderTest> real_server(const std::string& kubeconfig);

}  // namespace lips::virtual_cluster
