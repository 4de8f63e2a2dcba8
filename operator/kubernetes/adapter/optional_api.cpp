#include "kubernetes/adapter/optional_api.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace lips::kubernetes {

// Several projects share a group: that of Argo's Workflows is that of Argo CD too.
bool has_resource(const std::string& version, const std::string& resource) {
  const auto json = nlohmann::json::parse(version, nullptr, false);
  if (!json.is_object() || !json.contains("resources") || !json["resources"].is_array()) return false;
  return std::any_of(json["resources"].begin(), json["resources"].end(), [&](const nlohmann::json& each) {
    return each.is_object() && each.contains("name") && each["name"] == resource;
  });
}

void OptionalApi::review(ApiClient& client, TimePoint now) {
  if (state_ == State::present || !due_.due(now)) return;
  ApiRequest request;
  request.path = path_;
  client.start(std::move(request), [this, now](const Answer& answer) {
    if (answer)
      state_ = resource_.empty() || has_resource(*answer, resource_) ? State::present : State::absent;
    else if (answer.error().code == ErrorCode::not_found)
      state_ = State::absent;
    if (answer || answer.error().code != ErrorCode::invalid_input)
      refused_.reset();
    else
      refused_ = Lack{"API " + path_, answer.error().message, refused_ ? refused_->since : now};
    wake_();
  });
}

bool OptionalApi::may_be_there(Duration patience, TimePoint now) const {
  if (state_ != State::unknown) return state_ == State::present;
  return !refused_ || now - refused_->since < patience;
}

}  // namespace lips::kubernetes
