// Says which requests may be sent again when nobody knows if the server has done them.
#pragma once

#include "kubernetes/api/api_request.h"

namespace lips::kubernetes {

inline bool is_repeatable(const ApiRequest& request) {
  return request.repeatable.value_or(request.verb != Verb::create && request.verb != Verb::patch);
}

}  // namespace lips::kubernetes
