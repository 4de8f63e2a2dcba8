#include "cmd/cli/today.h"

#include <array>
#include <ctime>

namespace lips::cmd {

namespace {
constexpr std::int64_t seconds_a_day = 86'400;
}

std::string today() { return utc_date(std::time(nullptr) / seconds_a_day); }

std::string utc_date(std::int64_t day) {
  const std::time_t midnight = day * seconds_a_day;
  std::tm utc{};
  gmtime_r(&midnight, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

}  // namespace lips::cmd
