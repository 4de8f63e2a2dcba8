// A way to a Kubernetes API server: requests whose answers come later, and watches. Knows no kind of object, and not
// how the bytes travel.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kubernetes/api/api_request.h"

namespace lips::kubernetes {

// The bytes of a watch, in the order of arrival.
class ByteStream {
 public:
  enum class State : std::uint8_t { data, ended, silent };
  struct Chunk {
    State state = State::data;
    std::string bytes;
  };

  virtual ~ByteStream() = default;

  // Everything that has arrived. Waits when nothing has, and gives up with `silent` after that long. Errors as in
  // Answer; a broken connection is `unavailable`, close() is `cancelled`.
  virtual Result<Chunk> read(std::chrono::milliseconds at_most) = 0;
  // Calls `told`, on the client's thread, when read() will not find silence: once, until the next read(). Call it
  // once.
  virtual void when_readable(std::function<void()> told) = 0;
  // From any thread.
  virtual void close() = 0;
};

class ApiClient {
 public:
  using RequestId = std::uint64_t;

  // Ends every request with `cancelled`; no callback runs afterwards.
  virtual ~ApiClient() = default;

  // `done` is called once, on the client's thread, and must not wait; it may start further requests.
  virtual RequestId start(ApiRequest request, std::function<void(Answer)> done) = 0;
  virtual void cancel(RequestId id) = 0;
  virtual std::unique_ptr<ByteStream> watch(ApiRequest request) = 0;

  // Waits for the answer. Not from a callback.
  Answer call(ApiRequest request, std::stop_token stop = {});

 private:
  virtual bool on_own_thread() const = 0;
};

}  // namespace lips::kubernetes
