#include "virtual/api_response.h"

#include <fmt/format.h>

namespace lips::virtual_cluster {

std::string body_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

ApiResponse refusal(int code, const std::string& reason, const std::string& message) {
  return {code, body_of({{"kind", "Status"},
                         {"apiVersion", "v1"},
                         {"metadata", Json::object()},
                         {"status", "Failure"},
                         {"reason", reason},
                         {"message", message},
                         {"code", code}})};
}

ApiResponse forbidden(const ApiKind& kind, const std::string& verb) {
  return refusal(403, "Forbidden",
                 fmt::format("{} is forbidden: User \"system:serviceaccount:lips:lips\" cannot {} resource \"{}\"",
                             kind.in_words(), verb, kind.plural));
}

ApiResponse no_such_path() { return refusal(404, "NotFound", "the server could not find the requested resource"); }

ApiResponse no_such_verb() {
  return refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

ApiResponse bad_request(const std::string& why) { return refusal(400, "BadRequest", why); }

ApiResponse not_found(const ApiKind& kind, const std::string& name) {
  return refusal(404, "NotFound", fmt::format("{} \"{}\" not found", kind.in_words(), name));
}

ApiResponse conflict(const ApiKind& kind, const std::string& name, const std::string& why) {
  return refusal(409, "Conflict",
                 fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", kind.in_words(), name, why));
}

ApiResponse invalid(const ApiKind& kind, const std::string& name, const std::string& why) {
  return refusal(422, "Invalid", fmt::format("{} \"{}\" is invalid: {}", kind.name, name, why));
}

ApiResponse success(int code) {
  return {code, body_of({{"kind", "Status"},
                         {"apiVersion", "v1"},
                         {"metadata", Json::object()},
                         {"status", "Success"},
                         {"code", code}})};
}

ApiResponse deleted(const ApiKind& kind, const Json& metadata) {
  const std::size_t slash = kind.version.find('/');
  Json details{{"name", text_in(metadata, "name")}, {"kind", kind.plural}, {"uid", text_in(metadata, "uid")}};
  if (slash != std::string::npos) details["group"] = kind.version.substr(0, slash);
  return {200, body_of({{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"metadata", Json::object()},
                        {"status", "Success"},
                        {"details", std::move(details)}})};
}

}  // namespace lips::virtual_cluster
