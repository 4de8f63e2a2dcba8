#include "kubernetes/api/loop_client.h"

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

}  // namespace

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
