#include "kubernetes/api/http_client.h"

#include <utility>

#include "base/check.h"
#include "kubernetes/api/request_engine.h"

namespace lips::kubernetes {
namespace {

class HttpStream final : public ByteStream {
 public:
  HttpStream(std::shared_ptr<StreamState> state, std::weak_ptr<RequestEngine> engine)
      : state_(std::move(state)), engine_(std::move(engine)) {}
  ~HttpStream() override { end(); }
  HttpStream(const HttpStream&) = delete;
  HttpStream& operator=(const HttpStream&) = delete;

  Result<Chunk> read(std::chrono::milliseconds at_most) override;
  void when_readable(std::function<void()> told) override;
  void close() override { end(); }

 private:
  void end();

  std::shared_ptr<StreamState> state_;
  std::weak_ptr<RequestEngine> engine_;
};

Result<ByteStream::Chunk> HttpStream::read(std::chrono::milliseconds at_most) {
  Chunk chunk;
  bool resume = false;
  {
    std::unique_lock lock(state_->mutex);
    state_->arrived.wait_for(lock, at_most, [&] { return !state_->bytes.empty() || state_->ended || state_->closed; });
    state_->knows = false;
    if (state_->closed) return fail(ErrorCode::cancelled, "the watch was closed");
    if (state_->bytes.empty() && state_->error) return tl::unexpected(*state_->error);
    if (state_->bytes.empty()) {
      chunk.state = state_->ended ? State::ended : State::silent;
      return chunk;
    }
    chunk.bytes.swap(state_->bytes);
    if (state_->ended) state_->tell();  // the end is to be read too
    resume = std::exchange(state_->paused, false);
  }
  if (const auto engine = engine_.lock(); engine && resume) engine->resume(state_->id);
  return chunk;
}

void HttpStream::when_readable(std::function<void()> told) {
  const std::lock_guard lock(state_->mutex);
  state_->told = std::move(told);
  if (!state_->bytes.empty() || state_->ended) state_->tell();
}

void HttpStream::end() {
  {
    const std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->closed, true)) return;
    state_->arrived.notify_one();
  }
  if (const auto engine = engine_.lock()) engine->cancel(state_->id);
}

}  // namespace

HttpClient::HttpClient(Connection connection, ClientOptions options)
    : engine_(std::make_shared<RequestEngine>(std::move(connection), std::move(options))) {}

HttpClient::~HttpClient() { engine_->stop(); }

ApiClient::RequestId HttpClient::start(ApiRequest request, std::function<void(Answer)> done) {
  LIPS_CHECK(request.verb != Verb::watch, "a watch is opened by watch()");
  return engine_->add(std::move(request), std::move(done), nullptr);
}

void HttpClient::cancel(RequestId id) { engine_->cancel(id); }

bool HttpClient::on_own_thread() const { return engine_->on_own_thread(); }

std::unique_ptr<ByteStream> HttpClient::watch(ApiRequest request) {
  request.verb = Verb::watch;
  auto state = std::make_shared<StreamState>();
  engine_->add(std::move(request), nullptr, state);
  return std::make_unique<HttpStream>(std::move(state), engine_);
}

}  // namespace lips::kubernetes
