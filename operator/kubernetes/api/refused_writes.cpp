#include "kubernetes/api/refused_writes.h"

#include "kubernetes/api/codec.h"

namespace lips::kubernetes {
namespace {

constexpr std::chrono::minutes log_again_after{10};

bool is_write(Verb verb) {
  return verb == Verb::create || verb == Verb::update || verb == Verb::patch || verb == Verb::remove;
}

// 404 means that the object is gone, unless it is about the whole resource. A namespace that ends takes nothing new.
bool is_refusal(int code, std::string_view message) {
  if (code == 403 && message.find("because it is being terminated") != std::string_view::npos) return false;
  if (code == 0) return true;  // by the client itself
  if (code == 404) return message.find("could not find the requested resource") != std::string_view::npos;
  return !is_about_another_object(code, message) && code >= 400 && code < 500 && code != 409 && code != 410 &&
         code != 408 && code != 429;
}

}  // namespace

void RefusedWrites::count(const RequestObserver::Refusal& refusal, Clock::time_point now) {
  if (!is_write(refusal.verb) || !is_refusal(refusal.http_code, refusal.message)) return;
  const std::string resource = resource_of_path(refusal.path);
  count_(verb_name(refusal.verb), resource, refusal.http_code);
  Kind& kind = kinds_[{refusal.verb, resource, refusal.http_code}];
  ++kind.since;
  if (kind.logged != Clock::time_point{} && now - kind.logged < log_again_after) return;
  kind.logged = now;
  const std::uint64_t count = std::exchange(kind.since, 0);
  const char* const what = refusal.http_code == 0 ? "writes to an object are stopped: it is written again and again"
                                                  : "the API server refuses a write";
  log_.warning(what, {{"verb", verb_name(refusal.verb)},
                      {"resource", resource},
                      {"code", refusal.http_code},
                      {"path", refusal.path},
                      {"why", refusal.message},
                      {"times", count}});
}

}  // namespace lips::kubernetes
