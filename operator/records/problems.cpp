#include "records/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lips {

namespace {
constexpr std::size_t most_messages = 20;
}

void Problems::add(const std::string& path, const std::string& found, const std::string& allowed) {
  if (++count_ <= most_messages)
    messages_.push_back(fmt::format("{}: {}: found {}; allowed: {}", file_, path, found, allowed));
}

tl::unexpected<Error> Problems::error() const {
  std::string text = fmt::format("{}", fmt::join(messages_, "\n"));
  if (count_ > messages_.size()) text += fmt::format("\n{}: and {} more", file_, count_ - messages_.size());
  return fail(ErrorCode::invalid_input, text);
}

}  // namespace lips
