#include "base/random.h"

#include <cmath>
#include <numbers>

namespace lips {

std::uint64_t Random::below(std::uint64_t count) {
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % count;
  std::uint64_t draw = engine_();
  while (draw >= limit) draw = engine_();
  return draw % count;
}

double Random::normal(double mean, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Random::exponential(double mean) { return -mean * std::log(1.0 - uniform()); }

std::size_t Random::weighted(std::span<const double> weights) {
  double total = 0;
  for (double weight : weights) total += weight;
  double draw = uniform() * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    draw -= weights[i];
    if (draw < 0) return i;
  }
  std::size_t last = weights.size() - 1;
  while (last > 0 && weights[last] <= 0) --last;
  return last;
}

// SplitMix64's finaliser (Steele, Lea, Flood 2014) over both numbers.
std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (stream + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace lips
