// The client of a real API server: many requests in flight on one thread of its own (RequestEngine).
#pragma once

#include <memory>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/client_options.h"
#include "kubernetes/api/connection.h"

namespace lips::kubernetes {

class RequestEngine;

class HttpClient final : public ApiClient {
 public:
  HttpClient(Connection connection, ClientOptions options);
  // Waits for the thread.
  ~HttpClient() override;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  RequestId start(ApiRequest request, std::function<void(Answer)> done) override;
  void cancel(RequestId id) override;
  // At most a few MiB of a watch wait in memory; after that the server has to wait.
  std::unique_ptr<ByteStream> watch(ApiRequest request) override;

 private:
  bool on_own_thread() const override;

  std::shared_ptr<RequestEngine> engine_;
};

}  // namespace lips::kubernetes
