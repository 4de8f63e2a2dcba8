#include "virtual/virtual_client.h"

#include <fmt/format.h>

#include <utility>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/repeatable.h"
#include "kubernetes/api/retry.h"
#include "kubernetes/api/too_large.h"
#include "virtual/loop_stream.h"

namespace lips::virtual_cluster {
namespace {

using kubernetes::Answer;
using kubernetes::ApiRequest;
using kubernetes::ByteStream;

constexpr Duration bookmarks_every{60'000'000};

class VirtualStream final : public LoopStream {
 public:
  VirtualStream(ApiServer& server, kubernetes::EventLoop& loop, const ApiRequest& request, Latencies latencies,
                const Storm& storm, std::uint64_t seed)
      : LoopStream(loop), server_(server), latency_(latencies.event), storm_(storm), weather_(seed) {
    later(latencies.request, [this, path = request.path] { open(path); });
  }
  ~VirtualStream() override { close(); }
  void close() override {
    if (watch_) server_.stop(*std::exchange(watch_, std::nullopt));
    LoopStream::close();
  }

 private:
  // A connection that hangs stays so: the other end has forgotten it when the outage ends.
  void break_down() {
    if (closed_ || ended_) return;
    if (watch_ && !watch_->refused) server_.stop(*watch_);
    watch_.reset();
    on_the_way_.clear();
    hangs_ = storm_.outage.hangs;
    if (hangs_) return;
    error_ = Error{ErrorCode::unavailable, "the connection was refused"};
    ended_ = true;
    tell();
  }
  void open(const std::string& path) {
    if (closed_) return;
    if (storm_.outage.covers(loop_.now())) return break_down();
    if (loop_.now() < storm_.outage.begin) loop_.at(storm_.outage.begin, alive([this] { break_down(); }));
    watch_ = server_.watch(path, [this](std::string line) { arrive(std::move(line)); });
    for (std::string& line : std::exchange(watch_->lines, {})) arrive(std::move(line));
    if (watch_->code != 200) error_ = kubernetes::error_of_answer(watch_->code, "");
    if (watch_->refused) return end();
    bookmark();
    const auto parsed = parse_api_path(path);
    const std::string seconds = parsed ? parsed->query_value("timeoutSeconds") : "";
    if (!seconds.empty()) later(std::chrono::seconds(std::stoll(seconds)), [this] { end(); });
  }
  void bookmark() {
    later(bookmarks_every, [this] {
      if (ended_ || closed_ || !watch_) return;
      arrive(server_.bookmark(*watch_));
      bookmark();
    });
  }
  // Events that come together are delivered together.
  void arrive(std::string line) {
    on_the_way_ += line;
    if (std::exchange(delivering_, true)) return;
    Duration way = latency_;
    if (weather_.uniform() < storm_.late_event) way += seconds(to_seconds(storm_.slowest) * weather_.uniform());
    later(way, [this] { deliver(); });
  }
  void deliver() {
    delivering_ = false;
    if (ended_) return;
    std::string arrived = std::exchange(on_the_way_, {});
    if (arrived.empty()) return;
    if (weather_.uniform() < storm_.cut_watch) {
      arrived.resize(weather_.below(arrived.size() + 1));
      error_ = Error{ErrorCode::unavailable, "the connection was reset"};
      if (watch_ && !watch_->refused) server_.stop(*watch_);
      watch_.reset();
      ended_ = true;
    }
    bytes_ += arrived;
    tell();
  }
  void end() {
    if (hangs_) return;
    if (watch_ && !watch_->refused) server_.stop(*watch_);
    watch_.reset();
    later(latency_, [this] {
      ended_ = true;
      tell();
    });
  }

  ApiServer& server_;
  const Duration latency_;
  const Storm storm_;
  Random weather_;
  std::optional<ApiServer::Watch> watch_;
  std::string on_the_way_;
  bool delivering_ = false, hangs_ = false;
};

}  // namespace

VirtualClient::VirtualClient(ApiServer& server, kubernetes::EventLoop& loop, kubernetes::ClientOptions options,
                             const Storm& storm)
    : VirtualClient(ServerOfClient{[&server](const ApiRequest& request) { return server.handle(request); },
                                   [&server, &loop, storm](const ApiRequest& request, std::uint64_t seed) {
                                     return std::make_unique<VirtualStream>(server, loop, request, Latencies(), storm,
                                                                            seed);
                                   }},
                    loop, std::move(options), storm) {}

VirtualClient::VirtualClient(ServerOfClient server, kubernetes::EventLoop& loop, kubernetes::ClientOptions options,
                             const Storm& storm)
    : server_(std::move(server)),
      loop_(loop),
      options_(std::move(options)),
      storm_(storm),
      random_(options_.seed),
      weather_(storm.seed) {}

Duration VirtualClient::way(Duration usual) {
  return weather_.uniform() < storm_.slow ? usual + seconds(to_seconds(storm_.slowest) * weather_.uniform()) : usual;
}

void VirtualClient::later(Duration pause, RequestId id, void (VirtualClient::*step)(RequestId)) {
  loop_.at(loop_.now() + pause, [this, alive = std::weak_ptr(alive_), id, step] {
    if (!alive.expired() && requests_.contains(id)) (this->*step)(id);
  });
}

kubernetes::ApiClient::RequestId VirtualClient::start(ApiRequest request, std::function<void(Answer)> done) {
  requests_[++last_] = {std::move(request), std::move(done), loop_.now()};
  later(Duration(0), last_, &VirtualClient::send);
  return last_;
}

void VirtualClient::cancel(RequestId id) {
  loop_.post([this, alive = std::weak_ptr(alive_), id] {
    if (!alive.expired()) finish(id, fail(ErrorCode::cancelled, "the request was cancelled"));
  });
}

void VirtualClient::send(RequestId id) {
  Request& request = requests_.at(id);
  if (request.what.still_wanted && !request.what.still_wanted())
    return finish(id, fail(ErrorCode::cancelled, "the request was cancelled"));
  const kubernetes::WriteGovernor::Clock::time_point now(loop_.now().time_since_epoch());
  if (!governor_.admits(verb_name(request.what.verb), request.what.path, now)) return refuse(id);
  if (std::optional<Error> why = rights_.refused(request.what.verb, request.what.path, loop_.now().time_since_epoch()))
    return finish(id, tl::unexpected(*std::move(why)));
  ++request.tries;
  request.sent = loop_.now();
  const double fate = weather_.uniform();
  const bool lost = fate < storm_.lost_request, unheard = !lost && fate < storm_.lost_request + storm_.lost_answer;
  const bool busy = weather_.uniform() < storm_.busy;
  loop_.at(loop_.now() + way(latencies_.request), [this, alive = std::weak_ptr(alive_), id, lost, unheard, busy] {
    if (alive.expired() || !requests_.contains(id)) return;
    const ApiRequest& what = requests_.at(id).what;
    ApiResponse response{0, ""};
    if (storm_.outage.covers(loop_.now())) {
      const Duration silence = storm_.outage.hangs ? Duration(what.timeout) : latencies_.answer;
      return later(silence, id, &VirtualClient::fail_to_reach);
    }
    if (busy) {
      response = {429, ""};
    } else if (!lost) {
      std::optional<ApiResponse> answered = server_.handle(what);
      if (!answered) return later(latencies_.answer, id, &VirtualClient::fail_to_reach);
      response = *std::move(answered);
    }
    if (unheard) response = {0, ""};
    Duration back = response.code == 0 ? Duration(what.timeout) : way(latencies_.answer);
    if (response.code != 0 && storm_.outage.covers(loop_.now() + back)) response = {0, ""}, back = what.timeout;
    loop_.at(loop_.now() + back, [this, alive, id, response = std::move(response)] {
      if (!alive.expired() && requests_.contains(id)) answer(id, response);
    });
  });
}

void VirtualClient::fail_to_reach(RequestId id) { answer(id, {0, ""}); }

void VirtualClient::answer(RequestId id, const ApiResponse& response) {
  Request& request = requests_.at(id);
  const ApiRequest& what = request.what;
  const Duration took = loop_.now() - request.sent;
  if (options_.observer) options_.observer->tried({what.verb, what.path, response.code, took, took, response.date});
  const bool success = response.code >= 200 && response.code < 300;
  if (success && what.most_bytes > 0 && response.body.size() > what.most_bytes)
    return finish(id, fail(ErrorCode::invalid_input, fmt::format("{} {}: the answer has more than {} bytes",
                                                                 verb_name(what.verb), what.path, what.most_bytes)));
  if (success) {
    rights_.note(what.verb, what.path, response.code, {}, loop_.now().time_since_epoch());
    return finish(id, response.body);
  }
  const bool too_large = kubernetes::says_too_large(response.code, response.body);
  kubernetes::TryResult result;
  result.http_code = response.code;
  result.repeatable = kubernetes::is_repeatable(what);
  if (!too_large)
    if (const auto pause = kubernetes::pause_before_next_try(result, request.tries, options_.retry, random_))
      return later(*pause, id, &VirtualClient::send);
  if (response.code == 0)
    return finish(id, fail(ErrorCode::unavailable, fmt::format("{} {}: no answer", verb_name(what.verb), what.path)));
  Error error = kubernetes::error_of_answer(response.code, response.body);
  if (options_.observer) options_.observer->refused({what.verb, what.path, response.code, error.message});
  error.message = fmt::format("{} {}: {}{}{}", verb_name(what.verb), what.path,
                              too_large ? kubernetes::too_large_words : "", too_large ? ": " : "", error.message);
  if (too_large) error.code = ErrorCode::invalid_input;
  rights_.note(what.verb, what.path, response.code, error, loop_.now().time_since_epoch());
  finish(id, tl::unexpected(std::move(error)));
}

// An object was written too often.
void VirtualClient::refuse(RequestId id) {
  const ApiRequest& what = requests_.at(id).what;
  constexpr const char* why = "written too often: nothing more is sent for a while";
  if (options_.observer) options_.observer->refused({what.verb, what.path, 0, why});
  finish(id, fail(ErrorCode::unavailable, fmt::format("{} {}: {}", verb_name(what.verb), what.path, why)));
}

void VirtualClient::finish(RequestId id, Answer answer) {
  auto request = requests_.extract(id);
  if (!request.empty() && request.mapped().done) request.mapped().done(std::move(answer));
}

std::unique_ptr<ByteStream> VirtualClient::watch(ApiRequest request) {
  request.verb = kubernetes::Verb::watch;
  return server_.watch(request, weather_.below(1U << 30));
}

}  // namespace lips::virtual_cluster
