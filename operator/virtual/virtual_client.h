// A client of the virtual API server: every request and every event of a watch takes a little of the loop's time. It
// keeps those habits of RequestEngine that the adapter can notice: still_wanted, retries, rights that are missing,
// objects that are written too often, the observer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/client_options.h"
#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/missing_rights.h"
#include "kubernetes/api/write_governor.h"
#include "virtual/api_server.h"
#include "virtual/storm.h"

namespace lips::virtual_cluster {

// The time from a client to the server, and back; and that of an event until the watch has it.
struct Latencies {
  Duration request{2'000}, answer{2'000}, event{5'000};
};

// The server that a client asks: what it answers once a request has arrived, or none if the connection breaks instead;
// and a watch. `seed`: of what the watch draws.
struct ServerOfClient {
  std::function<std::optional<ApiResponse>(const kubernetes::ApiRequest&)> handle;
  std::function<std::unique_ptr<kubernetes::ByteStream>(const kubernetes::ApiRequest&, std::uint64_t seed)> watch;
};

class VirtualClient final : public kubernetes::ApiClient {
 public:
  VirtualClient(ServerOfClient server, kubernetes::EventLoop& loop, kubernetes::ClientOptions options,
                const Storm& storm = {});
  // Both outlive it.
  VirtualClient(ApiServer& server, kubernetes::EventLoop& loop, kubernetes::ClientOptions options,
                const Storm& storm = {});
  ~VirtualClient() override = default;
  VirtualClient(const VirtualClient&) = delete;
  VirtualClient& operator=(const VirtualClient&) = delete;

  RequestId start(kubernetes::ApiRequest request, std::function<void(kubernetes::Answer)> done) override;
  void cancel(RequestId id) override;
  std::unique_ptr<kubernetes::ByteStream> watch(kubernetes::ApiRequest request) override;

 private:
  struct Request {
    kubernetes::ApiRequest what;
    std::function<void(kubernetes::Answer)> done;
    TimePoint sent{};
    int tries = 0;
  };
  void later(Duration pause, RequestId id, void (VirtualClient::*step)(RequestId));
  void send(RequestId id);
  void fail_to_reach(RequestId id);
  void answer(RequestId id, const ApiResponse& response);
  Duration way(Duration usual);
  void refuse(RequestId id);
  void finish(RequestId id, kubernetes::Answer answer);
  bool on_own_thread() const override { return true; }

  const ServerOfClient server_;
  kubernetes::EventLoop& loop_;
  const kubernetes::ClientOptions options_;
  const Latencies latencies_;
  const Storm storm_;
  Random random_, weather_;
  kubernetes::MissingRights rights_;
  kubernetes::WriteGovernor governor_;
  std::map<RequestId, Request> requests_;
  RequestId last_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace lips::virtual_cluster
