#include "kubernetes/api/request_engine.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/repeatable.h"
#include "kubernetes/api/too_large.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t most_waiting_bytes = 4 << 20;  // buffered for a watch that nobody reads
constexpr long spare_connections = 16;

tl::unexpected<Error> was_cancelled() { return fail(ErrorCode::cancelled, "the request was cancelled"); }

bool put(StreamState& stream, std::string_view bytes) {
  const std::lock_guard lock(stream.mutex);
  if (stream.bytes.size() >= most_waiting_bytes && !stream.closed) {
    stream.paused = true;
    return false;
  }
  stream.bytes.append(bytes);
  stream.tell();
  return true;
}

void end(StreamState& stream, const Answer& answer) {
  const std::lock_guard lock(stream.mutex);
  stream.ended = true;
  if (!answer) stream.error = answer.error();
  stream.tell();
}

}  // namespace

RequestEngine::RequestEngine(Connection connection, ClientOptions options)
    : target_{connection.server, options.user_agent, connection.compresses_lists},
      options_(std::move(options)),
      credentials_(std::move(connection)),
      random_(options_.seed) {
  idle_.push_back(std::make_unique<Transfer>());  // initialises libcurl
  multi_ = curl_multi_init();
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, options_.in_flight + spare_connections);
  thread_ = std::thread([this] { run(); });
}

RequestEngine::~RequestEngine() {
  stop();
  idle_.clear();
  curl_multi_cleanup(multi_);
}

RequestEngine::RequestId RequestEngine::add(ApiRequest what, std::function<void(Answer)> done,
                                            std::shared_ptr<StreamState> stream) {
  const RequestId id = ++last_id_;
  auto request = std::make_shared<Request>();
  request->id = id;
  request->what = std::move(what);
  request->done = std::move(done);
  request->stream = std::move(stream);
  if (request->stream) request->stream->id = id;
  const bool accepted = post([this, request] {
    auto& own = requests_[request->id] = std::make_unique<Request>(std::move(*request));
    if (own->stream)
      send(*own);
    else
      queue_.push_back(own->id);
  });
  if (!accepted) {
    if (request->stream) end(*request->stream, was_cancelled());
    if (request->done) request->done(was_cancelled());
  }
  return id;
}

void RequestEngine::cancel(RequestId id) {
  post([this, id] { finish(id, was_cancelled()); });
}

void RequestEngine::resume(RequestId id) {
  post([this, id] {
    const auto place = requests_.find(id);
    if (place != requests_.end() && place->second->transfer) place->second->transfer->resume();
  });
}

void RequestEngine::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_);
  if (thread_.joinable()) thread_.join();
}

bool RequestEngine::post(std::function<void()> command) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    commands_.push_back(std::move(command));
  }
  curl_multi_wakeup(multi_);
  return true;
}

void RequestEngine::run() {
  for (;;) {
    run_commands();
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ && commands_.empty()) break;
    }
    send_due();
    int running = 0;
    curl_multi_perform(multi_, &running);
    collect_finished();
    curl_multi_poll(multi_, nullptr, 0, wait_ms(), nullptr);
    let_more_arrive();
  }
  while (!requests_.empty()) finish(requests_.begin()->first, was_cancelled());
}

// Under steady load answers are handled in batches: a wake-up costs more than an answer, and costs the server too if it
// shares the machine. The pause is short beside the time of an answer.
void RequestEngine::let_more_arrive() {
  constexpr std::size_t many = 8;
  constexpr std::chrono::milliseconds lately{40}, longest{4};
  woken_.push_back(Clock::now());
  if (woken_.size() <= many) return;
  woken_.pop_front();
  if (woken_.back() - woken_.front() < lately)
    std::this_thread::sleep_for(std::min<std::chrono::microseconds>(longest, mean_took_ / 16));
}

void RequestEngine::run_commands() {
  std::vector<std::function<void()>> commands;
  {
    const std::lock_guard lock(mutex_);
    commands.swap(commands_);
  }
  for (const auto& command : commands) command();
}

void RequestEngine::send_due() {
  const auto now = Clock::now();
  while (!later_.empty() && later_.begin()->first <= now) {
    queue_.push_front(later_.begin()->second);
    later_.erase(later_.begin());
  }
  while (!queue_.empty() && ordinary_under_way_ < options_.in_flight) {
    const auto place = requests_.find(queue_.front());
    queue_.pop_front();
    if (place != requests_.end()) send(*place->second);  // else it was cancelled
  }
}

Duration RequestEngine::since_boot() { return std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch()); }

// The request fails as if the server could not be reached for a while: the writer tries again later, or plans anew.
void RequestEngine::refuse(const Request& request) {
  const std::string why = fmt::format("written more than {} times within {} s: nothing more is sent for a while",
                                      WriteGovernor::most_writes, WriteGovernor::span.count());
  if (options_.observer) options_.observer->refused({request.what.verb, request.what.path, 0, why});
  finish(request.id,
         fail(ErrorCode::unavailable, fmt::format("{} {}: {}", verb_name(request.what.verb), request.what.path, why)));
}

void RequestEngine::send(Request& request) {
  if (request.what.still_wanted && !request.what.still_wanted()) return finish(request.id, was_cancelled());
  if (!governor_.admits(verb_name(request.what.verb), request.what.path, Clock::now())) return refuse(request);
  if (std::optional<Error> why = rights_.refused(request.what.verb, request.what.path, since_boot()))
    return finish(request.id, tl::unexpected(*std::move(why)));
  const auto credentials = credentials_.read(Clock::now());
  if (!credentials) return finish(request.id, tl::unexpected(credentials.error()));
  if (idle_.empty()) idle_.push_back(std::make_unique<Transfer>());
  request.transfer = std::move(idle_.back());
  idle_.pop_back();
  Transfer::Sink sink;
  if (request.stream)
    sink = [stream = request.stream](std::string_view bytes) { return put(*stream, bytes); };
  else
    ++ordinary_under_way_;
  ++request.tries;
  request.sent = Clock::now();
  request.transfer->prepare(request.what, target_, **credentials, std::move(sink));
  under_way_[request.transfer->handle()] = request.id;
  curl_multi_add_handle(multi_, request.transfer->handle());
}

void RequestEngine::collect_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const int code = message->data.result;
    finished(*requests_.at(under_way_.at(message->easy_handle)), code);
  }
}

void RequestEngine::finished(Request& request, int curl_code) {
  TryResult result = request.transfer->result(curl_code);
  result.repeatable = is_repeatable(request.what);
  const std::chrono::microseconds took = request.transfer->took();
  if (!request.stream) mean_took_ = (mean_took_ * 15 + took) / 16;
  const auto since_sent = std::chrono::ceil<std::chrono::microseconds>(Clock::now() - request.sent);
  if (options_.observer)
    options_.observer->tried({request.what.verb, request.what.path, result.http_code, took, since_sent,
                              result.http_code == 0 ? std::nullopt : request.transfer->date()});
  if (result.http_code == 401) credentials_.forget();
  conclude(request, curl_code, result);
}

void RequestEngine::conclude(Request& request, int curl_code, const TryResult& result) {
  const std::string body = request.transfer->take_body();
  const std::string why = result.http_code == 0 ? request.transfer->failure(curl_code) : "";
  if (result.http_code >= 200 && result.http_code < 300) {
    rights_.note(request.what.verb, request.what.path, result.http_code, {}, since_boot());
    return finish(request.id, body);
  }
  release(request);
  const bool too_large = says_too_large(result.http_code, body);
  if (!request.stream && !too_large) {
    if (result.http_code == 401 && !std::exchange(request.credentials_renewed, true)) {
      queue_.push_front(request.id);
      return;
    }
    if (const auto pause = pause_before_next_try(result, request.tries, options_.retry, random_)) {
      later_.emplace(Clock::now() + *pause, request.id);
      return;
    }
  }
  const std::string name = fmt::format("{} {}", verb_name(request.what.verb), request.what.path);
  if (result.http_code == 0)
    return finish(
        request.id,
        fail(result.refused ? ErrorCode::invalid_input : ErrorCode::unavailable,
             fmt::format("{}{}: {}", name, request.tries > 1 ? fmt::format(" ({} tries)", request.tries) : "", why)));
  Error error = error_of_answer(result.http_code, body);
  if (options_.observer)
    options_.observer->refused({request.what.verb, request.what.path, result.http_code, error.message});
  error.message =
      fmt::format("{}: {}{}{}", name, too_large ? too_large_words : "", too_large ? ": " : "", error.message);
  if (too_large) error.code = ErrorCode::invalid_input;
  rights_.note(request.what.verb, request.what.path, result.http_code, error, since_boot());
  finish(request.id, tl::unexpected(std::move(error)));
}

void RequestEngine::release(Request& request) {
  if (!request.transfer) return;
  curl_multi_remove_handle(multi_, request.transfer->handle());
  under_way_.erase(request.transfer->handle());
  if (!request.stream) --ordinary_under_way_;
  idle_.push_back(std::move(request.transfer));
}

void RequestEngine::finish(RequestId id, Answer answer) {
  const auto place = requests_.find(id);
  if (place == requests_.end()) return;
  release(*place->second);
  const std::unique_ptr<Request> request = std::move(place->second);
  requests_.erase(place);
  if (request->stream) end(*request->stream, answer);
  if (request->done) request->done(std::move(answer));
}

int RequestEngine::wait_ms() const {
  constexpr int longest = 10'000;
  if (!queue_.empty() && ordinary_under_way_ < options_.in_flight) return 0;
  if (later_.empty()) return longest;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(later_.begin()->first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, longest));
}

}  // namespace lips::kubernetes
