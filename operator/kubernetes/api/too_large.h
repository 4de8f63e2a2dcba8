// Refusals of an object because of its size: etcd takes 1.5 MiB in one request, and the API server passes its words on
// as an error of its own (500), which would be tried again for ever. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lips::kubernetes {

inline constexpr std::size_t largest_object = 1'500'000;  // bytes as JSON; etcd's default less what it adds

// Says whether this answer refuses the size of what was written.
bool says_too_large(int http_code, std::string_view body);
// Says whether a write failed by that.
bool is_too_large(const Error& error);
inline constexpr std::string_view too_large_words = "the object would be larger than the API server takes";

}  // namespace lips::kubernetes
