#include "kubernetes/api/requests.h"

#include <utility>

namespace lips::kubernetes {

ApiRequest creation_of(std::string path, std::string body) {
  ApiRequest request;
  request.verb = Verb::create;
  request.path = std::move(path);
  request.body = std::move(body);
  request.repeatable = true;  // we choose names, so the server refuses a second one
  return request;
}

ApiRequest deletion_of(std::string path) {
  ApiRequest request;
  request.verb = Verb::remove;
  request.path = std::move(path);
  request.body = R"({"propagationPolicy":"Background"})";
  return request;
}

ApiRequest patch_of(std::string path, std::string body, const char* kind) {
  ApiRequest request;
  request.verb = Verb::patch;
  request.path = std::move(path);
  request.body = std::move(body);
  request.content_type = kind;
  request.repeatable = true;  // tied to a version, or repeating it changes nothing
  return request;
}

}  // namespace lips::kubernetes
