// A value, or the reason why there is none. Outcomes that a caller plans for (deferred, conflict) are data, not errors.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace lips {

enum class ErrorCode : std::uint8_t {
  invalid_input,  // configuration or input; the message names file, line, field, what was found and what is allowed
  not_found,
  conflict,
  gone,         // a watch or list has to start again
  unavailable,  // the outside world failed; try again with back-off
  cancelled,
  internal,
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace lips
