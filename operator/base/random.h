// Random numbers that are the same with every compiler and library: std::mt19937_64 with our own distributions.
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace lips {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  // [0, 1)
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // 0 .. count-1, without bias; count > 0
  std::uint64_t below(std::uint64_t count);
  double normal(double mean, double deviation);
  double exponential(double mean);
  // An index drawn in proportion to the weights; at least one weight is positive.
  std::size_t weighted(std::span<const double> weights);
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

// The seed of an independent stream. With one stream for each purpose, more draws in one place change nothing
// elsewhere.
std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t stream);

}  // namespace lips
