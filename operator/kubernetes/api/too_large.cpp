#include "kubernetes/api/too_large.h"

namespace lips::kubernetes {

bool says_too_large(int http_code, std::string_view body) {
  if (http_code == 413) return true;
  return http_code >= 400 && body.find("request is too large") != std::string_view::npos;
}

bool is_too_large(const Error& error) { return error.message.find(too_large_words) != std::string::npos; }

}  // namespace lips::kubernetes
