#include "kubernetes/api/loop_client.h"

#include <string>
#include <utility>

namespace lips::kubernetes {
namespace {

class LoopStream final : public ByteStream {
 public:
  LoopStream(std::unique_ptr<ByteStream> stream, EventLoop& loop)
      : loop_(loop), alive_(std::make_shared<int>()), stream_(std::move(stream)) {}

  Result<Chunk> read(std::chrono::milliseconds at_most) override { return stream_->read(at_most); }
  void when_readable(std::function<void()> told) override {
    auto shared = std::make_shared<std::function<void()>>(std::move(told));
    stream_->when_readable([&loop = loop_, alive = std::weak_ptr(alive_), shared] {
      loop.post([alive, shared] {
        if (!alive.expired()) (*shared)();
      });
    });
  }
  void close() override { stream_->close(); }

 private:
  EventLoop& loop_;
  std::shared_ptr<int> alive_;
  std::unique_ptr<ByteStream> stream_;
};

class LoopObserver final : public RequestObserver {
 public:
  LoopObserver(RequestObserver& to, EventLoop& loop, std::weak_ptr<int> alive)
      : to_(to), loop_(loop), alive_(std::move(alive)) {}

  void tried(const Try& ended) override {
    post([ended = ended, path = std::string(ended.path), at = loop_.now()](RequestObserver& to, TimePoint now) mutable {
      ended.path = path;
      ended.ago += now - at;
      to.tried(ended);
    });
  }
  void refused(const Refusal& refusal) override {
    post([refusal = refusal, path = std::string(refusal.path), message = std::string(refusal.message)](
             RequestObserver& to, TimePoint) mutable {
      refusal.path = path, refusal.message = message;
      to.refused(refusal);
    });
  }

 private:
  template <class Tell>
  void post(Tell tell) {
    loop_.post([&to = to_, &loop = loop_, alive = alive_, tell = std::move(tell)]() mutable {
      if (!alive.expired()) tell(to, loop.now());
    });
  }

  RequestObserver& to_;
  EventLoop& loop_;
  const std::weak_ptr<int> alive_;
};

}  // namespace

LoopClient::LoopClient(EventLoop& loop, ClientOptions options,
                       const std::function<std::unique_ptr<ApiClient>(ClientOptions)>& connect)
    : loop_(loop), alive_(std::make_shared<int>()) {
  if (options.observer) observer_ = std::make_unique<LoopObserver>(*options.observer, loop, alive_);
  options.observer = observer_.get();
  client_ = connect(std::move(options));
}

ApiClient::RequestId LoopClient::start(ApiRequest request, std::function<void(Answer)> done) {
  auto shared = std::make_shared<std::function<void(Answer)>>(std::move(done));
  return client_->start(std::move(request), [&loop = loop_, alive = std::weak_ptr(alive_), shared](Answer answer) {
    loop.post([alive, shared, answer = std::make_shared<Answer>(std::move(answer))] {
      if (!alive.expired()) (*shared)(std::move(*answer));
    });
  });
}

std::unique_ptr<ByteStream> LoopClient::watch(ApiRequest request) {
  return std::make_unique<LoopStream>(client_->watch(std::move(request)), loop_);
}

}  // namespace lips::kubernetes
