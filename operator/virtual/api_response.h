// Answers of the API server: an object, or a Status that says why there is none. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "virtual/api_json.h"
#include "virtual/api_kind.h"

namespace lips::virtual_cluster {

struct ApiResponse {
  int code = 200;
  std::string body;
  std::optional<TimePoint> date = std::nullopt;  // when it was made, cut to a second
};

std::string body_of(const Json& json);
ApiResponse refusal(int code, const std::string& reason, const std::string& message);
ApiResponse forbidden(const ApiKind& kind, const std::string& verb);
ApiResponse no_such_path();
ApiResponse no_such_verb();
ApiResponse bad_request(const std::string& why);
ApiResponse not_found(const ApiKind& kind, const std::string& name);
ApiResponse conflict(const ApiKind& kind, const std::string& name, const std::string& why);
ApiResponse invalid(const ApiKind& kind, const std::string& name, const std::string& why);
ApiResponse success(int code);
ApiResponse deleted(const ApiKind& kind, const Json& metadata);

}  // namespace lips::virtual_cluster
