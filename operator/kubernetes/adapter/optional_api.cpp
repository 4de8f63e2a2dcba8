#include "kubernetes/adapter/optional_api.h"

#include <utility>

namespace lips::kubernetes {

void OptionalApi::review(ApiClient& client, TimePoint now) {
  if (state_ == State::present || !due_.due(now)) return;
  ApiRequest request;
  request.path = path_;
  client.start(std::move(request), [this](const Answer& answer) {
    if (answer)
      state_ = State::present;
    else if (answer.error().code == ErrorCode::not_found)
      state_ = State::absent;
    wake_();
  });
}

}  // namespace lips::kubernetes
