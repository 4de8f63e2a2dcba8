// A client whose answers come on the thread of an event loop, and so does what its observer is told. Beside the loop it
// adds nothing to the client within.
#pragma once

#include <functional>
#include <memory>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/client_options.h"
#include "kubernetes/api/event_loop.h"

namespace lips::kubernetes {

class LoopClient final : public ApiClient {
 public:
  // The loop outlives it. `connect` makes the client within, by those options.
  LoopClient(EventLoop& loop, ClientOptions options,
             const std::function<std::unique_ptr<ApiClient>(ClientOptions)>& connect);
  // Answers that have been posted already do nothing afterwards.
  ~LoopClient() override = default;
  LoopClient(const LoopClient&) = delete;
  LoopClient& operator=(const LoopClient&) = delete;

  RequestId start(ApiRequest request, std::function<void(Answer)> done) override;
  void cancel(RequestId id) override { client_->cancel(id); }
  std::unique_ptr<ByteStream> watch(ApiRequest request) override;

 private:
  // Who runs the loop must not wait for it.
  bool on_own_thread() const override { return true; }

  EventLoop& loop_;
  std::shared_ptr<int> alive_;
  std::unique_ptr<RequestObserver> observer_;  // passes everything on; none: nobody is told
  std::unique_ptr<ApiClient> client_;          // last: it ends first, and with it the answers
};

}  // namespace lips::kubernetes
