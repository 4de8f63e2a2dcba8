// Address of an API server and credentials for it, from a pod's service account or from a kubeconfig. Sends nothing.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace lips::kubernetes {

// A text given directly, or a file that may change while the program runs.
struct TextSource {
  std::string text, file;
  bool given() const { return !text.empty() || !file.empty(); }
};

struct Connection {
  std::string server;           // https://host:port, without a slash at the end
  TextSource authority;         // PEM; not given: the system's authorities
  TextSource token;             // bearer token
  TextSource certificate, key;  // PEM; of the client
  std::string name_space;  // where the program runs, or the kubeconfig's context points; "default" when neither says
  bool compresses_lists = false;  // as gzip, by a server that may be far away; one that is near is quicker without
};

inline constexpr const char* service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";

// Reads KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT of the environment. `not_found` outside of a cluster.
Result<Connection> connection_in_cluster(const std::string& folder = service_account_folder);
// The named context, or the current one. Refuses credentials that need another program, and connections that would not
// verify the server.
Result<Connection> connection_from_kubeconfig(const std::string& file, const std::string& context = "");

Result<std::string> decode_base64(const std::string& text);

struct Credentials {
  std::string authority, token, certificate, key;
};

// Reads files anew when they were read more than `keep` ago: tokens and certificates rotate.
class CredentialReader {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  explicit CredentialReader(Connection connection, std::chrono::seconds keep = std::chrono::seconds(60));
  // Valid until the next call. If a file cannot be read, its last content stays in use, if there is any.
  Result<const Credentials*> read(SteadyTime now);
  // Call when the server refused them: the next read() reads the files again.
  void forget() { fresh_ = false; }

 private:
  Connection connection_;
  std::chrono::seconds keep_;
  Credentials current_;
  SteadyTime read_at_;
  bool fresh_ = false, any_ = false;
};

}  // namespace lips::kubernetes
