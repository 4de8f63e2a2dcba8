#include "kubernetes/data/store_key_secret.h"

#include <nlohmann/json.hpp>

#include "kubernetes/api/connection.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr std::size_t shortest_key = 32;

}  // namespace

void StoreKeySecret::tick(TimePoint now) {
  now_ = now;
  if (key_.known() || name_.empty()) return;
  const std::string object = "Secret/" + name_;
  if (!writes_.free(object, now)) return;
  const std::string path = "/api/v1/namespaces/" + percent_encoded(name_space_) + "/secrets/" + percent_encoded(name_);
  ApiRequest request = std::exchange(next_, {});
  if (request.path.empty()) request.path = path;
  const bool writes = request.verb != Verb::get;
  writes_.send(object, std::move(request), [this, writes](const Answer& answer) {
    take(answer, writes);
    writes_.end_hold("Secret/" + name_);
  });
}

// Fills a Secret without the key and creates a missing one. The server refuses both when another replica was faster;
// then reads it again.
void StoreKeySecret::take(const Answer& answer, bool wrote) {
  if (!drawn_) drawn_ = StoreKey::random();
  if (answer)
    refused_since_.reset();
  else if (!refused_since_)
    refused_since_ = now_;
  const Json body = {{"stringData", {{"key", drawn_->text()}}}};
  if (!answer) {
    problem_ = "the key of served stores, Secret " + name_ + ": " + answer.error().message;
    if (answer.error().code != ErrorCode::not_found) return;
    Json made = body;
    made["apiVersion"] = "v1";
    made["kind"] = "Secret";
    made["metadata"] = {{"name", name_}, {"labels", {{"app.kubernetes.io/managed-by", "lips"}}}};
    next_ = creation_of("/api/v1/namespaces/" + percent_encoded(name_space_) + "/secrets", made.dump());
    return;
  }
  const Json secret = Json::parse(*answer, nullptr, false);
  const Json data = secret.is_object() ? secret.value("data", Json::object()) : Json();
  const auto text =
      decode_base64(data.is_object() && data.contains("key") && data["key"].is_string() ? data["key"].get<std::string>()
                                                                                        : std::string());
  if (text && text->size() >= shortest_key) {
    key_ = StoreKey(*text);
    problem_.clear();
    return;
  }
  if (wrote) problem_ = "the key of served stores, Secret " + name_ + ": it has no key after one was written";
  Json filled = body;
  if (secret.is_object() && secret.contains("metadata"))
    filled["metadata"] = {{"resourceVersion", secret["metadata"].value("resourceVersion", "")}};
  next_ = patch_of("/api/v1/namespaces/" + percent_encoded(name_space_) + "/secrets/" + percent_encoded(name_),
                   filled.dump());
}

}  // namespace lips::kubernetes
