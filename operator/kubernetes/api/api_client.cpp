#include "kubernetes/api/api_client.h"

#include <fmt/format.h>

#include <future>

#include "base/check.h"
#include "kubernetes/api/request_engine.h"

namespace lips::kubernetes {

std::string_view verb_name(Verb verb) {
  switch (verb) {
    case Verb::get:
      return "get";
    case Verb::list:
      return "list";
    case Verb::watch:
      return "watch";
    case Verb::create:
      return "create";
    case Verb::update:
      return "update";
    case Verb::patch:
      return "patch";
    case Verb::remove:
      return "delete";
  }
  return "";
}

// /api/VERSION/... or /apis/GROUP/VERSION/..., then perhaps namespaces/NAME/, then RESOURCE/NAME/SUBRESOURCE.
std::string resource_of_path(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string_view> words;
  for (std::size_t begin = 1; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    words.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  std::size_t at = !words.empty() && words.front() == "apis" ? 3 : 2;
  if (at + 2 < words.size() && words[at] == "namespaces") at += 2;
  if (at >= words.size()) return "";
  std::string resource(words[at]);
  if (at + 2 < words.size()) resource.append("/").append(words[at + 2]);
  return resource;
}

std::string url_host(const std::string& address) {
  return address.find(':') != std::string::npos ? '[' + address + ']' : address;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       std::string_view("-._~").find(letter) != std::string_view::npos;
    if (plain)
      result += letter;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return result;
}

ByteStream::ByteStream(std::shared_ptr<StreamState> state, std::weak_ptr<RequestEngine> engine)
    : state_(std::move(state)), engine_(std::move(engine)) {}

ByteStream::~ByteStream() { close(); }

Result<ByteStream::Chunk> ByteStream::read(std::chrono::milliseconds at_most) {
  Chunk chunk;
  bool resume = false;
  {
    std::unique_lock lock(state_->mutex);
    state_->arrived.wait_for(lock, at_most, [&] { return !state_->bytes.empty() || state_->ended || state_->closed; });
    if (state_->closed) return fail(ErrorCode::cancelled, "the watch was closed");
    if (state_->bytes.empty() && state_->error) return tl::unexpected(*state_->error);
    if (state_->bytes.empty()) {
      chunk.state = state_->ended ? State::ended : State::silent;
      return chunk;
    }
    chunk.bytes.swap(state_->bytes);
    resume = std::exchange(state_->paused, false);
  }
  if (const auto engine = engine_.lock(); engine && resume) engine->resume(state_->id);
  return chunk;
}

void ByteStream::close() {
  {
    const std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->closed, true)) return;
    state_->arrived.notify_one();
  }
  if (const auto engine = engine_.lock()) engine->cancel(state_->id);
}

ApiClient::ApiClient(Connection connection, ClientOptions options)
    : engine_(std::make_shared<RequestEngine>(std::move(connection), std::move(options))) {}

ApiClient::~ApiClient() { engine_->stop(); }

ApiClient::RequestId ApiClient::start(ApiRequest request, std::function<void(Answer)> done) {
  LIPS_CHECK(request.verb != Verb::watch, "a watch is opened by watch()");
  return engine_->add(std::move(request), std::move(done), nullptr);
}

void ApiClient::cancel(RequestId id) { engine_->cancel(id); }

Answer ApiClient::call(ApiRequest request, std::stop_token stop) {
  LIPS_CHECK(!engine_->on_own_thread(), "a callback of the client must not wait for the client");
  const auto promise =
      std::make_shared<std::promise<Answer>>();  // shared, because the other thread may still use it when we wake
  std::future<Answer> future = promise->get_future();
  const RequestId id = start(std::move(request), [promise](Answer answer) { promise->set_value(std::move(answer)); });
  const std::stop_callback when_stopped(std::move(stop), [&] { cancel(id); });
  return future.get();
}

std::unique_ptr<ByteStream> ApiClient::watch(ApiRequest request) {
  request.verb = Verb::watch;
  auto state = std::make_shared<StreamState>();
  engine_->add(std::move(request), nullptr, state);
  return std::make_unique<ByteStream>(std::move(state), engine_);
}

}  // namespace lips::kubernetes
