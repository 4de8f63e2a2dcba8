// A real etcd and kube-apiserver for the tests of this program, where the programs are installed (e2e/build-tools).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubernetes/api/http_client.h"

namespace lips::kubernetes {

class ControlPlane {
 public:
  // Started by the first call, stopped at the program's end. Null: cannot be had, and why() says why.
  static ControlPlane* get();
  static const std::string& why();

  explicit ControlPlane(std::string folder);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  Connection connection(const std::string& context = "token") const;
  bool kill_api_server() const;
  bool start_api_server() const;
  // Forgets all versions before the newest.
  bool compact(ApiClient& client) const;

 private:
  friend struct ControlPlaneStart;
  bool script(const std::string& arguments) const;
  std::string folder_;
  bool up_ = false;
};

// ---- objects ----

std::string node_json(const std::string& name);
std::string pod_json(const std::string& name, const std::string& more_spec = "");

// Makes a namespace in which pods can be made.
void make_name_space(ApiClient& client, const std::string& name);
ApiRequest creation(const std::string& path, std::string body);
// Sends all at once; how many were answered with success.
std::size_t send_all(ApiClient& client, const std::vector<ApiRequest>& requests);
// Makes pods named prefix0, prefix1, ... and returns their uids.
std::vector<std::string> make_pods(ApiClient& client, const std::string& name_space, const std::string& prefix,
                                   std::size_t count);
std::string pods_path(const std::string& name_space);
// From charts/lips/crds; returns when the server serves them. Only the first call does anything.
void install_custom_resources(ApiClient& client);

}  // namespace lips::kubernetes

#define LIPS_NEEDS_CONTROL_PLANE() \
  if (!::lips::kubernetes::ControlPlane::get()) GTEST_SKIP() << ::lips::kubernetes::ControlPlane::why()
