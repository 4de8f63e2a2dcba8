// Counts writes that the API server refuses for good, and those that are not sent because one object was written too
// often (code 0), and logs each kind once in a while, however many there are. Covers every writer of a client, also
// those that ignore their answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "base/log.h"
#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

class RefusedWrites {
 public:
  using Clock = std::chrono::steady_clock;
  using Count = std::function<void(std::string_view verb, std::string_view resource, int code)>;
  RefusedWrites(Log& log, Count count) : log_(log), count_(std::move(count)) {}

  // Ignores reads, objects that are gone, and conflicts with a quicker writer.
  void count(const RequestObserver::Refusal& refusal, Clock::time_point now = Clock::now());

 private:
  struct Kind {
    Clock::time_point logged{};
    std::uint64_t since = 0;  // unlogged
  };
  Log& log_;
  const Count count_;
  std::map<std::tuple<Verb, std::string, int>, Kind> kinds_;  // by verb, resource, code
};

}  // namespace lips::kubernetes
