// Independent work on two threads, or on more.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace lips::bench {

// work(0) to work(count - 1), in their order. At least one thread.
template <class Work>
auto on_threads(std::size_t threads, std::size_t count, const Work& work) {
  using Each = std::decay_t<decltype(work(std::size_t{0}))>;
  std::vector<std::optional<Each>> done(count);
  std::atomic<std::size_t> next{0};
  const auto some = [&] {
    for (std::size_t i = next++; i < count; i = next++) done[i] = work(i);
  };
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(some);
  some();
  for (std::thread& other : others) other.join();
  std::vector<Each> all;
  for (std::optional<Each>& each : done) all.push_back(std::move(*each));
  return all;
}

template <class Work>
auto on_two_threads(std::size_t count, const Work& work) {
  return on_threads(2, count, work);
}

}  // namespace lips::bench
