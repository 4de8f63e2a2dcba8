// A ListWatch on an event loop of its own, which a thread runs until the end of the test.
#pragma once

#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "kubernetes/api/list_watch.h"
#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/real_loop.h"

namespace lips::kubernetes {

class Followed {
 public:
  Followed(std::unique_ptr<ApiClient> client, ObjectSink& sink, ListWatchOptions options)
      : client_(loop_, {}, [&client](const ClientOptions&) { return std::move(client); }),
        watch_(std::in_place, client_, loop_, std::move(options), sink) {
    watch_->start();
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) loop_.run(std::chrono::seconds(10));
    });
  }
  ~Followed() { stop(); }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;

  std::uint64_t relist() {
    std::promise<std::uint64_t> asked;
    loop_.post([&] { asked.set_value(watch_->relist()); });
    return asked.get_future().get();
  }
  ListWatch::Counters stop() {
    if (thread_.joinable()) {
      thread_.request_stop();
      loop_.post([] {});
      thread_.join();
    }
    if (watch_) counters_ = watch_->counters();
    watch_.reset();
    return counters_;
  }

 private:
  RealLoop loop_;
  LoopClient client_;
  std::optional<ListWatch> watch_;
  ListWatch::Counters counters_;
  std::jthread thread_;
};

}  // namespace lips::kubernetes
