#include "kubernetes/api/access_review.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kept_for{10};
constexpr std::chrono::milliseconds patience{5'000};
constexpr std::size_t most_kept = 1000, longest_token = 16'384;

// The status in the answer to the review; none: the server gave no valid answer.
std::optional<Json> reviewed(ApiClient& client, const char* path, const Json& review) {
  ApiRequest request;
  request.verb = Verb::create;
  request.path = path;
  request.body = review.dump();
  request.timeout = patience;
  request.repeatable = true;  // the server does not store reviews
  const Answer answer = client.call(std::move(request));
  if (!answer) return std::nullopt;
  const Json json = Json::parse(*answer, nullptr, false);
  if (!json.is_object() || !json.contains("status") || !json["status"].is_object()) return std::nullopt;
  return json["status"];
}

bool is_true(const Json& json, const char* key) { return json.contains(key) && json[key] == true; }

bool is_token(const std::string& text) {
  return !text.empty() && text.size() <= longest_token &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=") ==
             std::string::npos;
}

}  // namespace

AccessVerdict AccessReview::may_get(const std::string& token, const std::string& path) {
  if (!is_token(token)) return AccessVerdict::unknown;
  const auto now = clock_();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(kept_, [now](const auto& entry) { return now >= entry.second.until; });
    if (const auto known = kept_.find({token, path}); known != kept_.end()) return known->second.verdict;
  }
  const AccessVerdict verdict = ask(token, path);
  if (verdict == AccessVerdict::unavailable) return verdict;
  const std::lock_guard lock(mutex_);
  if (kept_.size() < most_kept) kept_[{token, path}] = {verdict, now + kept_for};
  return verdict;
}

AccessVerdict AccessReview::ask(const std::string& token, const std::string& path) {
  const auto who =
      reviewed(client_, "/apis/authentication.k8s.io/v1/tokenreviews",
               {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenReview"}, {"spec", {{"token", token}}}});
  if (!who) return AccessVerdict::unavailable;
  if (!is_true(*who, "authenticated") || !who->contains("user")) return AccessVerdict::unknown;
  const Json& user = (*who)["user"];
  Json spec = {{"nonResourceAttributes", {{"path", path}, {"verb", "get"}}}};
  for (const auto& [from, to] : {std::pair("username", "user"), std::pair("uid", "uid"), std::pair("groups", "groups"),
                                 std::pair("extra", "extra")})
    if (user.contains(from)) spec[to] = user[from];
  const auto may =
      reviewed(client_, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
               {{"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", std::move(spec)}});
  if (!may) return AccessVerdict::unavailable;
  return is_true(*may, "allowed") && !is_true(*may, "denied") ? AccessVerdict::allowed : AccessVerdict::forbidden;
}

std::size_t AccessReview::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace lips::kubernetes
