#include "kubernetes/adapter/kept_shares.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace lips::kubernetes {
namespace {

constexpr const char* shares_key = "shares";
constexpr Duration write_every{5'000'000};

std::string text_in(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("data") || !json["data"].is_object()) return "";
  const auto text = json["data"].find(shares_key);
  return text != json["data"].end() && text->is_string() ? text->get<std::string>() : "";
}

}  // namespace

KeptShares::KeptShares(Surroundings surroundings, Place place)
    : around_(std::move(surroundings)), place_(std::move(place)), known_(place_.name.empty()) {}

std::string KeptShares::path() const {
  return fmt::format("/api/v1/namespaces/{}/configmaps", percent_encoded(place_.name_space));
}

void KeptShares::read() {
  if (place_.name.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    known_ = false;
  }
  ask();
}

void KeptShares::ask() {
  ApiRequest request;
  request.path = path() + '/' + percent_encoded(place_.name);
  around_.client.start(std::move(request), [this](const Answer& answer) { answered(answer); });
}

void KeptShares::answered(const Answer& answer) {
  {
    const std::lock_guard lock(mutex_);
    // Without an answer the outcome is unknown; every other refusal is final.
    ask_again_ = !answer && answer.error().code == ErrorCode::unavailable;
    known_ = !ask_again_;
    kept_ = answer ? text_in(*answer) : "";
    if (!answer && answer.error().code != ErrorCode::not_found) kept_ = text_;
    if (const std::optional<StoredShares> found = read_shares(kept_); found && answer) shares_ = found, text_ = kept_;
  }
  if (!answer && answer.error().code != ErrorCode::not_found) around_.refused(answer.error());
  around_.wake();
}

bool KeptShares::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

std::optional<StoredShares> KeptShares::of() const {
  const std::lock_guard lock(mutex_);
  return shares_;
}

void KeptShares::remember(StoredShares shares) {
  std::string text = shares_text(shares);
  const std::lock_guard lock(mutex_);
  shares_ = std::move(shares);
  text_ = std::move(text);
}

void KeptShares::flush(TimePoint now) {
  std::string text;
  bool ask_again = false;
  {
    const std::lock_guard lock(mutex_);
    if (place_.name.empty() || under_way_ || now - written_at_ < write_every) return;
    ask_again = std::exchange(ask_again_, false);
    if (!ask_again && (!known_ || text_ == kept_)) return;
    written_at_ = now;
    under_way_ = !ask_again;
    text = text_;
  }
  ask_again ? ask() : write(text, Verb::patch);
}

void KeptShares::write(const std::string& text, Verb verb) {
  nlohmann::json object{{"data", {{shares_key, text}}}};
  ApiRequest request;
  request.verb = verb;
  request.path = path();
  if (verb == Verb::create)
    object["metadata"] = {{"name", place_.name}};
  else
    request.path += '/' + percent_encoded(place_.name);
  if (verb == Verb::patch) request.content_type = merge_patch;
  request.body = object.dump();
  request.repeatable = true;
  request.still_wanted = around_.may_act;
  around_.client.start(std::move(request), [this, text, verb](const Answer& answer) { written(text, verb, answer); });
}

void KeptShares::written(const std::string& text, Verb verb, const Answer& answer) {
  if (!answer && verb == Verb::patch && answer.error().code == ErrorCode::not_found) return write(text, Verb::create);
  const std::lock_guard lock(mutex_);
  under_way_ = false;
  if (answer) kept_ = text;
}

}  // namespace lips::kubernetes
