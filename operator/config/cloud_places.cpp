#include "config/cloud_places.h"

#include <algorithm>

namespace lips {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// A region of Azure has no hyphen, and a point of the compass or a government in it, as in westus2 and usgovvirginia.
bool is_region_of_azure(std::string_view name) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); })) return false;
  constexpr std::string_view marks[] = {"east", "west", "north", "south", "central", "usgov"};
  return std::any_of(std::begin(marks), std::end(marks),
                     [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

}  // namespace

std::string region_of_zone(std::string_view zone) {
  const std::size_t hyphen = zone.find('-');
  if (hyphen == std::string_view::npos) return "";
  if (all_digits(zone.substr(hyphen + 1)))
    return is_region_of_azure(zone.substr(0, hyphen)) ? std::string(zone.substr(0, hyphen)) : "";
  const auto first = static_cast<std::size_t>(std::find_if(zone.begin(), zone.end(), is_digit) - zone.begin());
  if (first == zone.size() || first <= hyphen + 1) return "";
  const std::size_t end = std::min(zone.find_first_not_of("0123456789", first), zone.size());
  const std::string_view region = zone.substr(0, end), rest = zone.substr(end);
  const bool of_aws = region[first - 1] == '-' && (rest.empty() || rest[0] == '-' || is_letter(rest[0]));
  const bool of_google = is_letter(region[first - 1]) && rest.size() > 1 && rest[0] == '-' && is_letter(rest[1]);
  return of_aws || of_google ? std::string(region) : "";
}

std::string zone_of_provider_id(std::string_view id) {
  constexpr std::string_view aws = "aws:///", google = "gce://";
  if (id.starts_with(google)) {
    id.remove_prefix(std::min(id.find('/', google.size()), id.size()));  // the project
    id.remove_prefix(std::min<std::size_t>(1, id.size()));
  } else if (id.starts_with(aws)) {
    id.remove_prefix(aws.size());
  } else {
    return "";
  }
  const std::size_t end = id.find('/');
  return end == std::string_view::npos ? "" : std::string(id.substr(0, end));
}

bool is_fault_domain(std::string_view zone) { return all_digits(zone); }

std::string_view currency_of_region(std::string_view region) {
  return region.starts_with("cn-") || region.starts_with("china") ? "CNY" : "USD";
}

}  // namespace lips
