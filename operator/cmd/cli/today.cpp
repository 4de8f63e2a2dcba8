#include "cmd/cli/today.h"

#include <array>
#include <ctime>

namespace lips::cmd {

namespace {

constexpr std::int64_t seconds_a_day = 86'400;
constexpr std::int64_t first_date = 3652;  // 1980-01-01: no trace of a cluster is older

std::string utc_date(std::int64_t day) {
  const std::time_t midnight = day * seconds_a_day;
  std::tm utc{};
  gmtime_r(&midnight, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

}  // namespace

std::string today() { return utc_date(std::time(nullptr) / seconds_a_day); }

std::string name_of_day(std::int64_t day) {
  return day < first_date ? "day " + std::to_string(day + 1) : utc_date(day);
}

}  // namespace lips::cmd
