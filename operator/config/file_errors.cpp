#include "config/file_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace lips {

namespace {

constexpr std::size_t most_messages = 50;

}  // namespace

void FileErrors::add(std::string message) {
  if (messages.size() < most_messages)
    messages.push_back(std::move(message));
  else
    ++more;
}

tl::unexpected<Error> FileErrors::as_error() const {
  return fail(ErrorCode::invalid_input, fmt::format("{}{}", fmt::join(messages, "\n"),
                                                    more > 0 ? fmt::format("\n{}: and {} more", file, more) : ""));
}

}  // namespace lips
