// Says whether the API server serves custom resources that a cluster may lack, and get later.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "controller/operator_state.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

// Says whether that kind is in a version of a group, by the discovery document of the version.
bool has_resource(const std::string& version, const std::string& resource);

class OptionalApi {
 public:
  enum class State : std::uint8_t { unknown, absent, present };
  // `path`: of the group and version. `resource`: that it has to have; empty: any. `wake` is called when an answer has
  // come. The client is gone before this.
  OptionalApi(std::string path, Duration ask_every, std::function<void()> wake, std::string resource = {})
      : path_(std::move(path)), resource_(std::move(resource)), due_(ask_every), wake_(std::move(wake)) {}

  State state() const { return state_; }
  // The server has refused to say, since then; none: it has not, or says it now.
  const std::optional<Lack>& refused() const { return refused_; }
  // It is there, or it is not known whether, which no refusal explains that has lasted.
  bool may_be_there(Duration patience, TimePoint now) const;
  // Asks until it is there, now and then.
  void review(ApiClient& client, TimePoint now);

 private:
  const std::string path_, resource_;
  Every due_;
  const std::function<void()> wake_;
  State state_ = State::unknown;
  std::optional<Lack> refused_;
};

}  // namespace lips::kubernetes
