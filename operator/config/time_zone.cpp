#include "config/time_zone.h"

#include <cctz/time_zone.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace lips {

namespace {

constexpr std::size_t longest_name = 100;

// A name of the database and nothing else: the library also takes paths of files and the zone of this machine.
bool is_name(const std::string& name) {
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/_+-").find(c) != std::string_view::npos;
  });
  return letters && name.size() <= longest_name && name.front() != '/' && name != "localtime";
}

}  // namespace

Result<TimeZone> TimeZone::named(const std::string& name) {
  TimeZone result;
  if (name.empty() || name == "UTC") return result;
  cctz::time_zone zone;
  if (!is_name(name) || !cctz::load_time_zone(name, &zone))
    return fail(ErrorCode::not_found, fmt::format("found '{}'; allowed: a name of the time zone database, such as "
                                                  "Europe/Paris",
                                                  name.substr(0, longest_name)));
  result.offset_ = [zone](TimePoint time) {
    const auto second = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
    return Duration(std::chrono::seconds(zone.lookup(cctz::time_point<cctz::seconds>(second)).offset));
  };
  return result;
}

}  // namespace lips
