#include "kubernetes/api/api_client.h"

#include <future>
#include <utility>

#include "base/check.h"

namespace lips::kubernetes {

Answer ApiClient::call(ApiRequest request, std::stop_token stop) {
  LIPS_CHECK(!on_own_thread(), "a callback of the client must not wait for the client");
  const auto promise =
      std::make_shared<std::promise<Answer>>();  // shared, because the other thread may still use it when we wake
  std::future<Answer> future = promise->get_future();
  const RequestId id = start(std::move(request), [promise](Answer answer) { promise->set_value(std::move(answer)); });
  const std::stop_callback when_stopped(std::move(stop), [&] { cancel(id); });
  return future.get();
}

}  // namespace lips::kubernetes
