#include "kubernetes/data/bucket_place.h"

#include <algorithm>
#include <cctype>

namespace lips::kubernetes {
namespace {

bool within(const std::string& host, const std::string& domain) {
  return host == domain || host.ends_with('.' + domain);
}

}  // namespace

std::string bucket_place(const DataStoreSpec& store) {
  std::string place = store.bucket_endpoint;
  std::transform(place.begin(), place.end(), place.begin(), [](unsigned char each) { return std::tolower(each); });
  std::string scheme = "https";  // that of an endpoint without one
  if (const std::size_t end = place.find("://"); end != std::string::npos) {
    scheme = place.substr(0, end);
    place.erase(0, end + 3);
  }
  while (place.ends_with('/')) place.pop_back();
  const std::string usual_port = scheme == "http" ? ":80" : ":443";
  if (place.ends_with(usual_port)) place.resize(place.size() - usual_port.size());
  std::string host = place.substr(0, place.find_first_of(":/"));
  const std::string rest = place.substr(host.size());
  while (host.ends_with('.')) host.pop_back();
  if (within(host, "amazonaws.com.cn")) return "AWS in China";
  if (within(host, "amazonaws.com") || (host.empty() && store.provider != "GCS")) return "AWS";
  if (within(host, "googleapis.com") || host.empty()) return "GCS";
  return host + rest;
}

}  // namespace lips::kubernetes
