// A watch whose bytes come as tasks of a loop, whoever makes them. Its reader is told on the loop, once for all that
// came since it read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/event_loop.h"

namespace lips::virtual_cluster {

class LoopStream : public kubernetes::ByteStream {
 public:
  LoopStream(const LoopStream&) = delete;
  LoopStream& operator=(const LoopStream&) = delete;

  Result<Chunk> read(std::chrono::milliseconds) final {
    told_ = false;
    if (closed_) return fail(ErrorCode::cancelled, "the watch was closed");
    if (!bytes_.empty()) {
      if (ended_) tell();
      return Chunk{State::data, std::exchange(bytes_, {})};
    }
    if (error_) return tl::unexpected(*error_);
    return Chunk{ended_ ? State::ended : State::silent, {}};
  }
  void when_readable(std::function<void()> told) final {
    call_ = std::make_shared<std::function<void()>>(std::move(told));
    if (!bytes_.empty() || ended_) tell();
  }
  void close() override { closed_ = true; }

 protected:
  explicit LoopStream(kubernetes::EventLoop& loop) : loop_(loop) {}

  // The task, unless the stream is gone by then.
  template <class Task>
  std::function<void()> alive(Task task) {
    return [life = std::weak_ptr(life_), task = std::move(task)] {
      if (!life.expired()) task();
    };
  }
  template <class Task>
  void later(Duration span, Task task) {
    loop_.at(loop_.now() + span, alive(std::move(task)));
  }
  void tell() {
    if (!call_ || std::exchange(told_, true)) return;
    loop_.post(alive([call = call_] { (*call)(); }));
  }

  kubernetes::EventLoop& loop_;
  std::string bytes_;           // not read yet
  std::optional<Error> error_;  // once they are read
  bool ended_ = false, closed_ = false;

 private:
  bool told_ = false;
  std::shared_ptr<std::function<void()>> call_;
  std::shared_ptr<int> life_ = std::make_shared<int>();
};

}  // namespace lips::virtual_cluster
