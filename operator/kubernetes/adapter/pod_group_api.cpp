#include "kubernetes/adapter/pod_group_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "kubernetes/adapter/optional_api.h"

namespace lips::kubernetes {
namespace {

constexpr std::string_view group_name = "scheduling.k8s.io";
constexpr const char* group_path = "/apis/scheduling.k8s.io";
// PodGroupDecoder reads these, the most mature first: Kubernetes 1.37 serves the first two, 1.36 the last.
constexpr std::array<std::string_view, 3> readable{"v1beta1", "v1alpha3", "v1alpha2"};

std::size_t rank(const std::string& version) {
  return static_cast<std::size_t>(std::find(readable.begin(), readable.end(), version) - readable.begin());
}

std::string path_of(const std::string& version) { return fmt::format("{}/{}", group_path, version); }

// The versions of a group, as its discovery document names them: those that we read first.
std::vector<std::string> versions_of(const std::string& group) {
  std::vector<std::string> versions;
  const auto json = nlohmann::json::parse(group, nullptr, false);
  if (!json.is_object() || !json.contains("versions") || !json["versions"].is_array()) return versions;
  for (const nlohmann::json& each : json["versions"])
    if (each.is_object() && each.contains("version") && each["version"].is_string())
      versions.push_back(each["version"].get<std::string>());
  std::stable_sort(versions.begin(), versions.end(),
                   [](const std::string& left, const std::string& right) { return rank(left) < rank(right); });
  return versions;
}

}  // namespace

void PodGroupApi::needed(TimePoint now) {
  if (!std::exchange(needed_, true)) review(now);
}

void PodGroupApi::review(TimePoint now) {
  if (!needed_ || asking_) return;
  if (!version_.empty() && !around_.book.refuses(path_of(version_) + "/podgroups")) return;
  if (!due_.due(now)) return;
  asking_ = true;
  ApiRequest request;
  request.path = group_path;
  around_.client.start(std::move(request), [this, now](const Answer& answer) { take_group(answer, {now}); });
}

void PodGroupApi::take_group(const Answer& answer, Asking asking) {
  if (answer) {
    asking.versions = versions_of(*answer);
    return ask_next(std::move(asking));
  }
  asking_ = false;
  if (answer.error().code == ErrorCode::not_found) missing("the API server has none", asking.began);
  if (answer.error().code == ErrorCode::invalid_input) missing(answer.error().message, asking.began);
}

void PodGroupApi::ask_next(Asking asking) {
  if (asking.next < asking.versions.size()) {
    ApiRequest request;
    request.path = path_of(asking.versions[asking.next]);
    around_.client.start(std::move(request),
                         [this, asking = std::move(asking)](const Answer& answer) { take_version(answer, asking); });
    return;
  }
  asking_ = false;
  if (asking.unreadable.empty()) return missing("the API server has none", asking.began);
  missing(fmt::format("the API server has them as {}/{}, and this release reads {}", group_name,
                      fmt::join(asking.unreadable, " and "), fmt::join(readable, ", ")),
          asking.began);
}

void PodGroupApi::take_version(const Answer& answer, Asking asking) {
  if (!answer && answer.error().code != ErrorCode::not_found) {
    asking_ = false;  // another round follows
    return;
  }
  std::string& version = asking.versions[asking.next++];
  if (answer && has_resource(*answer, "podgroups")) {
    if (rank(version) < readable.size()) return found(version);
    asking.unreadable.push_back(std::move(version));
  }
  ask_next(std::move(asking));
}

void PodGroupApi::found(const std::string& version) {
  asking_ = false;
  if (version == version_) return;
  lack_.reset();
  version_ = version;
  around_.log.info("reading PodGroups", {{"version", version}});
  around_.groups.set_trouble("");
  around_.informers.watch(WatchedKind::pod_groups, path_of(version));
}

void PodGroupApi::missing(const std::string& why, TimePoint since) {
  if (!lack_ || lack_->why != why) around_.log.warning("PodGroups cannot be read", {{"why", why}});
  lack_ = Lack{fmt::format("podgroups.{}", group_name), why, lack_ ? lack_->since : since};
  version_.clear();
  around_.informers.stop(WatchedKind::pod_groups);
  around_.groups.set_trouble(why);
}

}  // namespace lips::kubernetes
